-- Web pictures and a book from a folder with pictures of every format that the installed codecs read.
--
--   imghost run Scripts/every-format.lua [FOLDER]
--   imghost run --set format=webp Scripts/every-format.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local photos = img.glob(folder .. "/*", { skip_unreadable = true })

-- With the ending in the name, IMG_1.HEIC and IMG_1.JPG become two pictures.
photos
  :map(function(p) return p:resize{ width = 1600, enlarge = false } end)
  :save("every-format/{stem}-{ext}." .. (img.settings.format or "jpg"), { metadata = "public" })

-- The book has all pages of files with several, such as scans. Of an animation it has the first frame.
local pages = {}
for _, photo in ipairs(photos) do
  if photo.format == "tiff" or photo.format == "pdf" then
    for _, page in ipairs(img.pages(photo.path)) do pages[#pages + 1] = page end
  else
    pages[#pages + 1] = photo
  end
end
img.book("every-format.pdf", img.list(pages), { paper = "a5", margin = "10mm", caption = "{name}", verify = true })
