#!/usr/bin/env bash
# A tiny training run is killed at random moments and continued until it is done, and then is what a run is that was left
# alone: models, checkpoints and log to the last bit, but for the times. `prepare` makes those runs; a number is one run
# that is killed. Prints its line of results. Called by scripts/campaign.sh.
set -uo pipefail
source "$source/scripts/random_instances.sh"
kinds=(tsp cvrp groups)

settings() { # of the kind $1
  local few='epochs=6 batches_per_epoch=3 dim=16 feed_forward=16 layers=1 batch=8 steps=6 chunk=2 size=8 threads=1
    device=cpu checkpoint_interval=1 validation_count=4 validation_steps=3 validation_interval=4'
  case $1 in
    tsp) echo $few problem=tsp more_sizes=10 ;;
    cvrp) echo $few problem=cvrp shaped=0.5 average=3 ;;
    groups) echo $few problem=cvrp algorithm=groups group=4 horizon=3 rows=32 minibatches=2 average=3 ;;
  esac
}
begin() { # a run of the kind $1 in the folder $2
  local arguments=() setting
  for setting in $(settings "$1"); do arguments+=(--set "$setting"); done
  OMP_NUM_THREADS=1 exec "$programs/neuopt" train "$source/configs/tsp20.toml" --run "$2" --quiet "${arguments[@]}"
}
resume() { OMP_NUM_THREADS=1 exec "$programs/neuopt" train --resume "$1" --quiet; }

# What must be the same: a log without its times, and a file of tensors behind its length, without times and what sums up
# all of it.
canonical_log() { sed -E 's/"[a-z_]*(seconds|_per_step)":[^,}]*,?//g' "$1"; }
canonical_tensors() {
  tail -c +9 "$1" | sed -E '1s/"(checksum|seconds|provenance\.(date|training_seconds))":"[^"]*",?//g; 1s/\}\} *//'
}
same() { # the runs $1 and $2
  local file
  diff <(cd "$1" && find . -type f | sort) <(cd "$2" && find . -type f | sort) || return
  for file in $(cd "$1" && find . -name '*.safetensors'); do
    cmp <(canonical_tensors "$1/$file") <(canonical_tensors "$2/$file") || return
  done
  diff <(canonical_log "$1/log.jsonl") <(canonical_log "$2/log.jsonl")
}

if [[ $1 == prepare ]]; then
  for kind in "${kinds[@]}"; do
    [[ ! -e $out/whole-$kind.seconds ]] || continue
    rm -rf "$out/whole-$kind"
    started=$EPOCHREALTIME
    (begin "$kind" "$out/whole-$kind") >"$out/whole-$kind.log" 2>&1 || exit 1
    awk "BEGIN { print $EPOCHREALTIME - $started }" >"$out/whole-$kind.seconds"
  done
  exit 0
fi

RANDOM=$((seed * 7919 + $1))
pick "${kinds[@]}" && kind=$picked
run=$out/run-$1 log=$out/run-$1.log
whole=$(<"$out/whole-$kind.seconds")
rm -rf "$run"
: >"$log"

# A moment of the process $1: while it starts, or somewhere around a batch. By what the log says, as the load of the
# machine changes.
wait_for_moment() {
  local share=4
  draw 4
  if [[ $drawn -ne 0 ]]; then
    draw 18 && local batches=$drawn
    share=18
    while kill -0 "$1" 2>/dev/null && [[ $(grep -cs '"event":"batch"' "$run/log.jsonl") -lt $batches ]]; do sleep 0.01; done
  fi
  draw 1000
  sleep "$(awk "BEGIN { print $whole / $share * $drawn / 1000 }")"
}

draw 3
turns=$((drawn + 1)) kills=0
for ((turn = 0; turn < turns; ++turn)); do
  if [[ -e $run/config.toml ]]; then (resume "$run") >>"$log" 2>&1 & else (begin "$kind" "$run") >>"$log" 2>&1 & fi
  process=$!
  wait_for_moment $process
  kill -KILL "$process" 2>>"$log"
  wait "$process" 2>>"$log"
  [[ $? -ne 137 ]] || ((++kills)) # else it was done already
done
if [[ -e $run/config.toml ]]; then (resume "$run") >>"$log" 2>&1; else (begin "$kind" "$run") >>"$log" 2>&1; fi
status=$?
if [[ $status -ne 0 ]]; then
  echo "failed $1 $kind kills $kills, exit code $status: see $log"
elif ! same "$out/whole-$kind" "$run" >>"$log" 2>&1; then
  echo "failed $1 $kind kills $kills, not the same: see $log"
else
  echo "passed $1 kills $kills, $kind"
  rm -rf "$run" "$log"
fi
