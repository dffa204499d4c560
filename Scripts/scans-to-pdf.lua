-- Scans in one PDF: JPEG files are stored byte for byte, other pictures without loss. Pages keep the
-- size that was scanned.
--
--   imghost run Scripts/scans-to-pdf.lua [FOLDER]
--   imghost run --set clean=true Scripts/scans-to-pdf.lua FOLDER     -- whiten the paper, in gray
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

-- The pattern also names formats that cannot be read, so that no scan is left out without a message.
local scans = img.glob(folder .. "/*.{jpg,jpeg,png,jp2,tif,tiff}")

if img.settings.clean then
  scans = scans:map(function(p)
    return p:grayscale():normalize{ lower = 2, upper = 90 }
  end)
end

local result = img.book("scans.pdf", scans, {
  lossless = true,
  dpi = img.settings.dpi,
  title = "Scans",
  verify = true,
}):await()

print(result.pages .. " pages of " .. #scans .. " scans, " .. (result.verified and "verified" or "NOT verified"))
