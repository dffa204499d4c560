# shellcheck shell=bash
# Shards that are made again, mixed, damaged or of another script, and their merges.
cat >book.lua <<'LUA'
local img = require "imghost"
local photos = img.glob("photos/*.{jpg,png}")
print("width", img.settings.width or 200)
local pages = photos:map(function(p) return p:thumbnail(img.settings.width or 200) end)
pages:save("web/{stem}.jpg")
img.book("book.pdf", pages, { paper = "a6", caption = "{stem}" })
img.book("grid.pdf", pages, { paper = "a5", layout = "grid", rows = 2, columns = 2, verify = true })
img.book("auto.pdf", photos, { paper = "20x20", layout = "auto", dpi = 100 })
img.animation("all.webp", pages:map(function(p) return p:fill(50, 50) end))
LUA
run imghost plan --shards 4 --json book.lua
run imghost merge --out early book.lua
for shard in 0 1 2 3; do run imghost run --shard $shard/4 --out far --json book.lua; done
run imghost run --shard 0/4 --out far book.lua
run imghost run --shard 1/4 --out far --set width=100 book.lua
run imghost merge --out far book.lua
run imghost run --shard 1/4 --out far book.lua
run imghost merge --out far --manifest far.json book.lua
run imghost run --shard 4/4 --out far book.lua
run imghost run --shard 0/2 --out two book.lua
run imghost merge --out two book.lua
run env SLURM_ARRAY_TASK_ID=1 imghost run --shard auto/2 --out two book.lua
run bash -c 'printf x >>two/.imghost/book.lua/*0-of-2*.pack; imghost merge --out two book.lua'
run imghost run --shard 0/2 --out two book.lua
run imghost merge --out two --json book.lua
run imghost run --out here book.lua
