-- A cover as a printer wants it: back, spine and front on one sheet, with bleed and crop marks. The width of
-- the spine follows from the pages and the paper. Front and spine have the title.
--
--   imghost run Scripts/cover.lua [FOLDER]
--   imghost run --set pages=96 --set sheet=0.15mm --set title="Our walks" Scripts/cover.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local title = img.settings.title or "Photographs"

-- The widest picture goes around the whole book; EXIF's orientation is applied.
local photos = img.glob(folder .. "/*.{jpg,jpeg,png}"):sort_by(function(p) return -p.width / p.height end)

img.book("cover.pdf", photos:take(1), {
  layout = "cover", paper = img.settings.paper or "20x20", fit = "cover",
  cover_pages = img.settings.pages or 80, paper_thickness = img.settings.sheet or "0.15mm",
  cover_thickness = "2mm", bleed = "3mm", crop_marks = true, title = title, dpi = 300,
  -- A box behind the letters keeps them readable on any picture.
  front_title = { text = title, font = "Sans Bold", size = 44, colour = "white", background = "#1d2a44",
    position = "top" },
  spine_text = { text = title, font = "Sans Bold", colour = "white", background = "#1d2a44" },
  verify = true,
})
