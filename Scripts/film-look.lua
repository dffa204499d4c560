-- The look of film: a vignette, a little less contrast, and grain that is the same on every run.
--
--   imghost run Scripts/film-look.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  return p:fit(1000, 1000):linear(0.92, 12)
    :plugin("vignette", { strength = 0.35 })
    :plugin("film_grain", { amount = 0.25, size = 1.6 })
end):save("film/{stem}.jpg", { quality = 90 })
