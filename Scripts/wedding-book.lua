-- A book like those of photo-book services: a title picture, pictures over two pages, pages of several
-- pictures, and bleed for a printer. Every page is verified. Screen readers have a text for each picture.
--
--   imghost run Scripts/wedding-book.lua [FOLDER]
--   imghost run --set paper=20x30 --set title="Anna & Jonas" Scripts/wedding-book.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"
local paper = img.settings.paper or "20x20"

local title = img.settings.title or "Our day"
local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")

-- Full pages: wide pictures go over the fold, the others fill a page of their own.
img.book("wedding-pages.pdf", photos, {
  layout = "spread", paper = paper, fit = "cover", bleed = "3mm", page_multiple = 4,
  title = title, outline = "{stem}", viewer_layout = "two-page-right",
  lang = "en", alt = "Photograph: {stem}",
  dpi = 250, verify = true,
})

-- The same as an album: a page with the title, about two rows a page, whole pictures with space around them.
img.book("wedding-album.pdf", photos, {
  layout = "justified", paper = paper, margin = "14mm", gutter = "3mm", row_height = "70mm",
  background = "#faf7f2", title = title, dpi = 250, verify = true,
  title_page = { text = title, font = "Serif Italic", size = 34, colour = "#5b4a3c" },
  caption = { text = "{stem}", font = "Serif Italic", size = 8, colour = "#7a6a5c" },
  page_number = { text = "{page}", font = "Serif", size = 8, align = "outside", colour = "#7a6a5c" },
}):on_done(function(result)
  print(result.path .. ": " .. result.pages .. " pages of " .. #photos .. " pictures")
end)
