#!/usr/bin/env bash
# Makes the pictures of docs/gallery.md anew. Usage: scripts/make_gallery.sh [PROGRAM]
#
# Taken from the environment, all optional: CVRP_MODEL and TSP_MODEL (files or bundled names; else the bundled ones),
# SET (a test set with known costs for the gap; else a generated one, which shows costs), RUN (a training run).
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/neuopt}")
images=docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cvrp_model=(${CVRP_MODEL:+--model "$CVRP_MODEL"})
tsp_model=(${TSP_MODEL:+--model "$TSP_MODEL"})
neuopt() { "$program" "$@"; }

# The commands below are those of docs/gallery.md, but for the folders.
neuopt generate cvrp --size 100 --seed 7 --output "$work/city.vrp"
neuopt generate tsp --size 100 --seed 7 --output "$work/towns.tsp"
neuopt solve "$work/city.vrp" "${cvrp_model[@]}" --steps 2000 --svg $images/solution-cvrp.svg \
  --output "$work/city.sol" --quiet
neuopt solve "$work/towns.tsp" "${tsp_model[@]}" --steps 2000 --svg $images/solution-tsp.svg \
  --output "$work/towns.tour" --quiet

neuopt generate cvrp --size 50 --seed 7 --output "$work/town.vrp"
neuopt solve "$work/town.vrp" "${cvrp_model[@]}" --steps 1000 --augment 4 --trace "$work/search.jsonl" \
  --output "$work/town.sol" --quiet
neuopt plot trajectory "$work/search.jsonl" --last 100 --output $images/trajectory.svg
neuopt plot k "$work/search.jsonl" --output $images/exchanges.svg
neuopt plot infeasible "$work/search.jsonl" --output $images/infeasible.svg

set_file=${SET:-$work/set.npz}
[[ -n ${SET:-} ]] || neuopt generate cvrp --size 20 --count 100 --seed 1 --output "$set_file"
for copies in 1 5; do
  neuopt eval "$set_file" "${cvrp_model[@]}" --limit 100 --steps 1000 --curve 20,50,100,200,500,1000 \
    --augment $copies --json --quiet >"$work/eval-$copies.json"
done
neuopt plot gap "$work/eval-1.json" "$work/eval-5.json" --output $images/gap.svg
if [[ -n ${RUN:-} ]]; then neuopt plot training "$RUN" --output $images/training.svg; fi

if command -v chromium >/dev/null && [[ -d viewer/test/node_modules/playwright-core ]]; then
  neuopt solve "$work/town.vrp" "${cvrp_model[@]}" --steps 200 --augment 1 --trace "$work/replay.jsonl" --trace-tours \
    --output "$work/town.sol" --quiet
  node viewer/test/screenshots.mjs "$program" "${CVRP_MODEL:-}" "$work/town.vrp" "$work/replay.jsonl" "$images"
else
  echo "no screenshots: run scripts/test_viewer.sh once, it installs the browser"
fi
