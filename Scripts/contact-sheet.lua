-- Contact sheets: all pictures of a folder in a grid, as pages of a PDF and as PNG files.
--
--   imghost run Scripts/contact-sheet.lua [FOLDER]
--   imghost run --set columns=6 --set rows=8 Scripts/contact-sheet.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"
local columns = img.setting("columns", { type = "int", minimum = 1, maximum = 20, default = 3 })
local rows = img.setting("rows", { type = "int", minimum = 1, maximum = 30, default = 4 })
local cell = img.setting("cell", {
  type = "int", minimum = 16, maximum = 2000, default = 320, unit = "px", help = "side of a square cell" })
local gap = 24

local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")
local sheets = {}

for first = 1, #photos, columns * rows do
  local last = math.min(first + columns * rows - 1, #photos)
  local height = math.ceil((last - first + 1) / columns)
  local sheet = img.canvas(columns * (cell + gap) + gap, height * (cell + gap) + gap)
  for i = first, last do
    local column = (i - first) % columns
    local row = (i - first) // columns
    -- "contain" keeps the whole picture and fills the rest of the cell.
    local thumbnail = photos[i]:resize{ cell, cell, fit = "contain", background = "#f4f4f4" }
    sheet = sheet:composite{
      over = thumbnail,
      left = gap + column * (cell + gap),
      top = gap + row * (cell + gap),
    }
  end
  table.insert(sheets, sheet)
end

img.list(sheets):save("contact-sheet-{index:2}.png")
img.book("contact-sheet.pdf", sheets, {
  paper = "a4", margin = "10mm", lossless = true, title = "Contact sheet", verify = true,
})
