#!/bin/sh
# Uses an installed imghost as an ordinary user: makes and verifies a book, reads and writes every format, draws text,
# and calls the shipped plugins and one of the user's own. Prints nothing if everything succeeds.
set -eu

# Runs a command, and shows its output only if it fails.
quietly() {
  "$@" >log 2>&1 && return
  echo "failed: $*"
  cat log
  exit 1
}

# Fails unless a file has a line.
has() {
  grep -q "$1" "$2" && return
  echo "no '$1' in:"
  cat "$2"
  exit 1
}

rm -rf book made read every
quietly imghost run --out book examples/photobook.lua examples/photos
has 'photobook.pdf: .*, verified' log
quietly imghost verify book/photobook.pdf
cp examples/photos/* holiday
quietly imghost run --out every examples/every-format.lua holiday
has 'every-format.pdf: .*, verified' log
for format in webp tif heic avif jxl jp2 gif dng svg pdf jpg png; do
  quietly test -n "$(find every/every-format -name "*-$format.jpg")"
done
quietly imghost run formats.lua
quietly imghost plugin install invert_it.lua
quietly imghost run read.lua
quietly test "$(ls read | wc -l)" = 9
# Draws text in a picture and in a drawing, a picture in a drawing, and text that needs a character map. None of them
# may need files of the system.
quietly imghost convert drawing.svg --text Text -o read/written.png
for name in text picture dots; do quietly imghost convert $name.svg -o read/$name.ppm; done
# Prints the bytes of a picture that are not white.
drawn() { tail -c +12 "read/$1.ppm" | tr -d '\377' | wc -c; }
quietly test "$(drawn text)" -gt 100
quietly test "$(drawn picture)" -gt 100
quietly test "$(drawn dots)" -gt 20
quietly test "$(drawn dots)" -lt 300
quietly imghost convert japanese.pdf -o read/japanese.png
if grep CMap log; then exit 1; fi
imghost plugin list >plugins
for name in 'invert_it *1.2' heif raw pdf vignette duotone; do has "^$name " plugins; done
quietly imghost plugin remove invert_it
imghost plugins | tail -n 1 >isolation
has '^isolation: processes, shared memory sealed, seccomp' isolation
