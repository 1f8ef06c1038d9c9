# Random choices and instances of many metrics, for scripts that try the program on all kinds. Sourced; RANDOM is the
# seed of everything.

draw() { # a whole number below $1
  drawn=$(((RANDOM * 32768 + RANDOM) % $1))
}
pick() { # one of the arguments
  draw $#
  shift "$drawn"
  picked=$1
}

# The generated instance in $1 as one of the metric $2, in the units that such files have. A matrix is written in the
# format $3, with the distances of the points, or with weights that are no distances when $4 is `random`.
with_metric() {
  awk -v metric="$2" -v format="${3:-LOWER_DIAG_ROW}" -v kind="${4:-planar}" -v seed="$RANDOM" '
    function weight(i, j, swap) {
      if (i > j) { swap = i; i = j; j = swap }
      if (kind != "random") return int(1000 * sqrt((x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2))
      if (!((i, j) in weights)) weights[i, j] = i == j ? 0 : 1 + int(1000 * rand())
      return weights[i, j]
    }
    function put_matrix(i, j, first, last) {
      print "EDGE_WEIGHT_FORMAT: " format
      print "EDGE_WEIGHT_SECTION"
      for (i = 1; i <= nodes; i++) {
        first = format ~ /^UPPER_DIAG/ ? i : format ~ /^UPPER/ ? i + 1 : 1
        last = format ~ /^LOWER_DIAG/ ? i : format ~ /^LOWER/ ? i - 1 : nodes
        for (j = first; j <= last; j++) print weight(i, j)
      }
    }
    function put(i) {
      print "EDGE_WEIGHT_TYPE: " metric
      if (metric == "EXPLICIT") {
        put_matrix()
        return
      }
      print "NODE_COORD_SECTION"
      for (i = 1; i <= nodes; i++)
        if (metric == "GEO") printf "%d %.2f %.2f\n", i, 89 * x[i], 179 * y[i]
        else if (metric ~ /3D/) printf "%d %.3f %.3f %.3f\n", i, 1000 * x[i], 1000 * y[i], i % 97
        else printf "%d %.3f %.3f\n", i, 1000 * x[i], 1000 * y[i]
    }
    BEGIN { srand(seed) }
    /^EDGE_WEIGHT_TYPE/ { next }
    /^NODE_COORD_SECTION/ { reading = 1; next }
    reading && $1 ~ /^[A-Z]/ { reading = 0; put() }
    reading { ++nodes; x[$1] = $2; y[$1] = $3; next }
    { print }' "$1"
}
