#!/usr/bin/env bash
# Makes an instance, gives it a start solution, has it verified and draws it. Usage: ./demo.sh [FOLDER for the results]
set -euo pipefail
cd "$(dirname "$0")"
source scripts/setup.sh

install_packages
build_preset release neuopt

out=${1:-demo}
mkdir -p "$out"
set -x
build/neuopt generate cvrp --size 100 --seed 7 --output "$out/city.vrp"
build/neuopt start "$out/city.vrp" --output "$out/city.sol"
build/neuopt verify "$out/city.vrp" "$out/city.sol"
build/neuopt draw "$out/city.vrp" "$out/city.sol" --output "$out/city.svg"
{ set +x; } 2>/dev/null
echo "The picture is $out/city.svg"
