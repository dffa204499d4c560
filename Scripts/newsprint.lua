-- Pictures as a newspaper prints them: dots of black ink on yellowish paper.
--
--   imghost run Scripts/newsprint.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  return p:fit(1000, 1000):plugin("halftone", { cell = 7, angle = 30, ink = "#1c1a18", paper = "#f4ecd8" })
end):save("newsprint/{stem}.png")
