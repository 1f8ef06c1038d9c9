#!/usr/bin/env bash
# Checks that what the Markdown files name is there: the targets of relative links with their headings, paths such as
# src/core/error.h, and files named alone in code quotes. NAME stands for any name, * for anything.
# Usage: scripts/check_docs.sh [FOLDER of the repository]. Exit code 1 when anything is missing.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
shopt -s globstar nullglob extglob

# docs/results/text.md is not among them: it becomes docs/results.md, which is.
pages=(*.md docs/*.md)
folders='src|docs|scripts|tests|bench|cmake|configs|examples|fuzz|models|viewer|python'
missing=0
complain() { # PAGE WHAT
  echo "$1: $2" >&2
  missing=$((missing + 1))
}

# The anchors of a page's headings, as GitHub makes them.
anchors() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }

# every PATTERN PAGE: what the extended pattern matches, each once. Finding none is no error.
every() { grep -oE "$1" "$2" | sort -u || true; }

[[ ${#pages[@]} -gt 0 ]] || complain "$PWD" "no Markdown files"
for page in "${pages[@]}"; do
  while IFS= read -r link; do
    link=${link#](} link=${link%)}
    [[ $link =~ ^[a-z]+: ]] && continue
    target=$page
    [[ $link == \#* ]] || target=$(dirname "$page")/${link%%#*}
    if [[ ! -e $target ]]; then
      complain "$page" "the link to $link leads nowhere"
    elif [[ $link == *\#* ]] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
      complain "$page" "the link to $link leads to no heading"
    fi
  done < <(every '\]\([^) ]+\)' "$page")

  while IFS= read -r path; do
    path=${path#[!a-z]} path=${path%%+([.])}
    found=(${path//NAME/*})
    [[ ${#found[@]} -gt 0 && -e ${found[0]} ]] || complain "$page" "there is no $path"
  done < <(sed 's/\](\([^)]*\))/] /g' "$page" | every "(^|[^A-Za-z0-9_./-])($folders)/[A-Za-z0-9_./*-]*" /dev/stdin)

  while IFS= read -r name; do
    name=${name//\`/}
    found=({src,tests,bench,scripts,examples,viewer,python}/**/$name)
    [[ ${#found[@]} -gt 0 && -e ${found[0]} ]] || complain "$page" "there is no file $name"
  done < <(every '`[A-Za-z0-9_*-]+\.(h|cpp|cu|cuh|c\*|sh|toml)`' "$page")
done
((missing == 0)) || exit 1
