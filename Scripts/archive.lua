-- Scans into an archive: PDF/A-1b, pixels and sizes as they are, a page a scan, an entry a scan in the
-- outline.
--
--   imghost run Scripts/archive.lua [FOLDER]
--   imghost run --set title="Letters, 1911" --set author="City archive" Scripts/archive.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

-- PDF/A-1 knows no opacity and no more than 8 bits a sample.
local scans = img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  return p.has_alpha and p:flatten() or p
end):filter(function(p) return p.bits == 8 end)

img.book("archive.pdf", scans, {
  conformance = "pdf/a-1b", lossless = true, outline = "{stem}", dpi = img.settings.dpi,
  title = img.settings.title or "Scans", author = img.settings.author or "",
  viewer_panes = "outlines", verify = true,
}):on_done(function(result)
  print(result.path .. ": " .. result.pages .. " pages, "
    .. (result.verified and "verified" or "NOT verified"))
end)
