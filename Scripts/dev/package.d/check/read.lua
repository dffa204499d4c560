-- Reads what formats.lua wrote, a page of a book, and a drawing.
local img = require "imghost"

for _, ending in ipairs{ "jpg", "png", "webp", "tif", "jp2", "avif", "jxl" } do
  img.open("made/a." .. ending):plugin("halftone"):save("read/" .. ending .. ".png")
end
img.open("book/photobook.pdf", { page = 2 }):plugin("duotone"):save("read/page.png")
img.open("drawing.svg"):plugin("invert_it"):save("read/drawing.png")
