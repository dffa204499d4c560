# shellcheck shell=bash
# Names, links and folders of outputs, pipes, and files of earlier runs.
cat >names.lua <<'LUA'
local img = require "imghost"
local photos = img.glob("photos/*.{jpg,png}")
photos:save("copies/{name}")
photos:save("by/{ext}/{stem}-{width}x{height}-{hash:8}.png")
photos:map(function(p) return p:fit(50, 50) end):save("exif/{exif.Model|none}/{index:4}.jpg", { metadata = "none" })
LUA
run imghost run -j 1 -v --out out names.lua
run imghost run -j 1 -v --out out names.lua
mkdir elsewhere
ln -s "$PWD/elsewhere" linked
ln -s elsewhere/target.png link.png
run imghost run -e 'img.canvas(9, 9):save("linked/a.png") img.canvas(9, 9):save("link.png")'
run imghost run --confine -e 'img.canvas(9, 9):save("../a.png") img.canvas(9, 9):save("linked/b.png")'
run imghost run -e 'img.open("photos/coffee.png"):save("photos/coffee.png")'
run imghost run -e 'img.canvas(9, 9):save("a.png") img.canvas(8, 8):save("./a.png")'
run imghost run -e 'img.canvas(9, 9):save("-", { format = "png" })'
run imghost run -e 'print("a line") img.canvas(9, 9):save("-", { format = "png" })'
run bash -c 'echo "require(\"imghost\").canvas(9, 9):save(\"piped.png\")" | imghost run -'
run bash -c 'mkfifo pipe; (cat pipe >from-pipe.jpg &); imghost convert photos/coffee.png --width 40 -o pipe'
run bash -c 'imghost convert photos/coffee.png -o - --format png | head -c 0; echo ${PIPESTATUS[0]}'
mkdir locked
chmod a-w locked
run imghost run -e 'img.canvas(9, 9):save("photos/coffee.png/a.png")'
run imghost run -e 'img.canvas(9, 9):save("/dev/full")'
run imghost run --timeout 0.05 -e 'img.canvas(9000, 9000):blur(40):save("slow.png")'
run bash -c 'imghost run -e "img.canvas(9000, 9000):blur(40):save([[slow.png]])" & sleep 0.3; kill -INT $!; wait $!; echo $?'
run imghost test
