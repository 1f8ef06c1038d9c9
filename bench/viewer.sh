#!/usr/bin/env bash
# What watching costs: processor time of a search step in `neuopt solve`, in the viewer without a page, and in the viewer
# with one page that reads every event. Processor time, not the clock: it means the same on a busy machine.
# Usage: bench/viewer.sh PROGRAM MODEL INSTANCE [COPIES] [STEPS] [ROUNDS]; needs curl.
set -euo pipefail
program=$1 model=$2 instance=$3 copies=${4:-8} steps=${5:-2000} rounds=${6:-5}
work=$(mktemp -d)
viewer='' page=''
trap 'kill $viewer $page 2>/dev/null || true; rm -rf "$work"' EXIT

# Clock ticks of the processor that a process has used, all its threads together.
ticks() { awk '{print $14 + $15}' "/proc/$1/stat"; }

# Microseconds of processor time for a step of one copy: the difference of two runs, so that loading does not count.
measure_solve() {
  local seconds=() count
  for count in "$steps" 1; do
    seconds+=("$({ TIMEFORMAT='%U %S'; time "$program" solve "$instance" --model "$model" --augment "$copies" \
      --steps "$count" --threads 1 --output "$work/out" --quiet >/dev/null; } 2>&1 | awk '{print $1 + $2}')")
  done
  awk -v a="${seconds[0]}" -v b="${seconds[1]}" -v n=$((steps * copies)) 'BEGIN {printf "%.2f\n", 1e6 * (a - b) / n}'
}

# The same in the viewer; $1: with a page or without.
measure_viewer() {
  local url before after
  rm -f "$work/url"
  "$program" view "$instance" --model "$model" --threads 1 >"$work/url" &
  viewer=$!
  until [[ -s $work/url ]]; do sleep 0.05; done
  url=$(<"$work/url")
  if [[ $1 == page ]]; then
    curl -sN "${url}events" >"$work/events" &
    page=$!
  fi
  curl -s -d '{"steps":1,"copies":'"$copies"'}' "${url}start" >/dev/null
  wait_done "$url" 1
  before=$(ticks $viewer)
  curl -s -d '{"steps":'"$steps"',"copies":'"$copies"'}' "${url}start" >/dev/null
  wait_done "$url" "$steps"
  after=$(ticks $viewer)
  kill $viewer
  wait $viewer || true
  if [[ $1 == page ]]; then
    wait $page || true
    frames=$(grep -c '^event: frame' "$work/events")
  fi
  viewer='' page=''
  awk -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" -v n=$((steps * copies)) \
    'BEGIN {printf "%.2f\n", 1e6 * t / hz / n}' >"$work/result"
}

# Looks once a second, by an event stream that is closed at once.
wait_done() {
  until { curl -sN --max-time 0.5 "${1}events" || true; } | grep "\"phase\":\"done\",.*\"steps\":$2," >/dev/null; do
    sleep 1
  done
}

echo "microseconds of processor time for each step of a copy: solve, viewer alone, viewer with a page, frames sent"
for ((round = 0; round < rounds; ++round)); do
  plain=$(measure_solve)
  frames=0
  measure_viewer alone
  alone=$(<"$work/result")
  measure_viewer page
  echo "$plain $alone $(<"$work/result") $frames" >>"$work/table"
  tail -1 "$work/table"
done
median() { awk -v c="$1" '{print $c}' "$work/table" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
awk -v a="$(median 1)" -v b="$(median 2)" -v c="$(median 3)" \
  'BEGIN {printf "medians %s %s %s: the viewer costs %+.1f %%, with a page %+.1f %%\n", a, b, c, 100 * (b / a - 1), 100 * (c / a - 1)}'
