-- A black-and-white series: one look for pictures of every exposure, adjusted by their statistics.
--
--   imghost run Scripts/black-and-white.lua [FOLDER]
--   imghost run --set tone=sepia --set sky=0.8 Scripts/black-and-white.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local tone = img.setting("tone", { type = "enum", choices = { "neutral", "warm", "sepia" }, default = "neutral",
  help = "colour of the prints" })
local sky = img.setting("sky", { type = "float", minimum = 0, maximum = 1, step = 0.1, default = 0,
  help = "how much skies are burned: a red filter, and a darker upper half" })

-- Only the hue counts, and how strong it is.
local tints = { warm = "#fbf7f0", sepia = "#ecdcc0" }

-- The gray of a pixel: luminance, or as behind a red filter, which darkens blue and leaves clouds white.
local function filtered(p)
  local function mixed(plain, red) return plain + (red - plain) * sky end
  local row = { mixed(0.2126, 0.8), mixed(0.7152, 0.3), mixed(0.0722, -0.1) }
  return sky > 0 and p:recomb{ row, row, row }:grayscale() or p:grayscale()
end

-- White that becomes darker from the middle to the upper edge. A few lines are enlarged, which makes them smooth.
local function shade(width, height)
  local lines = 33
  local strip = img.canvas(1, lines)
  for line = 0, lines // 2 do
    local share = 1 - line / (lines // 2)
    local gray = math.floor(255 * (1 - 0.75 * sky * share * share * (3 - 2 * share)) + 0.5)
    strip = strip:draw{ box = { 0, line, 1, 1 }, fill = { gray, gray, gray } }
  end
  return strip:resize(width, height, { fit = "fill" })
end

-- A curve that brings the mean towards 110. It leaves the brightest tones alone, so that skies keep their clouds.
local function evened(gray)
  local mean = math.max(8, math.min(200, gray:stats().mean[1]))
  local wanted = math.max(mean * 0.8, math.min(mean * 1.5, 110))
  return gray:curves{ { 0, 0 }, { mean, wanted }, { 225, 225 }, { 255, 255 } }
end

local series = img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  -- Of the brightest pixels, one in a thousand becomes white.
  local print = evened(filtered(p:fit(1200, 1200)):normalize(1, 99.9))
  if sky > 0 then print = print:composite(shade(print.width, print.height), { blend = "multiply" }) end
  if tints[tone] then print = print:tint(tints[tone]) end
  return print:sharpen(0.5)
end)

series:save("black-and-white/{index:2}-{stem}.jpg", { quality = 88 })
img.book("black-and-white.pdf", series, { paper = "a5", margin = "12mm", verify = true })
