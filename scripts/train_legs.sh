#!/usr/bin/env bash
# Trains models leg by leg, as a plan says, on a machine with a GPU (or without one, for trials). Can be stopped at any
# time and called again: legs that are done are not repeated, and the one that was at work goes on.
#
#   scripts/train_legs.sh PLAN FOLDER [OPTION VALUE]...
#     --program FILE      neuopt with its trainer [built in build-gpu; CMAKE_PREFIX_PATH or python3's torch has LibTorch]
#     --datasets FOLDER   NAME.npz: the set on which legs of that name are measured, if there: the mean gap, or the mean
#                         cost where it has no known costs [../shared/datasets]
#     --steps T           of that measurement, with one copy [1000]
#     --instances N       of that measurement: the first so many [all]
#     --generated N       compares the models before and after a leg on so many generated instances, too, which are in no
#                         training and no test set: choose what to keep by these. Of the average and the weights
#                         themselves the better one is then the leg's end; else it is the average, if there [0]
#
# A line of the PLAN is a leg: NAME KEY=VALUE...
#   minutes=M             how long it trains; must be given here or under `all`
#   config=FILE           settings to begin with [configs/NAME.toml]
#   init=FILE             model or run to start from, or `random`. Without it a leg continues the last one of its name:
#                         its end with its optimiser. The first then starts from models/NAME.safetensors, if there.
#   anything else         a setting of the trainer, see docs/training.md
# A line "all KEY=VALUE..." holds for the legs below it, whose own words come after. # begins a comment. The plan may
# grow while it is worked on. Files are meant from the root of the project. A leg that has begun keeps its words but for
# the minutes: what the plan has changed since is said on standard error when the leg goes on.
#
# FOLDER has, for each leg, the run's folder NUMBER-NAME (average.safetensors, log.jsonl, config.toml, the newest
# checkpoint, what the trainer printed in output.txt, its words of the plan in words.txt, end.txt with the name of the
# better model, if compared, and result.txt), and for all of them the file `status`: a line for each leg with the mean
# gap at its start and end, or how far it is. The last line of `status` is "working", "done" or "stopped".
# Exit codes: 0 all legs done, 2 bad usage, 3 a leg failed, 130 stopped.
set -uo pipefail
source "$(dirname "$0")/options.sh" || exit 3
cd "$(dirname "$0")/.." || exit 3

[[ $# -ge 2 ]] || complain 2 "expected a plan and a folder; the head of scripts/train_legs.sh explains them"
plan=$(from_caller "$1") folder=$(from_caller "$2")
shift 2
declare -A option=([program]='' [datasets]=../shared/datasets [steps]=1000 [instances]='' [generated]=0)
option_paths='program datasets'
read_options "$@"
expect '0|[1-9][0-9]{0,6}' 'a whole number' generated
expect '[1-9][0-9]{0,8}' 'a whole number from 1' steps
expect '([1-9][0-9]{0,8})?' 'a whole number from 1' instances
[[ -r $plan && ! -d $plan ]] || complain 2 "no plan at $plan"
mkdir -p "$folder" || exit 3
exec 9>"$folder/lock"
flock -n 9 || complain 2 "another call works in $folder"

declare -A state # of each leg, by its folder's name
order=()
trainer=''
stopped=0

write_status() { # LAST LINE
  local leg
  {
    for leg in "${order[@]}"; do echo "$leg: ${state[$leg]}"; done
    echo "$1"
  } >"$folder/status.new"
  mv "$folder/status.new" "$folder/status"
}

# The trainer ends with a checkpoint when it is interrupted.
stop() {
  stopped=1
  [[ -n $trainer ]] && kill -TERM "$trainer" 2>/dev/null
}
trap stop INT TERM

build() {
  [[ -z ${option[program]} ]] || return 0
  option[program]=$PWD/build-gpu/neuopt
  write_status "building"
  local torch capability arguments=(-DCMAKE_BUILD_TYPE=Release -DNEUOPT_CUDA=ON -DNEUOPT_TRAIN=ON -DNEUOPT_TESTS=OFF)
  torch=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)' 2>/dev/null)
  export CMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH:-$torch}
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .)
  # Kernels for this machine's GPU alone; those of the H100 and H200 need 90a.
  [[ -z $capability ]] || arguments+=("-DCMAKE_CUDA_ARCHITECTURES=${capability/%90/90a}-real")
  { cmake -S . -B build-gpu -G Ninja "${arguments[@]}" && cmake --build build-gpu --target neuopt neuopt-train; } \
    >"$folder/build.txt" 2>&1 9>&- && return
  write_status "stopped: building failed, see build.txt"
  complain 3 "building failed, see $folder/build.txt"
}

# The legs of the plan, one for each line, with the words of `all` before their own.
legs() {
  sed 's/#.*//' "$plan" | awk '$1 == "all" { $1 = ""; all = all $0; next } NF { name = $1; $1 = ""; print name all $0 }'
}

# measure SET MODEL OPTIONS...: eval's answer; nothing when that fails.
measure() {
  "${option[program]}" eval "$1" --model "$2" --steps "${option[steps]}" "${@:3}" --quiet --json \
    </dev/null 2>>"$folder/errors.txt" 9>&-
}

# gap NAME MODEL: the mean gap in percent, the mean cost where the set has no known ones, or - without a set or a model.
gap() {
  local set=${option[datasets]}/$1.npz limit=() answer found
  [[ -r $set && -r $2 ]] || { echo -; return; }
  [[ -z ${option[instances]} ]] || limit=(--limit "${option[instances]}")
  answer=$(measure "$set" "$2" "${limit[@]}")
  found=$(field gap_percent <<<"$answer")
  [[ -z $found ]] || { printf '%.3f %%\n' "$found"; return; }
  found=$(field mean_cost <<<"$answer")
  [[ -n $found ]] && printf '%.4f\n' "$found" || echo failed
}

# generated_cost RUN MODEL: the mean cost on generated instances of the run's problem and size.
generated_cost() {
  local problem size set found
  problem=$(sed -n 's/^problem = "\(.*\)"$/\1/p' "$1/config.toml") size=$(sed -n 's/^size = //p' "$1/config.toml")
  set=$folder/$problem$size-${option[generated]}.npz
  [[ -e $set ]] || "${option[program]}" generate "$problem" --size "$size" --count "${option[generated]}" --seed 314159 \
    --output "$set" >>"$folder/errors.txt" 2>&1 </dev/null 9>&-
  [[ -r $2 ]] || { echo -; return; }
  found=$(measure "$set" "$2" | field mean_cost)
  [[ -n $found ]] && printf '%.4f\n' "$found" || echo failed
}

# The minutes that the run in a folder has trained.
minutes_done() {
  sed -n 's/.*"total_seconds":\([0-9.e+-]*\).*/\1/p' "$1/log.jsonl" 2>/dev/null |
    awk '{ seconds = $1 } END { printf "%.2f\n", seconds / 60 }'
}

# train LEG ARGUMENTS...: trains, while `status` shows the last validation. Returns the trainer's exit code.
train() {
  local leg=$1 run=$folder/$1 began=${state[$1]} code
  shift
  "${option[program]}" train "$@" >>"$run/output.txt" 2>&1 </dev/null 9>&- &
  trainer=$!
  while kill -0 "$trainer" 2>/dev/null; do
    state[$leg]="$began; $(minutes_done "$run") min; $(grep '^validation' "$run/output.txt" | tail -1)"
    write_status "working"
    sleep 2 9>&- # a signal is answered after it
  done
  wait "$trainer"
  code=$?
  trainer=''
  state[$leg]=$began
  return $code
}

# end_of RUN: the name of the model that a leg ends with: as was found, or the average.
end_of() {
  if [[ -e $1/end.txt ]]; then
    cat "$1/end.txt"
  elif [[ -e $1/average.safetensors ]]; then
    echo average.safetensors
  else
    echo model.safetensors
  fi
}

# find_start NAME INIT AVERAGE: sets `start`, the model that a leg begins with, and `init`, the settings that say so.
# AVERAGE is true when the plan asks for the average of the run in INIT.
find_start() {
  local leg before=''
  for leg in "${order[@]}"; do
    if [[ ${leg#*-} == "$1" && -e $folder/$leg/result.txt ]]; then before=$folder/$leg; fi
  done
  start=${2:-${before:-models/$1.safetensors}}
  init=()
  if [[ $start != random && ( -e $start || -n $2 ) ]]; then init=(--set "init=$start"); fi
  if [[ -n $before && $start == "$before" ]]; then
    start=$start/$(end_of "$start")
    [[ $start != */average.safetensors ]] || init+=(--set init_average=true)
  elif [[ -d $start && $3 == true ]]; then
    start=$start/average.safetensors
  elif [[ -d $start ]]; then
    start=$start/model.safetensors
  fi
}

# find_end RUN START: compares the models before and after a leg, of which `costs` says what was found, and notes with
# which one it ends.
find_end() {
  local average weights end=average.safetensors
  costs=''
  ((option[generated] > 0)) || return 0
  costs=", cost $(generated_cost "$1" "$2")" weights=$(generated_cost "$1" "$1/model.safetensors")
  if [[ ! -e $1/average.safetensors ]]; then
    costs+=" -> $weights"
    return
  fi
  average=$(generated_cost "$1" "$1/average.safetensors")
  costs+=" -> $average averaged, $weights not"
  awk -v a="$average" -v w="$weights" 'BEGIN { exit !(w + 0 > 0 && w < a) }' && end=model.safetensors
  echo "$end" >"$1/end.txt"
}

# lasting WORD...: the words that hold from a leg's beginning to its end, the last of each key.
lasting() {
  printf '%s\n' "$@" | awk -F= 'NF && $1 != "minutes" { last[$1] = $0 } END { for (key in last) print last[key] }' | LC_ALL=C sort
}

# say_changes LEG WORD...: what of the plan does not reach a leg that has begun. Runs of other makers have no words.txt.
say_changes() {
  local changes
  [[ -e $folder/$1/words.txt ]] || return 0
  changes=$(diff "$folder/$1/words.txt" <(lasting "${@:2}") | sed -n 's/^< /-/p; s/^> /+/p' | paste -sd ' ')
  [[ -z $changes ]] || echo "train_legs: $1 goes on as it began, without the plan's changes: $changes" >&2
}

# run_leg LEG NAME WORD...: fails with the reason in its state.
run_leg() {
  local leg=$1 name=$2 run=$folder/$1 minutes='' config=configs/$2.toml given='' average='' settings=()
  local start end costs init word
  shift 2
  for word in "$@"; do
    case $word in
      minutes=*) minutes=${word#*=} ;;
      config=*) config=${word#*=} ;;
      init=*) given=${word#*=} ;;
      init_average=*) average=${word#*=} settings+=(--set "$word") ;;
      *) settings+=(--set "$word") ;;
    esac
  done
  [[ $minutes =~ ^[0-9.]+$ ]] || { state[$leg]="failed: no minutes"; return 1; }
  if [[ -z $given ]]; then # it continues the last one of its name, which must have come to an end
    for word in "${order[@]}"; do
      [[ ${word#*-} != "$name" || $word == "$leg" || -e $folder/$word/result.txt ]] ||
        { state[$leg]="waits for $word, which failed"; return 1; }
    done
  fi
  find_start "$name" "$given" "$average"
  mkdir -p "$run"
  if [[ ! -e $run/start.txt || $(<"$run/start.txt") == failed ]]; then
    gap "$name" "$start" >"$run/start.new"
    ((stopped == 0)) || return 1 # it may be that of a few instances
    mv "$run/start.new" "$run/start.txt"
  fi
  state[$leg]="start $(<"$run/start.txt")"
  if ((stopped)); then
    return 1
  elif [[ ! -e $run/config.toml ]]; then
    lasting "$@" >"$run/words.txt"
    train "$leg" "$config" --run "$run" --total-minutes "$minutes" "${init[@]}" \
      --set "seed=$((SRANDOM % 1000000000 + 1))" "${settings[@]}"
  else
    say_changes "$leg" "$@"
    train "$leg" --resume "$run" --total-minutes "$minutes"
  fi || { state[$leg]="failed: $(tail -1 "$run/output.txt")"; return 1; }
  ((stopped == 0)) || return 1
  find_end "$run" "$start"
  end="$(gap "$name" "$run/$(end_of "$run")")$costs"
  ((stopped == 0)) || return 1
  if [[ $end == *failed* ]]; then # the next call measures again
    rm -f "$run/end.txt"
    state[$leg]="failed: measuring its end, see errors.txt: $end"
    return 1
  fi
  printf 'start %s, end %s, %.1f min\n' "$(<"$run/start.txt")" "$end" "$(minutes_done "$run")" >"$run/result.txt"
  find "$run/checkpoints" -name 'batch-*' -print0 | sort -zV | head -z -n -1 | xargs -0r rm
  state[$leg]=$(<"$run/result.txt")
}

build
failures=0
for ((number = 1; ; number++)); do
  read -r -a words < <(legs | sed -n "${number}p") || break
  leg=$(printf '%02d-%s' "$number" "${words[0]}")
  order+=("$leg")
  state[$leg]="measuring the start"
  write_status "working"
  if [[ -e $folder/$leg/result.txt ]]; then
    state[$leg]=$(<"$folder/$leg/result.txt")
  elif ! run_leg "$leg" "${words[@]}"; then
    ((stopped)) && break
    failures=$((failures + 1))
  fi
done
if ((stopped)); then
  state[$leg]+="; stopped after $(minutes_done "$folder/$leg") min"
  write_status "stopped"
  exit 130
fi
write_status "done"
((failures == 0)) || exit 3
