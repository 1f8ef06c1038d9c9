# Sourced by scripts with options, before they change the folder: reads options, refuses what cannot be meant, and reads
# figures of what `neuopt ... --json` printed.
# Usage: source "$(dirname "$0")/options.sh"
#   declare -A option=([NAME]=DEFAULT...)   # each is given as --NAME VALUE
#   option_paths='NAME...'                  # those that are files and folders
#   read_options "$@"                       # or take_option, where there are other words as well
caller=$PWD # where the script was called
option_paths=''
declare -A was_given # names of options, whatever their values

# complain CODE TEXT: ends the script.
complain() {
  echo "$(basename "$0" .sh): $2" >&2
  exit "$1"
}

# Files and folders that were given are meant from where the script was called.
from_caller() { [[ $1 == /* ]] && echo "$1" || echo "$caller/$1"; }

# take_option --NAME VALUE [WORD]...: the option at the head of what is left of a call.
take_option() {
  local name=${1#--}
  [[ $1 == --* && -v option[$name] ]] || complain 2 "unknown option $1; the head of scripts/$(basename "$0") lists them"
  [[ $# -ge 2 ]] || complain 2 "$1 needs a value"
  option[$name]=$2
  was_given[$name]=1
  [[ -z $2 || " $option_paths " != *" $name "* ]] || option[$name]=$(from_caller "$2")
}

read_options() {
  while [[ $# -gt 0 ]]; do
    take_option "$@"
    shift 2
  done
}

# expect PATTERN WHAT NAME...: refuses these options' values where they do not match.
expect() {
  local name
  for name in "${@:3}"; do
    [[ ${option[$name]} =~ ^($1)$ ]] || complain 2 "--$name ${option[$name]}, expected $2"
  done
}

# field NAME [FILE]: a number, a truth or a text without commas of the object in FILE or on standard input, which has a
# member on each line. Nothing where it is null or not there.
field() { sed -n "/: null,\{0,1\}$/d; s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "${@:2}"; }
