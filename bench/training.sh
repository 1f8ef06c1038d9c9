#!/usr/bin/env bash
# Checks and measures the trainer on a machine with a GPU and prints a short table last.
#   bench/training.sh [NEUOPT] [FOLDER]
# NEUOPT: a program built with LibTorch and CUDA; without it one is built in build-gpu (CMAKE_PREFIX_PATH must lead to
# LibTorch). FOLDER: where golden/*.npz and datasets/*.npz are (default: ../shared). Results lie in the folder OUT.
set -uo pipefail
cd "$(dirname "$0")/.."

program=${1:-}
shared=${2:-../shared}
out=${OUT:-build-gpu/results}
mkdir -p "$out"
if [[ -z $program ]]; then
  cmake -S . -B build-gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DNEUOPT_CUDA=ON -DNEUOPT_TRAIN=ON -DNEUOPT_TESTS=OFF \
    >"$out/build.log" && cmake --build build-gpu --target neuopt >>"$out/build.log" ||
    { tail -30 "$out/build.log"; exit 3; }
  program=build-gpu/neuopt
fi

rows=()
failures=0
# row NAME RESULT COMMENT
row() {
  rows+=("$(printf '%-30s %-8s %s' "$1" "$2" "${3:-}")")
  [[ $2 == FAILED ]] && failures=$((failures + 1))
  echo "== ${rows[-1]}"
}

# 1. Every quantity of a recorded rollout and update: in single precision with plain operations and with fused kernels,
# and in half precision, which exists for width 128.
for mode in "--plain" "" "--precision fp16"; do
  for trace in "$shared"/golden/*_d*.npz; do
    [[ -e $trace ]] || continue
    [[ $mode == *fp16 && $trace != *_d128.npz ]] && continue
    name="check --train $(basename "$trace" .npz) ${mode:-fused}"
    # shellcheck disable=SC2086
    if "$program" check --train "$trace" --device cuda $mode >"$out/check_train.txt" 2>&1; then
      row "$name" passed
    else
      row "$name" FAILED
      cat "$out/check_train.txt"
    fi
  done
done

# 2. A run that stops between batches and is resumed logs the same figures as one that never stopped.
short_run() { # BATCHES OPTIONS...
  "$program" train "${@:2}" --device cuda --set validation_count=50 --set epochs=1 --set batches_per_epoch="$1" \
    --set steps=20 >>"$out/resume.txt" 2>&1 || row "resume" FAILED "$(tail -1 "$out/resume.txt")"
}
rm -rf "$out"/resume_*
short_run 4 configs/cvrp20.toml --run "$out/resume_whole"
short_run 2 configs/cvrp20.toml --run "$out/resume_parts"
short_run 4 --resume "$out/resume_parts"
figures() { grep '"event":"batch"' "$1/log.jsonl" | grep -o '"[a-z_]*\(cost\|loss\|norm\)":[^,]*'; }
if [[ -n $(figures "$out/resume_whole") ]] && cmp -s <(figures "$out/resume_whole") <(figures "$out/resume_parts"); then
  row "resume, bit for bit" passed
else
  row "resume, bit for bit" FAILED
fi

# 3. The sanitizer on a recorded update in half precision. LibTorch's own kernels run under it too, hence the smallest.
if command -v compute-sanitizer >/dev/null && [[ -e $shared/golden/tsp20_d128.npz ]]; then
  for tool in memcheck racecheck; do
    timeout 300 compute-sanitizer --tool $tool --error-exitcode 9 --target-processes all "$program" check \
      --train "$shared/golden/tsp20_d128.npz" --device cuda --precision fp16 >"$out/train-$tool.txt" 2>&1
    case $? in
      0) row "$tool" passed ;;
      124) row "$tool" skipped "not done after 300 s" ;;
      *) row "$tool" FAILED "see $out/train-$tool.txt" ;;
    esac
  done
else
  row "compute-sanitizer" skipped "not installed, or no trace"
fi

# 4. The learning curve from scratch beside the authors' (first epoch of their settings). A run fails when the mean cost
# after 300 search steps is not below the bound: what was measured plus more than the swing from one validation to the
# next, and far below what an untrained policy reaches (7.7 and 11.6).
curve() { # CONFIG BATCHES BOUND AUTHORS
  rm -rf "$out/curve_$1"
  "$program" train "configs/$1.toml" --run "$out/curve_$1" --device cuda --set validation="$shared/datasets/$1.npz" \
    --set validation_interval=10 --set epochs=1 --set batches_per_epoch="$2" --set precision="${PRECISION:-auto}" \
    >"$out/curve_$1.txt" 2>&1 || row "learning curve $1" FAILED "$(tail -1 "$out/curve_$1.txt")"
  while read -r line; do row "learning curve $1" "" "$line"; done < <(grep '^validation' "$out/curve_$1.txt")
  local cost
  cost=$(grep "^validation after batch $2 " "$out/curve_$1.txt" | grep -o '[0-9.]* @300' | cut -d' ' -f1)
  if [[ -n $cost ]] && awk -v cost="$cost" -v bound="$3" 'BEGIN { exit !(cost < bound) }'; then
    row "learning curve $1" passed "$cost @300 after $2 batches, below $3"
  else
    row "learning curve $1" FAILED "${cost:-nothing} @300 after $2 batches, expected below $3"
  fi
  row "authors' curve $1" "" "$4"
}
curve tsp20 20 4.02 "4.066 @100 3.951 @300 after 10 batches, 3.979 / 3.898 after 20"
curve cvrp20 10 7.45 "7.613 @100 7.202 @300 after 10 batches"

# 5. Milliseconds for each search step and where they go.
for config in tsp20 tsp50 tsp100 tsp200 cvrp20 cvrp50 cvrp100 cvrp200; do
  "$program" bench train "configs/$config.toml" --set device=cuda --set precision="${PRECISION:-auto}" --steps 60 >"$out/bench_$config.txt" 2>&1 &&
    row "bench train $config" "" "$(head -1 "$out/bench_$config.txt")" || row "bench train $config" FAILED
  cat "$out/bench_$config.txt"
done

echo
printf '%s\n' "${rows[@]}"
exit $((failures > 0))
