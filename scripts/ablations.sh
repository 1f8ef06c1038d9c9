#!/usr/bin/env bash
# Trains and measures the rows of docs/ablations.md and writes it. Rows that are there already are not made again, and a
# training run that was stopped goes on: the work can be done in parts and on several machines.
#
#   scripts/ablations.sh [OPTION VALUE]...
#     --parts "P P"       of decoder, moves, gire, d2a, starts [all]
#     --only PATTERN      runs whose names match, as in 'cvrp20-*|tsp50-k2' [*]; 'none' makes the page alone
#     --program FILE      neuopt with its trainer beside it [build/neuopt]
#     --batches N         of each training run, by the paper's PPO [40]
#     --seeds N           of each row [2]
#     --jobs N            training runs at once; they share the device [1]
#     --instances N       of each set; generated ones, never the test sets [1000]
#     --device D          auto, cpu or cuda [auto]
#     --work FOLDER       runs and sets, which may be deleted at the end [runs/ablations]
#     --results FOLDER    small files, one for each row and seed [docs/results/ablations/raw]
#     --output FILE       the page; none when empty [docs/ablations.md]
#     --minutes M         nothing begins after so many
#     --machine TEXT      where this runs, to stand beside the results
#     --commit TEXT       what was built, where the sources are no repository [git describe]
#     --dry-run           print what would be run
#     --smoke             tiny networks, sets and searches on the CPU, to try the script; needs --work
# First the runs are trained, --jobs at once, then the trained and the shipped models are measured one after the other,
# so that seconds compare. docs/results/ablations holds the rows with the paper's figures (rows.csv) and the page's text.
# Exit codes: 0 done (also when rows were left for lack of time), 2 bad usage, 3 a row failed, 130 stopped.
set -uo pipefail
started=$SECONDS
source "$(dirname "$0")/options.sh" || exit 3
cd "$(dirname "$0")/.." || exit 3

declare -A option=(
  [parts]='decoder moves gire d2a starts' [only]='*' [program]=build/neuopt [batches]=40 [seeds]=2 [jobs]=1
  [instances]=1000 [device]=auto [work]=runs/ablations [results]=docs/results/ablations/raw [output]=docs/ablations.md
  [minutes]='' [machine]='' [commit]="$(git describe --always --dirty --exclude '*' 2>/dev/null)"
)
option_paths='program work results output'
dry=0 smoke=0
while [[ $# -gt 0 ]]; do
  case $1 in
    --dry-run) dry=1 ;;
    --smoke) smoke=1 ;;
    *) take_option "$@" && shift ;;
  esac
  shift
done
expect '[1-9][0-9]*' 'a whole number from 1' batches seeds jobs instances
expect '([1-9][0-9]*)?' 'a whole number from 1' minutes
for part in ${option[parts]}; do
  [[ $part =~ ^(decoder|moves|gire|d2a|starts)$ ]] || complain 2 "there is no part $part"
done

tiny=() # settings of the trainer
trace_instances=8 trace_copies=16 trace_steps=300 reference=(--augment 8 --steps 2000)
validation='validation_steps=100,300'
if ((smoke)); then
  [[ -v was_given[work] ]] || complain 2 "--smoke needs a folder: --work"
  option[device]=cpu option[instances]=3
  [[ -v was_given[batches] ]] || option[batches]=2
  [[ -v was_given[results] ]] || option[results]=${option[work]}/results
  [[ -v was_given[output] ]] || option[output]=${option[work]}/page.md
  tiny=(dim=16 heads=2 layers=1 feed_forward=16 batch=4 steps=20 validation_count=4)
  trace_instances=2 trace_copies=2 trace_steps=12 reference=(--augment 2 --steps 5)
  validation='validation_steps=5,10'
fi
threads=$(($(nproc) / option[jobs]))
program=${option[program]} work=${option[work]} raw=${option[results]}
((dry)) || [[ -x $program ]] || complain 2 "no program at $program; build it first"
rows=docs/results/ablations/rows.csv
report=(python3 scripts/ablations/report.py)

stopped=0
# Trainers end with a checkpoint. They are told apart from the terminal, whose signals the shell keeps from them.
trap 'stopped=1; kill -TERM $(jobs -p) 2>/dev/null' INT TERM
over() { ((stopped)) || { [[ -n ${option[minutes]} ]] && ((SECONDS - started >= option[minutes] * 60)); }; }

# RUN KIND OPTIONS of every run that is asked for, once each.
runs() {
  local table run kind options
  while IFS=';' read -r table _ run kind options _; do
    [[ " ${option[parts]} " == *" ${table%%-*} "* ]] || continue
    # shellcheck disable=SC2053  # a pattern is meant
    [[ $run == @(${option[only]}) ]] && echo "$run $kind $options"
  done < <(tail -n +2 $rows) | awk '!seen[$1]++'
}

# is_there RUN SEED KIND: with so many batches and instances and, where nothing is trained, the model that is shipped now.
is_there() {
  local batches=${option[batches]} checksum=''
  [[ -e $raw/$1-s$2.json ]] || return 1
  if [[ $3 != train ]]; then
    batches=0
    [[ ! -x $program ]] || checksum=$("$program" info "${1%%-*}" | awk '$1 == "checksum" { print $2 }')
  fi
  "${report[@]}" is-there "$raw/$1-s$2.json" --batches "$batches" --instances "${option[instances]}" --checksum "$checksum"
}

folder_of() { echo "$work/$1-b${option[batches]}-s$2"; } # RUN SEED

set_of() { echo "$work/sets/${option[instances]}-$1.npz"; } # NAME

# make_set NAME, as in cvrp20: the instances on which its rows are measured, and single ones to look into.
make_set() {
  local problem=${1%%[0-9]*} size=${1##*[a-z]} i suffix=tsp
  [[ $problem == tsp ]] || suffix=vrp
  mkdir -p "$work/sets"
  [[ -e $(set_of "$1") ]] || "$program" generate "$problem" --size "$size" --seed 123456789 \
    --count "${option[instances]}" --output "$(set_of "$1")" || return
  for ((i = 1; i <= trace_instances; i++)); do
    [[ -e $work/sets/$1-$i.$suffix ]] || "$program" generate "$problem" --size "$size" --seed "$((1234567890 + i))" \
      --output "$work/sets/$1-$i.$suffix" || return
  done
}

# What a long search of the solver finds on a set: the gaps are to its mean.
make_reference() { # NAME
  [[ -e $raw/reference-$1.json ]] && "${report[@]}" is-there "$raw/reference-$1.json" --instances "${option[instances]}" &&
    return
  "$program" eval "$(set_of "$1")" --start auto "${reference[@]}" --seed 99 --device "${option[device]}" --quiet \
    --json >"$work/reference-$1.json" || return
  cp "$work/reference-$1.json" "$raw/reference-$1.json"
}

# train_run RUN SEED SETTINGS...: into its folder, then steps of its searches; does nothing where that is done.
train_run() {
  local run=$1 seed=$2 folder problem=${1%%-*} settings=() setting epochs=1 per_epoch=${option[batches]} file
  folder=$(folder_of "$run" "$seed")
  shift 2
  if ((per_epoch % 20 == 0)); then epochs=$((per_epoch / 20)) per_epoch=20; fi
  for setting in "${tiny[@]}" "epochs=$epochs" "batches_per_epoch=$per_epoch" "seed=$seed" "$validation" \
    "validation_interval=$(((option[batches] + 7) / 8))" "$@"; do
    settings+=(--set "$setting")
  done
  mkdir -p "$folder"
  if [[ ! -e $folder/trained ]]; then
    local command=("configs/$problem.toml" --run "$folder/run" "${settings[@]}") trainer
    [[ ! -e $folder/run/config.toml ]] || command=(--resume "$folder/run")
    "$program" train "${command[@]}" --device "${option[device]}" >>"$folder/output.txt" 2>&1 &
    trainer=$!
    trap 'stopped=1; kill -TERM $trainer' TERM
    wait "$trainer" || { ((stopped)) && wait "$trainer"; return 1; }
    grep -q "finished after ${option[batches]} batches" "$folder/output.txt" || return
    touch "$folder/trained"
  fi
  for file in "$work/sets/$problem"-*.???; do # on the CPU, which has little else to do
    "$program" solve "$file" --model "$folder/run/model.safetensors" --start random --polish 0 --restart 0 --by-parts no --device cpu \
      --threads $((threads > 0 ? threads : 1)) --augment $trace_copies --steps $trace_steps --trace "$folder/$(basename "$file").jsonl" \
      --output "$folder/solution.sol" --quiet >/dev/null 2>>"$folder/output.txt" || (($? == 1)) || return
    rm -f "$folder/solution.sol"
  done
  touch "$folder/traced"
}

# search_options T OPTIONS...: the steps with points along the way, and the rest.
search_options() {
  local steps=$1 points='' point
  shift
  ((smoke == 0)) || steps=10
  [[ " $* " != *" --start "* ]] || points=0, # where it starts from
  for point in 10 100 300 1000 2000 5000; do
    if ((point < steps)); then points+=$point,; fi
  done
  printf '%s\n' --polish 0 --restart 0 --steps "$steps" --curve "$points$steps" "$@"
}

# measure RUN SEED KIND OPTIONS...: into a small file, which appears as a whole or not at all.
measure() {
  local run=$1 seed=$2 kind=$3 folder set arguments=() traces=()
  set=$(set_of "${1%%-*}")
  folder=$(folder_of "$run" "$seed")
  shift 3
  mkdir -p "$folder"
  if [[ $kind == train ]]; then
    mapfile -t arguments < <(search_options 1000 --model "$folder/run/model.safetensors")
    traces=(--log "$folder/run/log.jsonl" --traces "$folder"/*.jsonl)
  else
    mapfile -t arguments < <(search_options "${1#T=}" "${@:2}")
  fi
  "$program" eval "$set" "${arguments[@]}" --seed "$seed" --device "${option[device]}" --quiet \
    --json >"$folder/eval.json" || (($? == 1)) || return
  "${report[@]}" collect "$raw/$run-s$seed.json" --reference "$raw/reference-${run%%-*}.json" --run "$run" --seed "$seed" --eval "$folder/eval.json" \
    --machine "${option[machine]}" --commit "${option[commit]}" --jobs "${option[jobs]}" --batches \
    "$([[ $kind == train ]] && echo "${option[batches]}" || echo 0)" "${traces[@]}"
}

# 1. What is missing.
shopt -s extglob
mkdir -p "$raw" "$work" || exit 3
if ((dry == 0)); then
  exec 9>"$work/lock"
  flock -n 9 || complain 2 "another call works in $work"
fi
pending=()
while read -r run kind options; do
  for ((seed = 1; seed <= option[seeds]; seed++)); do
    is_there "$run" "$seed" "$kind" || pending+=("$run $seed $kind $options")
  done
done < <(runs)
echo "ablations: ${#pending[@]} rows to make" >&2
if ((dry)); then
  for row in "${pending[@]}"; do
    read -r run seed kind options <<<"$row"
    echo "$kind $run seed $seed: ${options:-as in the paper}"
  done
  exit 0
fi

# 2. Train, several at once.
failed=0
declare -A sets
for row in "${pending[@]}"; do sets[${row%%-*}]=1; done
for name in "${!sets[@]}"; do
  { make_set "$name" && make_reference "$name"; } || complain 3 "the set $name failed"
done
finish_one() {
  local code=0
  wait -n || code=$?
  ((code == 0 || stopped)) || failed=1
  running=$((running - 1))
}
running=0
for row in "${pending[@]}"; do
  read -r run seed kind options <<<"$row"
  [[ $kind == train && ! -e $(folder_of "$run" "$seed")/traced ]] || continue
  over && break
  while ((running >= option[jobs])); do finish_one; done
  over && break
  echo "ablations: training $run, seed $seed, after $((SECONDS - started)) s" >&2
  # shellcheck disable=SC2086  # settings are words
  { train_run "$run" "$seed" $options || { echo "ablations: $run, seed $seed failed or stopped" >&2 && exit 1; }; } &
  running=$((running + 1))
done
while ((running > 0)); do finish_one; done
((stopped == 0)) || wait # trainers that are writing their checkpoints

# 3. Measure, one after the other.
left=0
for row in "${pending[@]}"; do
  read -r run seed kind options <<<"$row"
  if over || [[ $kind == train && ! -e $(folder_of "$run" "$seed")/traced ]]; then
    left=$((left + 1))
    continue
  fi
  # shellcheck disable=SC2086
  if measure "$run" "$seed" "$kind" $options; then
    echo "ablations: $run, seed $seed: $("${report[@]}" show "$raw/$run-s$seed.json")" >&2
  else
    echo "ablations: $run, seed $seed failed" >&2
    failed=1
  fi
done
((left == 0)) || echo "ablations: $left rows are left for another time" >&2

# 4. The page.
if [[ -n ${option[output]} ]]; then
  "${report[@]}" page --rows $rows --text docs/results/ablations/text.md --results "$raw" --program "$program" \
    --output "${option[output]}" || exit 3
fi
((stopped)) && exit 130
exit $((failed * 3))
