#!/usr/bin/env bash
# Tests the viewer in a real browser: Debian's chromium, driven by playwright-core. Installs both when they are missing,
# and skips with a message when they cannot be had. Usage: scripts/test_viewer.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
program=$(realpath "${1:-build/neuopt}")

skip() {
  echo "viewer test skipped: $*"
  exit 0
}

[[ -x $program ]] || fail "no program at $program: build it first"
"$program" view --help >/dev/null || fail "$program has no view"

# A program built without cpp-httplib says so, and has nothing to test.
said=$(timeout --signal INT 1 "$program" view 2>&1 >/dev/null || true)
[[ $said == *"no viewer"* ]] && skip "$said"

packages=()
command -v chromium >/dev/null || packages+=(chromium)
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
(install_packages "${packages[@]}") || skip "no browser or no npm, and they cannot be installed here"
if [[ ! -d viewer/test/node_modules/playwright-core ]]; then
  npm ci --prefix viewer/test --no-audit --no-fund --ignore-scripts --loglevel error ||
    skip "playwright-core cannot be installed (offline?)"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A small network of our own samples: the tests need no bundled model.
"$program" import tests/data/golden/cvrp20_d32.npz --k 4 --output "$folder/model.safetensors" >/dev/null
timeout 300 node viewer/test/viewer_test.mjs "$program" "$folder/model.safetensors" "$folder/results"
if [[ -n ${NEUOPT_SCREENSHOTS:-} ]]; then
  mkdir -p "$NEUOPT_SCREENSHOTS"
  cp "$folder"/results/*.png "$NEUOPT_SCREENSHOTS"
fi
