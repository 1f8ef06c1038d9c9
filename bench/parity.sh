#!/usr/bin/env bash
# Checks the engine against recorded behaviour: the traces step by step, and the mean costs of two recorded sets of
# weights on whole test sets. Exit code 1 when anything is off.
# Usage: bench/parity.sh [FOLDER with golden/ and datasets/] [PROGRAM]
set -uo pipefail
cd "$(dirname "$0")/.."
data=${1:-../shared}
program=${2:-build/neuopt}
[[ -x $program ]] || { echo "parity: no program at $program; build it first" >&2; exit 2; }
[[ -d $data/golden && -d $data/datasets ]] || { echo "parity: $data has no golden/ and datasets/" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Step by step: every trace with every backend of this processor.
traces=()
for file in "$data"/golden/*.npz; do
  [[ $file == */weights_* ]] || traces+=("$file")
done
for backend in reference cpu; do
  echo "== neuopt check --backend $backend"
  "$program" check "${traces[@]}" --backend "$backend" || failed=1
done

# field FILE NAME: a number of a flat JSON object, one field a line.
field() { sed -n "s/^  \"$2\": \(-\{0,1\}[0-9.e+-]*\),\{0,1\}$/\1/p" "$1"; }

# row SET WEIGHTS SIZE STEPS EXPECTED TOLERANCE: the mean best cost of 1,000 instances without augmentation.
row() {
  local model=$work/$2.safetensors result=$work/result.json mean verdict=ok
  "$program" import "$data/golden/$2.npz" --size "$3" --output "$model" >/dev/null || { failed=1; return; }
  "$program" eval "$data/datasets/$1.npz" --model "$model" --steps "$4" --augment 1 --no-augment --quiet --json \
    >"$result" || { failed=1; return; }
  mean=$(field "$result" mean_cost)
  awk -v a="$mean" -v b="$5" -v t="$6" 'BEGIN { d = a - b; exit !(a != "" && d <= t && -d <= t) }' ||
    { verdict=OFF; failed=1; }
  printf '%-8s %4d steps  mean cost %.4f  expected %.3f +- %.3f  %s  (%.0f instance-steps/s)\n' \
    "$1" "$4" "$mean" "$5" "$6" "$verdict" "$(field "$result" instance_steps_per_second)"
}

echo "== neuopt eval, no augmentation"
row tsp20 weights_tsp20_early 20 100 3.979 0.012
row tsp20 weights_tsp20_early 20 300 3.898 0.012
row cvrp20 weights_cvrp20_early 20 100 7.613 0.04
row cvrp20 weights_cvrp20_early 20 300 7.202 0.04

[[ $failed -eq 0 ]] && echo "parity: all agree" || echo "parity: OFF"
exit "$failed"
