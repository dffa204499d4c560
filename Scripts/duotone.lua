-- A series in two inks, made by a plugin that is a few lines of Lua: Plugins/Duotone/duotone.lua.
--
--   imghost run Scripts/duotone.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

img.glob(folder .. "/*.{jpg,jpeg,png}"):map(function(p)
  return p:fit(900, 900):plugin("duotone", { shadows = "#23123d", highlights = "#ffd9a0", contrast = 1.2 })
end):save("duotone/{stem}.jpg", { quality = 88 })
