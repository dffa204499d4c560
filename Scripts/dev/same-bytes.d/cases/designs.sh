# shellcheck shell=bash
# Books with automatic designs, their designs as scripts, and covers.
cat >book.lua <<'LUA'
local img = require "imghost"
local photos = img.glob("photos/*.{jpg,png}")
img.hint(photos[1], { hero = true, caption = "The first" })
img.hint(photos[2], { skip = true })
for _, style in ipairs{ "album", "magazine", "minimal", "contact" } do
  local book = img.book(style .. ".pdf", {
    img.page{ title = "A title", text = "A text.\n\nAnother paragraph.", background = "#203040" },
    photos, photos,
    img.page{ photos[3], photos[4], slots = { { 0, 0, 0.5, 1 }, { 0.55, 0.1, 0.35, 0.8 } } },
  }, { layout = "auto", style = style, paper = "20x20", title = "Walks", chapter = "{folder}", dpi = 150 })
  img.book(style .. "-cover.pdf", photos, { layout = "cover", cover_of = book, paper = "20x20", paper_thickness = "0.15mm",
    cover_thickness = "2mm", bleed = "3mm", front_title = { text = "Walks", size = 30 }, spine_text = "Walks", dpi = 150 })
end
LUA
run imghost check --json --design checked.lua book.lua
run imghost run --dry-run book.lua
run imghost run --out out --design design.lua book.lua
run imghost run --out again design.lua
run imghost run --out out --design design.lua book.lua
run bash -c 'echo "-- edited" >>design.lua; imghost run --out out --design design.lua book.lua'
run imghost run --out out --design design.lua --overwrite book.lua
shards 3 far book.lua
