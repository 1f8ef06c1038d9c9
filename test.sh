#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests. Usage: ./test.sh [release|debug|asan|tsan|clang] [ctest options]
# NEUOPT_CONFIGURE in the environment holds further options for CMake.
set -euo pipefail
cd "$(dirname "$0")"
source scripts/setup.sh

preset=release
packages=("${development_packages[@]}")
if [[ $# -gt 0 && $1 != -* ]]; then
  preset=$1
  shift
fi
case $preset in
  release | debug | asan | tsan) ;;
  clang) packages+=(clang-14) ;;
  *)
    echo "usage: ./test.sh [release|debug|asan|tsan|clang] [ctest options]" >&2
    exit 2
    ;;
esac

install_packages "${packages[@]}"
build_preset "$preset"
ctest --preset "$preset" -j2 "$@"
[[ $preset != release ]] || scripts/test_viewer.sh build/neuopt
