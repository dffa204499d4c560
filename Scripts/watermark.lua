-- A mark in the corner of every photograph, in proportion to it.
--
--   imghost run Scripts/watermark.lua [FOLDER] [MARK.png]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")

-- Without a file of your own: two half-transparent bars.
local function default_mark()
  local bar = img.canvas(240, 36, { background = "#ffffffb0" })
  return bar:extend{ top = 24, background = "transparent" }
            :composite{ over = img.canvas(240, 12, { background = "#202020b0" }), left = 0, top = 0 }
end

local mark = arg[2] and img.open(arg[2]) or default_mark()

photos:map(function(p)
  local width = math.max(1, p.width // 5)
  return p:composite{ over = mark:resize{ width = width }, gravity = "southeast", opacity = 0.8 }
end):save("marked/{stem}.jpg", { quality = 90 })
