-- A black-and-white series: one look for pictures of every exposure, adjusted by their statistics.
--
--   imghost run Scripts/black-and-white.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local series = img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  local gray = p:fit(1200, 1200):grayscale():normalize()
  -- Dark pictures are lifted, bright ones deepened, towards a mean of 110.
  local mean = gray:stats().mean[1]
  local exponent = math.log(110 / 255) / math.log(math.max(1, math.min(254, mean)) / 255)
  -- gamma(g) raises to the power 1/g.
  local even = gray:gamma(math.max(1.0, math.min(1.8, 1 / exponent)))
  return even:tint("#fff1dc"):sharpen(0.5)
end)

series:save("black-and-white/{index:2}-{stem}.jpg", { quality = 88 })
img.book("black-and-white.pdf", series, { paper = "a5", margin = "12mm", verify = true })
