-- Writes a picture in every format.
local img = require "imghost"

img.require_plugin("vignette", ">= 1.0")
local photo = img.open("examples/photos/coffee.png"):thumbnail(200, 200):plugin("vignette", { strength = 0.5 })
for _, ending in ipairs{ "jpg", "png", "webp", "tif", "jp2", "avif", "jxl" } do
  photo:save("made/a." .. ending)
end
