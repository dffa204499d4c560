#!/bin/sh
# Installs imghost from this folder, or removes what it has installed. bin/imghost also runs from this folder.
#
#   sh install.sh [--prefix DIR] [--remove]
#
# DIR is /usr/local by default. The programs look for their files relative to themselves, so DIR may be moved.
set -eu
export LC_ALL=C

fail() {
  echo "install.sh: $1" >&2
  exit 2
}

prefix=/usr/local
remove=no
while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      [ $# -gt 1 ] && [ -n "$2" ] || fail "--prefix needs a folder"
      prefix=$2
      shift
      ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --remove) remove=yes ;;
    --help)
      sed -n '2,7s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown argument '$1'; see sh install.sh --help" ;;
  esac
  shift
done
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac
prefix=${prefix%/}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
list=share/imghost/installed-files
folders=share/imghost/installed-folders

# Makes a folder below the prefix, and prints those that were missing, the outermost first.
make_folder() {
  [ -d "$prefix/$1" ] && return
  case $1 in */*) make_folder "${1%/*}" ;; esac
  mkdir -p -- "$prefix/$1"
  echo "$1"
}

if [ "$remove" = yes ]; then
  [ -f "$prefix/$list" ] || fail "$prefix has no imghost that this script installed"
  made=$(sort -ru "$prefix/$folders")
  while IFS= read -r file; do rm -f -- "$prefix/$file"; done <<EOF
$(cat "$prefix/$list")
$folders
EOF
  # Removes empty folders, the innermost first.
  for folder in $made; do
    case $folder in .) folder=$prefix ;; *) folder=$prefix/$folder ;; esac
    rmdir -- "$folder" 2>/dev/null || true
  done
  echo "removed imghost from $prefix"
  exit 0
fi

cd "$here"
files=$(
  find bin include lib share -type f | sort
  echo "$list"
)
old=$(cat "$prefix/$list" 2>/dev/null || true)
whole=
[ -d "$prefix" ] || whole=.
made=$(printf '%s\n' "$files" | sed 's|/[^/]*$||' | sort -u | while IFS= read -r folder; do make_folder "$folder"; done)
# Each file is copied under a temporary name and then renamed, so that running programs keep their old files.
printf '%s\n' "$files" | while IFS= read -r file; do
  if [ "$file" = "$list" ]; then
    printf '%s\n' "$files" >"$prefix/$file.new$$"
  else
    cp -- "$file" "$prefix/$file.new$$"
  fi
  mv -f -- "$prefix/$file.new$$" "$prefix/$file"
done
printf '%s\n' $whole $made >>"$prefix/$folders"
# Removes files that only an older version has.
for file in $old; do
  printf '%s\n' "$files" | grep -qxF "$file" || rm -f -- "$prefix/$file"
done
echo "installed imghost in $prefix"

case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "add $prefix/bin to your PATH" ;;
esac
