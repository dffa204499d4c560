-- Small pictures that stay crisp: sharpened in luminance only, so that edges get no coloured fringes.
--
--   imghost run Scripts/crisp.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  return p:fit(640, 640):plugin("luma_sharpen", { amount = 0.9, radius = 0.7 })
end):save("crisp/{stem}.jpg", { quality = 85 })
