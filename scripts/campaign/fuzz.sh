#!/usr/bin/env bash
# One fuzz target for $seconds. Prints its line of results. Called by scripts/campaign.sh.
set -uo pipefail
name=$1
mkdir -p "$out/corpus/$name" "$out/crashes"
log=$out/$name.log
$plain "$programs/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="$out/crashes/$name-" "$out/corpus/$name" "$source/fuzz/corpus/$name" >"$log" 2>&1
status=$?
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
if [[ $status -eq 0 ]]; then
  echo "passed $name executions ${executions:-0}"
else
  echo "failed $name executions ${executions:-0}, exit code $status: see $log"
fi
