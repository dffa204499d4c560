-- Scans in one PDF: JPEG files are stored byte for byte, other pictures without loss. Pages keep the
-- size that was scanned. A TIFF gives as many pages as it has.
--
--   imghost run Scripts/scans-to-pdf.lua [FOLDER]
--   imghost run --set clean=true Scripts/scans-to-pdf.lua FOLDER     -- whiten the paper, in gray
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

-- A pattern with endings leaves out no damaged scan: it stops the run.
local files = img.glob(folder .. "/*.{jpg,jpeg,png,jp2,tif,tiff}")

local scans = {}
for _, file in ipairs(files) do
  local pages = file.name:lower():find("%.tiff?$") and img.pages(file.path) or { file }
  table.move(pages, 1, #pages, #scans + 1, scans)
end
scans = img.list(scans)

if img.settings.clean then
  scans = scans:map(function(p)
    return p:grayscale():normalize(2, 90)
  end)
end

local result = img.book("scans.pdf", scans, {
  lossless = true,
  dpi = img.settings.dpi,
  title = "Scans",
  verify = true,
}):await()

print(result.pages .. " pages of " .. #scans .. " scans, " .. (result.verified and "verified" or "NOT verified"))
