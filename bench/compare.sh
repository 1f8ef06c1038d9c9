#!/usr/bin/env bash
# Compares the speed of two programs in one run, in turns, and prints the ratio of the best of each.
#   bench/compare.sh BEFORE AFTER [cpu|cuda|train]...
# ROUNDS (default 3) counts the turns. cpu: steps per second of a core's time; cuda: instance-steps per second of large
# batches (COPIES, STEPS reduce them); train: milliseconds of a search step with learning.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ $# -ge 2 ]] || { sed -n '2,5p' "$0" >&2; exit 2; }
before=$1 after=$2
shift 2
kinds=("${@:-cpu}")
rounds=${ROUNDS:-3}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# Lines "NAME VALUE" of what a program measures, more being better.
measure() { # PROGRAM KIND
  case $2 in
    cpu) "$1" bench cpu --threads 1 --size 20 100 --seconds 1 --json | fields batch_per_core_second ;;
    cuda) "$1" bench cuda --copies "${COPIES:-10000}" --steps "${STEPS:-300}" --json | fields instance_steps_per_second ;;
    train)
      local name
      for name in tsp20 tsp100 cvrp20 cvrp100; do
        "$1" bench train configs/$name.toml --steps 60 --json |
          awk -F'[:,]' -v name=$name '/"milliseconds_per_step"/ { print "train-" name, 1000 / $2 }'
      done
      ;;
    *) echo "bench/compare.sh: $2, expected cpu, cuda or train" >&2; exit 2 ;;
  esac
}
# From the rows of a JSON report, one entry on a line.
fields() {
  awk -F'[:,]' -v wanted="\"$1\"" '
    { gsub(/[ "]/, "", $2) }
    /"problem"/ { problem = $2 }
    /"size"/ { size = $2 }
    index($0, wanted) { print problem "-" size, $2 }'
}

for ((round = 0; round < rounds; ++round)); do
  for kind in "${kinds[@]}"; do
    measure "$before" "$kind" >>"$results/before"
    measure "$after" "$kind" >>"$results/after"
  done
done
awk '
  { if ($2 > best[FILENAME, $1]) best[FILENAME, $1] = $2 }
  !seen[$1]++ { names[++count] = $1 }
  END {
    printf "%-16s %14s %14s %8s\n", "per second", "before", "after", "ratio"
    for (i = 1; i <= count; ++i) {
      b = best[ARGV[1], names[i]]; a = best[ARGV[2], names[i]]
      printf "%-16s %14.1f %14.1f %8.3f\n", names[i], b, a, (b > 0 ? a / b : 0)
    }
  }' "$results/before" "$results/after"
