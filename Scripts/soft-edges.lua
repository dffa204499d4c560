-- Sharp in the middle and soft towards the edges, like a fast lens: the blurred picture, and over it the sharp
-- one where a mask is bright.
--
--   imghost run Scripts/soft-edges.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  local sharp = p:fit(900, 900)
  -- White in the middle, black in the corners.
  local mask = img.canvas(sharp.width, sharp.height, { background = "white" })
    :plugin("vignette", { strength = 1, radius = 0.35, softness = 0.5 })
  return sharp:blur(6):plugin("mask_blend", sharp, mask, { softness = 10, space = "linear" })
end):save("soft-edges/{stem}.jpg", { quality = 88 })
