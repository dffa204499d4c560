-- A book with a page for each picture of a folder, and thumbnails: what 'Scripts/dev/slurm test' makes on a cluster.
--
--   imghost run Scripts/dev/slurm.d/book.lua FOLDER
local img = require "imghost"

local photos = img.glob(arg[1] .. "/*.jpg")
photos:map(function(p) return p:fit(160, 160) end):save("thumbnails/{stem}.jpg", { quality = 80 })

local pages = photos:map(function(p) return p:fill(840, 560):sharpen{ amount = 0.4 } end)
print(#pages .. " pages")
img.book("book.pdf", pages, { paper = "10x15", margin = "5mm", caption = "{stem}", title = "Cluster" })
  :on_done(function(result) print(result.path .. ": " .. result.pages .. " pages") end)
