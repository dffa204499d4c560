-- A book as photo-book services lay it out: a title picture, pictures over two pages, pages of several, with
-- bleed for a printer, every page proven by rendering it again.
--
--   imghost run Scripts/wedding-book.lua [FOLDER]
--   imghost run --set paper=20x30 --set title="Anna & Jonas" Scripts/wedding-book.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"
local paper = img.settings.paper or "20x20"

local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")

-- Full pages: wide pictures go over the fold, the others fill a page of their own.
img.book("wedding-pages.pdf", photos, {
  layout = "spread", paper = paper, fit = "cover", bleed = "3mm", page_multiple = 4,
  title = img.settings.title or "Our day", outline = "{stem}", viewer_layout = "two-page-right",
  dpi = 250, verify = true,
})

-- The same as an album: two rows or so a page, all of each picture, air around them.
img.book("wedding-album.pdf", photos, {
  layout = "justified", paper = paper, margin = "14mm", gutter = "3mm", row_height = "70mm",
  background = "#faf7f2", title = img.settings.title or "Our day", dpi = 250, verify = true,
}):on_done(function(result)
  print(result.path .. ": " .. result.pages .. " pages of " .. #photos .. " pictures")
end)
