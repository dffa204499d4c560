# shellcheck shell=bash
# Mistakes on the command line, and inputs that fail.
run imghost convert missing.jpg --sharpen 40 -o small.jpg --quality 400
run imghost convert photos/rocket.jpg
run imghost convert -o a.jpg
run imghost convert photos/rocket.jpg --sharpn 4 -o a.jpg
run imghost convert photos/rocket.jpg -o photos/rocket.jpg --width 40
run imghost convert photos/*.jpg -o one.jpg
run imghost convert photos/rocket.jpg --crop 0,0,9999,5 -o a.jpg
run imghost convert photos/rocket.jpg -o a.xyz
run imghost convert photos/rocket.jpg -o a.heic
run imghost convert 'nothing/*.png' -o a.png
for file in damaged/*; do
  run imghost convert "$file" -o "${file##*/}.png"
  run imghost convert "$file" --damaged accept -o "accepted-${file##*/}.png"
done
run imghost convert -j 1 photos/coffee.png damaged/* --width 40 -o 'stop/{name}.png'
run imghost convert photos/coffee.png damaged/* --width 40 --on-error continue -o 'continue/{name}.png'
run imghost convert photos/coffee.png --width 40 --confine --out in -o ../out.png
run imghost
run imghost nonsense
run imghost run
run imghost run missing.lua
run imghost run -e 'img.open("photos/coffee.png"):save("a.png"' --set a
run imghost run --jobs 0 -e ''
run imghost run -e 'while true do end' --script-time 0.2
run imghost run -e 'local all = {} while true do all[#all + 1] = ("x"):rep(100000) .. #all end' --script-memory 20M
