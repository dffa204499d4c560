-- An archive of scans: PDF/A with unchanged pixels and sizes, one page and one outline entry for each scan,
-- or for each page of a TIFF.
-- PDF/A-1b if it can hold every scan, else PDF/A-2b, which has 16 bits a sample, opacity and JPEG 2000.
--
--   imghost run Scripts/archive.lua [FOLDER]
--   imghost run --set title="Letters, 1911" --set author="City archive" Scripts/archive.lua FOLDER
--   imghost run --set conformance=pdf/a-1b Scripts/archive.lua FOLDER     -- or fail
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

local beyond = scans:filter(function(p) return p.bits > 8 or p.has_alpha or p.format == "jpeg2000" end)
local conformance = img.settings.conformance or (#beyond > 0 and "pdf/a-2b" or "pdf/a-1b")
if #beyond > 0 and not img.settings.conformance then
  print(conformance .. ", as " .. #beyond .. " of " .. #scans
    .. " scans have 16 bits a sample, opacity or JPEG 2000, which pdf/a-1b cannot hold")
end

img.book("archive.pdf", scans, {
  conformance = conformance, lossless = true, outline = "{stem}", dpi = img.settings.dpi,
  title = img.settings.title or "Scans", author = img.settings.author or "",
  viewer_panes = "outlines", verify = true,
}):on_done(function(result)
  print(result.path .. ": " .. result.pages .. " pages of " .. #scans .. " scans, "
    .. (result.verified and "verified" or "NOT verified"))
end)
