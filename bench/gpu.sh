#!/usr/bin/env bash
# Checks and measures the CUDA backend on a machine with a GPU and prints a short table last.
#   bench/gpu.sh [NEUOPT] [FOLDER]
# NEUOPT: a program built with CUDA; without it one is built in build-gpu. FOLDER: where golden/*.npz and datasets/*.npz
# are (default: ../shared beside the repository; without it only what needs no files is run).
# COPIES and STEPS reduce the benchmark; the results lie in the folder OUT (default: build-gpu/results).
set -uo pipefail
cd "$(dirname "$0")/.."

program=${1:-}
shared=${2:-../shared}
out=${OUT:-build-gpu/results}
copies=${COPIES:-10000}
steps=${STEPS:-1000}
mkdir -p "$out"
if [[ -z $program ]]; then
  cmake -S . -B build-gpu -DCMAKE_BUILD_TYPE=Release -DNEUOPT_CUDA=ON -DNEUOPT_TRAIN=OFF -DNEUOPT_TESTS=OFF >"$out/build.log" &&
    cmake --build build-gpu --target neuopt -j >>"$out/build.log" || { tail -20 "$out/build.log"; exit 3; }
  program=build-gpu/neuopt
fi

rows=()
failures=0
# row NAME RESULT COMMENT
row() {
  rows+=("$(printf '%-34s %-8s %s' "$1" "$2" "${3:-}")")
  [[ $2 == FAILED ]] && failures=$((failures + 1))
  echo "== ${rows[-1]}"
}
# Every mean cost in what eval --json printed.
mean_costs() { tr ',{' '\n\n' | sed -n 's/.*"mean_cost": *\([0-9.]*\).*/\1/p'; }
within() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= t) }'; }

# 1. Recorded traces, in both precisions.
for precision in fp32 fp16; do
  for trace in "$shared"/golden/*_d*.npz tests/data/golden/*.npz; do
    [[ -e $trace ]] || continue
    [[ $precision == fp16 && $trace != *_d128* ]] && continue
    name="check $(basename "$trace" .npz) $precision"
    if "$program" check "$trace" --backend cuda --precision $precision >"$out/check.txt" 2>&1; then
      row "$name" passed "embeddings $(awk '$1 == "embeddings" { print $2 }' "$out/check.txt")"
    else
      row "$name" FAILED
    fi
    cat "$out/check.txt"
  done
done

# 2. The authors' early weights end to end: mean best cost after 100 and 300 steps beside their figures.
end_to_end() { # PROBLEM TOLERANCE AT100 AT300 PRECISION
  local weights="$shared/golden/weights_$1_early.npz" set="$shared/datasets/$1.npz" result="$out/eval_$1_$5.json"
  [[ -e $weights && -e $set ]] || return
  "$program" import "$weights" --output "$out/$1_early.safetensors" >/dev/null 2>&1
  "$program" eval "$set" --model "$out/$1_early.safetensors" --steps 300 --curve 100,300 --no-augment --device cuda \
    --precision "$5" --json --quiet >"$result"
  local costs
  mapfile -t costs < <(mean_costs <"$result" | tail -2)
  local verdict=passed
  { within "${costs[0]:-}" "$3" "$2" && within "${costs[1]:-}" "$4" "$2"; } || verdict=FAILED
  row "$1 early weights $5" $verdict "${costs[0]:-?} / ${costs[1]:-?}, authors $3 / $4 (tolerance $2)"
}
for precision in fp16 fp32; do
  end_to_end tsp20 0.015 3.979 3.898 $precision
  end_to_end cvrp20 0.045 7.613 7.202 $precision
done

# 3. The shipped models on 1,000 instances: the mean best cost of the fast precision beside the CPU's, within 0.05 %.
mean_cost() { "$program" eval "$1" --steps 300 --device "$2" --json --quiet | mean_costs | tail -1; } # SET DEVICE
for problem in tsp cvrp; do
  "$program" generate $problem --size 50 --count 1000 --seed 6 --output "$out/$problem.npz" >/dev/null
  on_gpu=$(mean_cost "$out/$problem.npz" cuda) on_cpu=$(mean_cost "$out/$problem.npz" cpu)
  verdict=passed
  within "$on_gpu" "$on_cpu" "$(awk -v c="${on_cpu:-0}" 'BEGIN { print 0.0005 * c }')" || verdict=FAILED
  row "$problem-50, GPU beside CPU" $verdict "${on_gpu:-?} / ${on_cpu:-?}"
done

# 4. The same seed twice.
"$program" generate cvrp --size 50 --count 500 --seed 5 --output "$out/set.npz" >/dev/null
model=()
[[ -e $out/cvrp20_early.safetensors ]] && model=(--model "$out/cvrp20_early.safetensors")
for i in 1 2; do
  "$program" eval "$out/set.npz" "${model[@]}" --steps 200 --device cuda --quiet --output "$out/same$i.jsonl" >/dev/null
done
if [[ -s $out/same1.jsonl ]] && cmp -s "$out/same1.jsonl" "$out/same2.jsonl"; then
  row "same seed, same answer" passed
else
  row "same seed, same answer" FAILED
fi

# 5. The sanitizer on small runs: one instance to a block, several (more instances than multiprocessors), and the blocks
# for more than 128 nodes.
sanitize() { # TOOL PRECISION NAME SET OPTIONS...
  local report="$out/$1-$2-$3.txt"
  if compute-sanitizer --tool "$1" --error-exitcode 9 "$program" eval "$4" "${@:5}" --device cuda --precision "$2" \
    --quiet >"$report" 2>&1; then
    row "$1 $2 $3" passed
  else
    row "$1 $2 $3" FAILED "see $report"
  fi
}
if command -v compute-sanitizer >/dev/null; then
  "$program" generate tsp --size 200 --count 10 --seed 5 --output "$out/large.npz" >/dev/null
  for tool in memcheck racecheck; do
    sanitize $tool fp16 small "$out/set.npz" "${model[@]}" --limit 20 --steps 5
    sanitize $tool fp16 many "$out/set.npz" "${model[@]}" --limit 400 --steps 2
    sanitize $tool fp16 large "$out/large.npz" --steps 2
    sanitize $tool fp32 small "$out/set.npz" "${model[@]}" --limit 10 --steps 2
  done
else
  row "compute-sanitizer" skipped "not installed"
fi

# 6. Speed.
if "$program" bench cuda --copies "$copies" --steps "$steps" >"$out/bench.txt" 2>&1; then
  row "bench cuda" passed "see $out/bench.txt"
else
  row "bench cuda" FAILED "see $out/bench.txt"
fi
cat "$out/bench.txt"

echo
echo "$("$program" --version), $(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)"
printf '%s\n' "${rows[@]}"
sed -n '/^batch /,$p' "$out/bench.txt"
exit $((failures > 0))
