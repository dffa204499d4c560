-- Draws the pages of two books as they face each other, see Scripts/dev/book-spreads.
local img = require "imghost"
local books = img.setting("books", { type = "string", required = true, help = "folder of the books" })
local gap = 24

-- Two pairs of facing pages in a row; the first page of a book has no neighbour.
local function row(style)
  local pages = img.pages(books .. "/" .. style .. ".pdf", { dpi = 46 })
  local side = pages[1].width
  local sheet = img.canvas(4 * side + 3 * gap, side + gap, { background = "#7a7a7a" })
  for i = 2, 5 do
    sheet = sheet:composite{ over = pages[i]:flatten("white"), left = (i - 2) * side + i // 2 * gap, top = gap // 2 }
  end
  return sheet
end

local album, magazine = row("album"), row("magazine")
img.canvas(album.width, album.height * 2, { background = "#7a7a7a" })
  :composite{ over = album, left = 0, top = 0 }
  :composite{ over = magazine, left = 0, top = album.height }
  :save("spreads.jpg", { quality = 85 })
