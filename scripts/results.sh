#!/usr/bin/env bash
# Measures the rows of docs/results.md and writes it. Rows that are there already, with the model the program would take
# now and at least as many instances, are not measured again: the work can be done in parts and on several machines.
#
#   scripts/results.sh [OPTION VALUE]...
#     --program FILE      neuopt [build/neuopt]
#     --datasets FOLDER   uniform sets: tsp20.npz ... cvrp100.npz, with known costs [../shared/datasets]
#     --instances FOLDER  tsplib/*.tsp with optimal.txt, cvrplib/*.vrp with *.sol [../shared/instances]
#     --plans FOLDER      what to measure (*.csv) and the text around the tables (text.md) [docs/results]
#     --raw FOLDER        results as neuopt printed them, a file for each row [docs/results/raw]
#     --output FILE       the page; none when empty [docs/results.md]
#     --only PATTERN      rows whose names match, as in 'tsp*-a1-*' or 'X-n1*|kro*' [*]; 'none' makes the page alone
#     --device D          auto, cpu or cuda [auto]
#     --precision P       as of neuopt eval [what the device takes by itself]
#     --model M           a model file or a bundled name for all rows [the nearest bundled one]
#     --first N           only the first so many instances of each set, and at most so many runs
#     --steps T, --augment A   instead of the plan's, for trials; need --raw and --output of their own
#     --minutes M         rows that would not be done by then are left for another time
#     --machine TEXT      where this runs, to stand beside the device
#     --commit TEXT       of the program [from git]
# Exit codes: 0 done (also when rows were left for lack of time), 2 bad usage, 3 a row failed.
set -euo pipefail
started=$SECONDS
source "$(dirname "$0")/options.sh"
cd "$(dirname "$0")/.."

declare -A option=(
  [program]=build/neuopt [datasets]=../shared/datasets [instances]=../shared/instances [plans]=docs/results
  [raw]=docs/results/raw [output]=docs/results.md [only]='*' [device]=auto [precision]='' [model]='' [first]='' [steps]=''
  [augment]='' [minutes]='' [machine]='' [commit]=''
)
option_paths='program datasets instances plans raw output'
read_options "$@"
expect '([1-9][0-9]*)?' 'a whole number from 1' first steps augment minutes
if [[ -n ${option[steps]}${option[augment]} && ! (-v was_given[raw] && -v was_given[output]) ]]; then
  complain 2 "--steps and --augment are for trials: give --raw and --output of their own"
fi
program=${option[program]} raw=${option[raw]}
[[ -x $program ]] || complain 2 "no program at $program; build it first"
[[ -r ${option[plans]}/text.md ]] || complain 2 "no text.md in ${option[plans]}"
[[ -n ${option[commit]} ]] || option[commit]=$(git describe --always --dirty --exclude '*' 2>/dev/null || true)

work=$(mktemp -d)
stopped=0
trap 'rm -rf "$work"' EXIT
trap 'stopped=1' INT TERM

# The plans with --steps and --augment applied, in $work. Columns are found by name.
override_plan() { # FILE
  awk -F, -v OFS=, -v steps="${option[steps]}" -v augment="${option[augment]}" '
    NR == 1 { for (i = 2; i <= NF; i++) column[$i] = i }
    NR > 1 && NF { if (steps) $column["steps"] = steps; if (augment) $column["augment"] = augment }
    { print }' "$1" >"$work/$(basename "$1")"
}

# The rows of a plan: result input instances nodes augment steps, with blanks between.
plan_rows() { # FILE
  awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) column[$i] = i; next }
    NF { print $column["result"], $column["input"], $column["instances"], $column["nodes"], $column["augment"],
               $column["steps"] }' "$1"
}

# Seconds that a row takes, roughly: what docs/performance.md measured on a core and on a large GPU. Work grows with the
# copies and nodes; a GPU is not filled by few copies, and does without half precision above 256 nodes.
estimate() { # INSTANCES NODES AUGMENT STEPS
  awk -v copies=$(($1 * $3)) -v nodes="$2" -v steps="$4" -v device="$device" -v cores="$(nproc)" 'BEGIN {
    work = copies * nodes * steps
    if (device == "cuda") {
      step = nodes > 256 ? 0.002 : 0.0005
      by_work = work / (nodes > 256 ? 1e7 : 9e7)
      print int(1.5 + (by_work > step * steps ? by_work : step * steps))
    } else print int(1 + work / (105000 * cores))
  }'
}

# duration SECONDS: for people.
duration() {
  if (($1 < 120)); then
    echo "$1 s"
  elif (($1 < 7200)); then
    echo "$((($1 + 30) / 60)) min"
  else
    echo "$((($1 + 1800) / 3600)) h"
  fi
}

# The options of neuopt that say what a row is run on; fails when the input or its known cost is not there.
input_options() { # INPUT INSTANCES
  local folder=${option[datasets]} path known
  case $1 in
    *.tsp) folder=${option[instances]}/tsplib ;;
    *.vrp) folder=${option[instances]}/cvrplib ;;
  esac
  path=$folder/$1
  [[ -r $path ]] || { echo "results: no $path" >&2; return 1; }
  if [[ $1 != *.tsp && $1 != *.vrp ]]; then
    printf '%s\n' "$path" --limit "$2"
    return
  fi
  if [[ $1 == *.vrp ]]; then
    known=$(awk 'tolower($1) == "cost" { print $2 }' "${path%.vrp}.sol")
  else
    known=$(awk -v name="${1%.tsp}" '$1 == name { print $2 }' "$folder/optimal.txt")
  fi
  [[ -n $known ]] || { echo "results: no known cost of $path" >&2; return 1; }
  printf '%s\n' "$path" --runs "$2" --reference "$known"
}

# There already, by the model that would be taken now, with at least so many instances?
is_there() { # RESULT INSTANCES INPUT_OPTIONS...
  local file=$raw/$1.json wanted=$2 done
  shift 2
  [[ -s $file ]] || return 1
  done=$(field runs "$file")
  done=${done:-$(field instances "$file")}
  [[ ${done:-0} -ge $wanted ]] || return 1
  "$program" eval "$@" "${model[@]}" --steps 0 --device cpu --quiet --json >"$work/now.json" || true
  [[ $(field model_checksum "$file") == "$(field model_checksum "$work/now.json")" ]]
}

seconds_left() { echo $((option[minutes] * 60 - (SECONDS - started))); }

# Measures one row into its file. An interrupted run leaves none.
measure() { # RESULT AUGMENT STEPS INPUT_OPTIONS...
  local result=$1 augment=$2 steps=$3 code=0 limit=() extra=() quiet=()
  shift 3
  if [[ -n ${option[minutes]} ]]; then limit=(timeout --foreground --signal INT "$(seconds_left)"); fi
  if [[ -n ${option[machine]} ]]; then extra+=(--label "machine=${option[machine]}"); fi
  if [[ -n ${option[commit]} ]]; then extra+=(--label "commit=${option[commit]}"); fi
  if [[ -n ${option[precision]} ]]; then extra+=(--precision "${option[precision]}"); fi
  [[ -t 2 ]] || quiet=(--quiet)
  "${limit[@]}" "$program" eval "$@" "${model[@]}" --augment "$augment" --steps "$steps" --device "${option[device]}" \
    "${extra[@]}" "${quiet[@]}" --json >"$raw/$result.tmp" || code=$?
  # 1: some solutions are infeasible, which the table shows; 124: out of time. The file appears as a whole or not at all.
  if ((code <= 1)) && [[ $(field interrupted "$raw/$result.tmp") == false ]]; then
    mv "$raw/$result.tmp" "$raw/$result.json"
    return 0
  fi
  rm -f "$raw/$result.tmp"
  if ((code > 1 && code != 124)); then return 3; fi
  return 1
}

# 1. Which rows are to be measured, the shortest first.
mkdir -p "$raw"
device=${option[device]}
if [[ $device == auto ]] && nvidia-smi -L &>/dev/null; then device=cuda; fi # for the estimates
model=()
[[ -z ${option[model]} ]] || model=(--model "${option[model]}")
shopt -s extglob
pending=()
failed=0
for plan in "${option[plans]}"/*.csv; do
  override_plan "$plan"
  while read -r result input instances nodes augment steps; do
    # shellcheck disable=SC2053  # a pattern is meant
    [[ $result == @(${option[only]}) ]] || continue
    if [[ -n ${option[first]} ]] && ((option[first] < instances)); then instances=${option[first]}; fi
    if ! input_options "$input" "$instances" >"$work/input"; then
      failed=1
      continue
    fi
    mapfile -t arguments <"$work/input"
    is_there "$result" "$instances" "${arguments[@]}" && continue
    pending+=("$(estimate "$instances" "$nodes" "$augment" "$steps") $result $augment $steps $input $instances")
  done < <(plan_rows "$work/$(basename "$plan")")
done
total=0
if [[ ${#pending[@]} -gt 0 ]]; then
  mapfile -t pending < <(printf '%s\n' "${pending[@]}" | sort -n)
  for row in "${pending[@]}"; do total=$((total + ${row%% *})); done
  echo "results: ${#pending[@]} rows to measure on $device, about $(duration $total)" >&2
fi

# 2. Measure them.
count=0 left=0 remaining=$total
for row in "${pending[@]}"; do
  read -r expected result augment steps input instances <<<"$row"
  count=$((count + 1))
  if ((stopped)) || { [[ -n ${option[minutes]} ]] && (($(seconds_left) <= expected)); }; then
    left=$((left + 1))
    continue
  fi
  echo "results: [$count/${#pending[@]}] $result, about $(duration "$expected") of $(duration "$remaining")" >&2
  mapfile -t arguments < <(input_options "$input" "$instances")
  code=0
  measure "$result" "$augment" "$steps" "${arguments[@]}" || code=$?
  remaining=$((remaining - expected))
  case $code in
    0) echo "results:   gap $(field gap_percent "$raw/$result.json" | cut -c1-7) %," \
      "$(field seconds "$raw/$result.json" | cut -c1-6) s, model $(field model "$raw/$result.json")" >&2 ;;
    1) left=$((left + 1)) && echo "results:   interrupted" >&2 ;;
    *) failed=1 && echo "results:   $result failed" >&2 ;;
  esac
done
((left == 0)) || echo "results: $left rows are left for another time" >&2

# 3. The page: the text with its tables. A line "@table PLAN OPTIONS" becomes what 'neuopt table' prints.
if [[ -n ${option[output]} ]]; then
  while IFS= read -r line; do
    if [[ $line != "@table "* ]]; then
      printf '%s\n' "$line"
      continue
    fi
    read -r -a arguments <<<"${line#@table }"
    "$program" table "$work/${arguments[0]}" --results "$raw" "${arguments[@]:1}" || exit $?
  done <"${option[plans]}/text.md" >"$work/page.md"
  cp "$work/page.md" "${option[output]}"
  echo "results: wrote ${option[output]}" >&2
fi
exit $((failed * 3))
