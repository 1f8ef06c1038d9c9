#!/usr/bin/env bash
# How eval and training scale with the ranks of mpirun: everything in one run, in turns, the best of ROUNDS (3) each.
#   bench/scaling.sh NEUOPT [eval-cpu|eval-cuda|train-cpu|train-cuda]...
# NEUOPT: a program with neuopt-mpi beside it, for training with neuopt-train and neuopt-train-mpi as well. RANKS (1 2):
# how many. A rank of a CPU has one thread; ranks of cuda share the GPUs that are there. Rates are instance-steps in a
# second; the ratio is to the first line, where no rank is. For training each line has the same instances in an update:
# so many ranks share the batch.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ $# -ge 1 && -x $1 ]] || { sed -n '3,8p' "$0" >&2; exit 2; }
program=$(readlink -f "$1")
shift
kinds=("${@:-eval-cpu}")
read -r -a ranks <<<"${RANKS:-1 2}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

on_ranks() { # COUNT COMMAND...; 0: without mpirun
  if [[ $1 -eq 0 ]]; then "${@:2}"; else mpirun --oversubscribe --bind-to none -n "$1" "${@:2}"; fi
}

# What they print is a rate, more being better.
run_eval() { # RANKS OPTIONS...
  on_ranks "$1" "$program" eval "$folder/set.npz" --quiet --json "${@:2}" |
    awk -F'[:,]' '/"instance_steps_per_second"/ { print $2 }'
}
run_training() { # RANKS EXCHANGE CONFIG OPTIONS...
  local batch share
  batch=$(awk '$1 == "batch" { print $3 }' "$3")
  [[ " ${*:4} " =~ \ batch=([0-9]+)\  ]] && batch=${BASH_REMATCH[1]}
  share=$((batch / ($1 > 0 ? $1 : 1)))
  rm -rf "$folder/run"
  on_ranks "$1" "$program" train "$3" --quiet --run "$folder/run" --exchange "$2" "${@:4}" --set batch=$share \
    >"$folder/train.txt" 2>&1 || { cat "$folder/train.txt" >&2; return 3; }
  awk -v batch="$batch" -F'[:,{}]' '/"event":"batch"/ {
    for (i = 1; i < NF; ++i) { gsub(/"/, "", $i); value[$i] = $(i + 1) }
    rate = batch * (value["steps"] + value["curriculum_steps"]) / value["seconds"]
    if (rate > best) best = rate
  } END { print best }' "$folder/run/log.jsonl"
}

# Lines "NAME<tab>RANKS<tab>RATE" for one turn of a kind.
turn() {
  local count exchange
  case $1 in
    eval-cpu)
      for count in 0 "${ranks[@]}"; do
        printf '%s\t%s\t%s\n' eval "$count" "$(run_eval "$count" --device cpu --threads 1 --steps "${STEPS:-100}")"
      done
      ;;
    eval-cuda)
      for count in 0 "${ranks[@]}"; do
        printf '%s\t%s\t%s\n' eval "$count" "$(run_eval "$count" --device cuda --steps "${STEPS:-1000}")"
      done
      ;;
    train-*)
      local options=(--device "${1#train-}" --set epochs=1 --set batches_per_epoch=4 --set validation_count=4
        --set validation_steps=[5] --set steps=40)
      [[ $1 == *cuda ]] || options+=(--set threads=1 --set batch=64)
      printf '%s\t0\t%s\n' train "$(run_training 0 auto "$config" "${options[@]}")"
      [[ $1 == *cpu ]] ||
        printf '%s\t0\t%s\n' "without graphs" "$(run_training 0 auto "$config" "${options[@]}" --set graphs=false)"
      for count in "${ranks[@]}"; do
        for exchange in ${EXCHANGES:-auto mpi}; do
          printf '%s\t%s\t%s\n' "$exchange" "$count" "$(run_training "$count" "$exchange" "$config" "${options[@]}")"
        done
      done
      ;;
    *) echo "bench/scaling.sh: $1, expected eval-cpu, eval-cuda, train-cpu or train-cuda" >&2; exit 2 ;;
  esac
}

for kind in "${kinds[@]}"; do
  case $kind in
    eval-cpu) "$program" generate tsp --size 100 --count "${COUNT:-256}" --seed 1 --output "$folder/set.npz" >/dev/null ;;
    eval-cuda) "$program" generate tsp --size 100 --count "${COUNT:-20000}" --seed 1 --output "$folder/set.npz" >/dev/null ;;
  esac
  config=${CONFIG:-configs/tsp20.toml}
  [[ $kind == *cuda ]] && config=${CONFIG:-configs/tsp100.toml}
  : >"$folder/rates"
  for ((round = 0; round < ${ROUNDS:-3}; ++round)); do turn "$kind" >>"$folder/rates"; done
  echo "$kind, best of ${ROUNDS:-3}"
  awk -F'\t' '
    { name = $1 FS $2; if (!seen[name]++) names[++count] = name; if ($3 > best[name]) best[name] = $3 }
    END {
      printf "  %-16s %5s %14s %8s %12s\n", "", "ranks", "per second", "ratio", "for a rank"
      for (i = 1; i <= count; ++i) {
        split(names[i], part, FS)
        ratio = best[names[i]] / best[names[1]]
        printf "  %-16s %5s %14.0f %8.3f %12.3f\n", part[1], part[2] == 0 ? "-" : part[2], best[names[i]], ratio,
          ratio / (part[2] == 0 ? 1 : part[2])
      }
    }' "$folder/rates"
done
