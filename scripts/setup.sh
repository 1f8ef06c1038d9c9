# Sourced by the scripts of the repository: installs missing Debian packages and builds a CMake preset.
# Usage: source scripts/setup.sh; install_packages "${solver_packages[@]}"; build_preset release [TARGET...]

# What the solver needs.
solver_packages=(
  g++ cmake ninja-build
  libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libnanoflann-dev
  libcpp-httplib-dev pkg-config
)
# What `pip install .` needs besides, in a virtual environment that sees these packages.
python_packages=(
  python3-venv python3-pip python3-setuptools python3-wheel python3-dev python3-numpy python3-pybind11
)
# What the trainer, runs under mpirun, the tests and the format check need besides. Without an optimised BLAS beside it, LibTorch is several
# times slower.
development_packages=(
  "${solver_packages[@]}"
  libgtest-dev librapidcheck-dev libbenchmark-dev
  libtorch-dev libgloo-dev libopenblas-dev libopenmpi-dev openmpi-bin
  "${python_packages[@]}" python3-pytest python3-distributed python3-matplotlib
  clang-format-14
)

fail() {
  echo "neuopt: $*" >&2
  exit 3
}

# Runs a command as root: directly, or through sudo, which may not ask for a password when nobody can answer.
as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    fail "packages are missing and neither root nor sudo is at hand; as root: apt-get install ${missing[*]}"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# Installs those of the named packages that are missing; touches nothing, and needs neither root nor a network, when all
# are there.
install_packages() {
  missing=()
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return
  command -v apt-get >/dev/null || fail "these Debian packages are missing: ${missing[*]}"
  echo "Installing: ${missing[*]}"
  as_root apt-get update -qq ||
    fail "cannot reach the package archive (offline?); these packages are missing: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "cannot install (offline?): ${missing[*]}"
}

# Configures a preset and builds it: all of it or the targets named after it. CMake gets the options in configure_options,
# at first the words of NEUOPT_CONFIGURE in the environment.
read -r -a configure_options <<<"${NEUOPT_CONFIGURE:-}"
build_preset() {
  local preset=$1
  shift
  cmake --preset "$preset" "${configure_options[@]}" >/dev/null || fail "cannot configure the preset $preset"
  cmake --build --preset "$preset" ${1:+--target "$@"} || fail "the build of the preset $preset failed"
}
