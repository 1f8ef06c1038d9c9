#!/usr/bin/env bash
# Solves random instances of all kinds with random options and short limits, and checks every answer: exit code, the
# verifier's word, and the time. Some runs are interrupted. One in six has a large shaped CVRP or VRPTW, mostly with a
# bound on the vehicles, which may be too low: then more routes and exit code 1 are right.
#
#   scripts/soak.sh [OPTION VALUE]...
#     --program FILE   neuopt [build/neuopt]
#     --runs N         instances [60]
#     --seed S         of all that is drawn [1]
#     --least N        nodes [5]
#     --most N         nodes [3000]; explicit matrices have 1,200 at most
#     --large N        nodes of the large ones at most; 0: there are none [20000]
#     --bound S        seconds that an answer may come after its limit [0.1; 0.5 above 10,000 nodes]
#     --interrupt S    seconds within which an interrupt is answered [0.3]
#     --device D       auto, cpu or cuda [auto]
#     --keep FOLDER    where files of runs that went wrong are kept [none]
# Exit codes: 0 all is well, 1 something was wrong, 2 bad usage.
set -euo pipefail
export LC_ALL=C
source "$(dirname "$0")/options.sh"
source "$(dirname "$0")/random_instances.sh"

declare -A option=([program]=build/neuopt [runs]=60 [seed]=1 [least]=5 [most]=3000 [large]=20000 [bound]=''
  [interrupt]=0.3 [device]=auto [keep]='')
read_options "$@"
program=${option[program]}
[[ -x $program ]] || complain 2 "$program is no program"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
RANDOM=${option[seed]}

compute() { awk "BEGIN { printf \"%.3f\", ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }

# Sizes of every order are equally likely: most instances are small, as they are outside.
draw_size() { # from $1 to $2
  draw 1000
  size=$(awk "BEGIN { print int($1 * ($2 / $1) ^ ($drawn / 999)) }")
}

draw_instance() {
  vehicles='' starts='auto auto auto greedy curve random'
  draw 6
  if [[ $drawn -eq 0 && ${option[large]} -gt 0 ]]; then
    draw_large
    return
  fi
  draw_size "${option[least]}" "${option[most]}"
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

# The bound on the vehicles is drawn around the number that the demands need.
draw_large() {
  draw_size $((option[large] < 1000 ? option[large] : 1000)) "${option[large]}"
  pick cvrp vrptw && problem=$picked
  metric=EXACT_2D shape=--shaped file=$folder/soak.vrp starts='auto greedy curve random random'
  draw 100000
  "$program" generate "$problem" --size "$size" $shape --seed "$drawn" --output "$file"
  local least
  least=$(awk '/^CAPACITY/ { capacity = $NF } /^[A-Z]/ { reading = /^DEMAND_SECTION/; next }
    reading { sum += $2 } END { print int(sum / capacity) + 1 }' "$file")
  pick '' 1 "$least" $((least * 11 / 10 + 1)) $((least * 3 / 2 + 1)) $((least * 3)) && vehicles=$picked
}

draw_options() {
  draw 1800 && limit=$(compute "0.2 + $drawn / 1000")
  draw 100000
  options=(--time-limit "$limit" --seed "$drawn" --device "${option[device]}")
  pick model none none && options+=(--policy "$picked")
  [[ $picked == none ]] || { pick '' '' '--polish 0' '--polish 1' '--stall 0' '--restart 0' && options+=($picked); }
  pick $starts && options+=(--start "$picked")
  [[ ! $vehicles ]] || options+=(--vehicles "$vehicles")
  pick 1 2 8 16 64 && options+=(--augment "$picked")
  pick 0 1 2 && options+=(--threads "$picked")
  pick '' '' '--steps 50' '--patience 200' && options+=($picked)
  interrupt=''
  draw 5
  # Before that it may not listen yet: processes in the background of a script ignore INT, and TERM just ends them.
  [[ $drawn -ne 0 ]] || { draw 1000 && interrupt=$(compute "0.15 + ($limit - 0.15) * $drawn / 1000"); }
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
  local bound=()
  [[ ! $vehicles || $status -eq 1 ]] || bound=(--vehicles "$vehicles")
  if [[ $status -ne 0 && ! ($vehicles && $status -eq 1) ]]; then
    wrong="exit code $status: $(tail -n 1 "$folder/notes")"
  elif ! "$program" verify "$file" "$answer" "${bound[@]}" >"$folder/verdict" 2>&1; then
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
