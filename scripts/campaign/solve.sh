#!/usr/bin/env bash
# One random small instance of some kind, number $1, solved with random options. The answer must pass the verifier with
# the cost that was printed, and come again to the last byte with the same seed on other threads, in other batches and turns,
# when steps end the search. Prints its line of results. Called by scripts/campaign.sh.
set -uo pipefail
source "$source/scripts/random_instances.sh"
RANDOM=$((seed * 104729 + $1))
neuopt=$programs/neuopt
work=$out/run-$1
rm -rf "$work"
mkdir -p "$work"

# The nodes 1 and $2 of the file $1 change their names, so that the depot is not the first.
with_depot_at() {
  awk -v other="$2" '
    /^[A-Z]/ { section = $1 }
    section ~ /^(NODE_COORD|DEMAND|DEPOT)_SECTION/ && $1 == 1 { $1 = other; print; next }
    section ~ /^(NODE_COORD|DEMAND)_SECTION/ && $1 == other { $1 = 1 }
    { print }' "$1"
}

# Pieces of the path 1, 2, 3 ... of the tour of $2 nodes in the file $1 are fixed.
with_fixed_edges() {
  local node
  sed '/^EOF/d' "$1"
  echo FIXED_EDGES_SECTION
  for ((node = 1; node < $2; ++node)); do
    draw 4
    [[ $drawn -ne 0 || $node -eq $2-1 ]] || echo "$node $((node + 1))"
  done
  echo -1
  echo EOF
}

# A bound on the vehicles of the file $1, with $2 to spare over what the demands need.
with_vehicles() {
  awk -v spare="$2" '
    NR == FNR && /^CAPACITY/ { capacity = $NF }
    NR == FNR && /^DEMAND_SECTION/ { reading = 1; next }
    NR == FNR && reading && /^[A-Z]/ { reading = 0 }
    NR == FNR { if (reading) total += $2; next }
    /^CAPACITY/ { needed = int(total / capacity); print "VEHICLES: " needed + (needed * capacity < total) + spare }
    { print }' "$1" "$1"
}

rewrite() { # the instance, by the command that is given
  "$@" >"$file.new" && mv "$file.new" "$file"
}

draw_instance() {
  draw 60 && size=$((drawn + 1))
  pick tsp cvrp && problem=$picked
  pick EXACT_2D EUC_2D CEIL_2D MAN_2D MAX_2D EUC_3D GEO ATT EXPLICIT EXPLICIT set && metric=$picked
  pick '' --shaped && shape=$picked
  [[ $problem == tsp ]] && file=$work/one.tsp || file=$work/one.vrp
  draw 100000 && drawn_seed=$drawn
  what="$problem $size $metric $shape"
  bounded=''
  "$neuopt" generate "$problem" --size "$size" $shape --seed "$drawn_seed" --output "$file" || return
  if [[ $metric == set ]]; then
    pick 1 2 3
    "$neuopt" generate "$problem" --size "$size" $shape --seed "$drawn_seed" --count "$picked" --output "$work/set.npz"
    return
  fi
  if [[ $problem == cvrp ]]; then
    draw 4
    if [[ $drawn -eq 0 ]]; then draw "$size" && rewrite with_depot_at "$file" $((drawn + 2)) && what+=' depot'; fi
  fi
  pick FULL_MATRIX UPPER_ROW LOWER_ROW UPPER_DIAG_ROW LOWER_DIAG_ROW && format=$picked
  pick planar planar random
  [[ $metric == EXACT_2D ]] || rewrite with_metric "$file" "$metric" "$format" "$picked"
  [[ $metric != EXPLICIT ]] || what+=" $format $picked"
  draw 3
  [[ $drawn -eq 0 ]] || return 0
  if [[ $problem == tsp && $size -gt 3 ]]; then
    rewrite with_fixed_edges "$file" "$size" && what+=' fixed edges'
  elif [[ $problem == cvrp ]]; then
    pick 0 0 1 2 5
    rewrite with_vehicles "$file" "$picked" && what+=' vehicles' && bounded=1
  fi
}

draw_options() {
  draw 1000000
  options=(--seed "$drawn")
  pick 1 1 2 8 16 && options+=(--augment "$picked")
  draw 5
  if [[ $metric != set && $drawn -eq 0 ]]; then
    "$neuopt" start "$file" --method random --output "$work/first" && options+=(--initial "$work/first")
  else
    pick auto auto random greedy savings curve && options+=(--start "$picked")
    [[ $problem == cvrp || $picked != savings ]] || options[-1]=greedy
  fi
  pick '' '' '--patience 10' && options+=($picked)
  pick model model none && options+=(--policy "$picked")
  if [[ $picked == model ]]; then
    pick '' '' '--restart 0' '--restart 3' && options+=($picked)
    pick '' '' '--polish 0' '--polish 1' '--polish 7' && options+=($picked)
    pick '' '' '--by-parts yes' '--by-parts no' && options+=($picked)
    pick '' '' '--stall 0' '--stall 1' --no-augment && options+=($picked)
    pick '' '' '--precision fp32' && options+=($picked)
  fi
  repeated=1
  draw 8
  if [[ $drawn -eq 0 ]]; then
    draw 400 && options+=(--time-limit "0.$((drawn + 100))") && repeated=''
    pick '' '--steps 100000' && options+=($picked)
  else
    draw 150 && options+=(--steps "$drawn")
    pick '' '' '--time-limit 1000' && options+=($picked)
  fi
  if [[ $metric != set ]]; then
    pick '' '' '' "--svg $work/picture.svg" '--reference 4' '--target 3' "--trace $work/trace" "--trace $work/trace --trace-tours"
    # Without a policy, and by parts, there are no steps to be watched.
    [[ $picked == --trace* && ${options[*]} =~ --(policy none|by-parts yes) ]] || options+=($picked)
  fi
}

number() { sed -nE "s/^ *\"$1\": ([-+0-9.e]+),?$/\1/p" "$2" | head -n 1; }

# What is wrong with the answer, or nothing.
judge() {
  local input=$file answer=$work/answer checked=$work/answer status=0 verified=0
  [[ $metric != set ]] || { input=$work/set.npz answer=$work/answers/ checked=$work/answers/set-0; }
  pick 1 2 3
  timeout 300 "$neuopt" solve "$input" "${options[@]}" --threads "$picked" --output "$answer" --json >"$work/json" \
    2>"$work/notes" || status=$?
  [[ $metric != set ]] || checked=$(compgen -G "$checked.*")
  if [[ $status -ne 0 && ! ($status -eq 1 && $bounded) ]]; then
    echo "exit code $status: $(tail -n 1 "$work/notes")"
    return
  fi
  "$neuopt" verify "$file" "$checked" --json >"$work/verdict" 2>>"$work/notes" || verified=$?
  [[ $verified -eq $status ]] || { echo "solve ended with $status, verify with $verified" && return; }
  if [[ $metric != set ]]; then
    awk -v a="$(number cost "$work/json")" -v b="$(number cost "$work/verdict")" \
      'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (1e-9 * b) ^ 2) }' || { echo "the costs differ" && return; }
  fi
  [[ $repeated ]] || return 0
  pick 1 2 4 && local again=(--threads "$picked")
  pick 0 1 3 && again+=(--batch "$picked")
  # Some copies after the others, which needs steps alone to end the search.
  [[ ${options[*]} =~ --(target|patience|trace) ]] || { pick '' '--memory-limit 300k' && again+=($picked); }
  timeout 300 "$neuopt" solve "$input" "${options[@]}" "${again[@]}" --output "${answer/answer/second}" --quiet \
    >"$work/text" 2>"$work/notes2"
  diff -rq "$answer" "${answer/answer/second}" >/dev/null || echo "not the same with ${again[*]}"
}

wrong='' what=''
draw_instance 2>"$work/notes" || wrong="not generated: $(tail -n 1 "$work/notes")"
[[ $wrong ]] || draw_options
[[ $wrong ]] || wrong=$(judge)
if [[ $wrong ]]; then
  echo "failed $1 $what ${options[*]}: $wrong; see $work"
else
  rm -rf "$work"
  echo "passed $1 $what"
fi
