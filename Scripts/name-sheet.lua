-- A contact sheet: all pictures of a folder in a grid, names below, as many pages as it takes.
--
--   imghost run Scripts/name-sheet.lua [FOLDER]
--   imghost run --set columns=6 Scripts/name-sheet.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

img.contact_sheet("name-sheet.pdf", img.glob(folder .. "/*.{jpg,jpeg,png}"), {
  columns = img.settings.columns or 3, title = "Contact sheet", outline = "{stem}", verify = true,
})
