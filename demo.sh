#!/usr/bin/env bash
# Solves a TSP and a CVRP with 100 nodes, compares the answers with the best known ones and draws them.
# Usage: ./demo.sh [FOLDER for the results]
set -euo pipefail
cd "$(dirname "$0")"
source scripts/setup.sh

# The solver alone: the trainer would take longer to install and build than the rest together.
install_packages "${solver_packages[@]}"
configure_options+=(-DNEUOPT_TRAIN=OFF -DNEUOPT_TESTS=OFF -DNEUOPT_BENCH=OFF)
build_preset release neuopt

out=${1:-demo}
mkdir -p "$out"

# solve INSTANCE SOLUTION: INSTANCE is examples/NAME.tsp or .vrp, SOLUTION the best known one beside it.
solve() {
  local instance=$1 known=$2 name ending reference
  name=$(basename "${instance%.*}")
  ending=${known##*.}
  reference=$(build/neuopt verify "$instance" "$known" --json | sed -n 's/^  "cost": \([0-9.e+-]*\),$/\1/p')
  echo
  build/neuopt solve "$instance" --time-limit 6 --reference "$reference" \
    --output "$out/$name.$ending" --svg "$out/$name.svg"
  build/neuopt verify "$instance" "$out/$name.$ending" >/dev/null
  echo "The picture is $out/$name.svg"
}

solve examples/tsp100.tsp examples/tsp100.tour
solve examples/cvrp100.vrp examples/cvrp100.sol
