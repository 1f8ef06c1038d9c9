#!/usr/bin/env bash
# Solves random instances of all kinds with random options and short limits, and checks every answer: exit code, the
# verifier's word, and the time. Some runs are interrupted.
#
#   scripts/soak.sh [OPTION VALUE]...
#     --program FILE   neuopt [build/neuopt]
#     --runs N         instances [60]
#     --seed S         of all that is drawn [1]
#     --least N        nodes [5]
#     --most N         nodes [3000]; explicit matrices have 1,200 at most
#     --bound S        seconds that an answer may come after its limit [0.1; 0.5 above 10,000 nodes]
#     --interrupt S    seconds within which an interrupt is answered [0.3]
#     --device D       auto, cpu or cuda [auto]
#     --keep FOLDER    where files of runs that went wrong are kept [none]
# Exit codes: 0 all is well, 1 something was wrong, 2 bad usage.
set -euo pipefail
export LC_ALL=C
source "$(dirname "$0")/random_instances.sh"

complain() {
  echo "soak: $1" >&2
  exit 2
}

declare -A option=([program]=build/neuopt [runs]=60 [seed]=1 [least]=5 [most]=3000 [bound]='' [interrupt]=0.3
  [device]=auto [keep]='')
while [[ $# -gt 0 ]]; do
  name=${1#--}
  [[ $1 == --* && -v option[$name] ]] || complain "unknown option $1; the head of scripts/soak.sh lists them"
  [[ $# -ge 2 ]] || complain "$1 needs a value"
  option[$name]=$2
  shift 2
done
program=${option[program]}
[[ -x $program ]] || complain "$program is no program"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
RANDOM=${option[seed]}

compute() { awk "BEGIN { printf \"%.3f\", ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }

# Sizes of every order are equally likely: most instances are small, as they are outside.
draw_instance() {
  draw 1000
  size=$(awk "BEGIN { print int(${option[least]} * (${option[most]} / ${option[least]}) ^ ($drawn / 999)) }")
  pick tsp cvrp && problem=$picked
  pick EXACT_2D EUC_2D EUC_2D CEIL_2D MAN_2D MAX_2D EUC_3D GEO ATT EXPLICIT && metric=$picked
  [[ $metric != EXPLICIT || $size -le 1200 ]] || size=1200
  pick '' --shaped && shape=$picked
  [[ $problem == tsp ]] && file=$folder/soak.tsp || file=$folder/soak.vrp
  draw 100000
  "$program" generate "$problem" --size "$size" $shape --seed "$drawn" --output "$file"
  [[ $metric == EXACT_2D ]] && return
  with_metric "$file" "$metric" >"$file.new"
  mv "$file.new" "$file"
}

draw_options() {
  draw 1800 && limit=$(compute "0.2 + $drawn / 1000")
  draw 100000
  options=(--time-limit "$limit" --seed "$drawn" --device "${option[device]}")
  pick model none none && options+=(--policy "$picked")
  [[ $picked == none ]] || { pick '' '' '--polish 0' '--polish 1' '--stall 0' && options+=($picked); }
  pick auto auto auto greedy curve random && options+=(--start "$picked")
  pick 1 2 8 16 && options+=(--augment "$picked")
  pick 0 1 2 && options+=(--threads "$picked")
  pick '' '' '--restart 0' '--steps 50' '--patience 200' && options+=($picked)
  interrupt=''
  draw 5
  [[ $drawn -ne 0 ]] || { draw 1000 && interrupt=$(compute "$limit * $drawn / 1000"); }
}

# Solves and verifies; says in `wrong` what was wrong, and in `over` how long after its limit the answer came.
run_one() {
  wrong='' over=''
  local answer=$folder/answer status=0 begin end due
  rm -f "$answer"
  begin=$EPOCHREALTIME
  "$program" solve "$file" "${options[@]}" --output "$answer" >"$folder/text" 2>"$folder/notes" &
  local process=$!
  due=$limit
  if [[ $interrupt ]]; then
    sleep "$interrupt"
    due=$(compute "$EPOCHREALTIME - $begin")
    kill -s "$signal" "$process" 2>"$folder/gone" || due=$limit # it was done already
  fi
  wait "$process" || status=$?
  end=$EPOCHREALTIME
  over=$(compute "$end - $begin - $due")
  local allowed=${option[bound]}
  [[ $allowed ]] || { [[ $size -gt 10000 ]] && allowed=0.5 || allowed=0.1; }
  [[ ! $interrupt ]] || allowed=$(compute "$allowed > ${option[interrupt]} ? $allowed : ${option[interrupt]}")
  if [[ $status -ne 0 ]]; then
    wrong="exit code $status: $(tail -n 1 "$folder/notes")"
  elif ! "$program" verify "$file" "$answer" >"$folder/verdict" 2>&1; then
    wrong="not verified: $(tail -n 1 "$folder/verdict")"
  elif holds "$over > $allowed"; then
    wrong="answered $over s late"
  fi
}

failed=0
for ((run = 1; run <= option[runs]; ++run)); do
  draw_instance
  draw_options
  pick INT TERM && signal=$picked
  run_one
  echo "$over" >>"$folder/overshoot"
  [[ $wrong ]] || continue
  failed=$((failed + 1))
  echo "run $run: $problem $size $metric $shape ${options[*]} ${interrupt:+$signal after $interrupt s }: $wrong"
  [[ ! ${option[keep]} ]] || { mkdir -p "${option[keep]}" && cp "$file" "${option[keep]}/run$run.${file##*.}"; }
done
sort -g "$folder/overshoot" | awk -v failed="$failed" '
  { value[NR] = $1 }
  END {
    printf "%d runs, %d wrong; seconds after the limit: p50 %.3f, p99 %.3f, max %.3f\n", NR, failed,
      value[int((NR + 1) / 2)], value[int(0.99 * (NR - 1)) + 1], value[NR]
  }'
[[ $failed -eq 0 ]]
