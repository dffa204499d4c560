-- Responsive pictures: each photograph in several widths, each decoded only as finely as its size needs.
--
--   imghost run Scripts/web-sizes.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")

for _, width in ipairs{ 320, 640, 1280 } do
  photos
    :filter(function(p) return p.width >= width end, "narrower than " .. width .. " pixels")
    :map(function(p) return p:resize{ width = width } end)
    :save("web-sizes/{stem}-" .. width .. ".jpg", { quality = 80, progressive = true })
end

-- Square tiles around the part that draws attention.
photos
  :map(function(p) return p:fill(200, 200, { position = "attention" }) end)
  :save("web-sizes/{stem}-tile.jpg", { quality = 80 })
