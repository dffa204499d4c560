# shellcheck shell=bash
# Settings of scripts and parameters of plugins on the command line.
cat >settings.lua <<'LUA'
local img = require "imghost"
local width = img.setting("width", { type = "int", minimum = 10, maximum = 900, default = 200, unit = "px", help = "width" })
local look = img.setting("look", { type = "enum", choices = { "plain", "warm" }, default = "plain", label = "Look", group = "Colour" })
local at = img.setting("at", { type = "point", default = { 0.5, 0.5 } })
local ground = img.setting("ground", { type = "colour", default = "white" })
local on = img.setting("on", { type = "bool", default = false })
print(width, look, at[1], at[2], ground, on, img.settings.width)
local photo = img.open("photos/coffee.png"):resize(width):plugin("halftone", { cell = 5 }):plugin("halftone", { cell = 9 })
photo:save("a.png", { background = ground })
LUA
run imghost help settings.lua
run imghost help --names settings.lua
run imghost check --json settings.lua
run imghost run settings.lua
run imghost run --set width=90 --set look=warm --set at=0.25,0.75 --set ground=#ff0000 --set on=true settings.lua
run imghost run --set halftone.cell=6 --set halftone.2.cell=7 settings.lua
run imghost run --set widht=9 --set width=5 --set look=cold --set halftone.3.cell=1 settings.lua
run imghost run --set width=wide --set at=1 settings.lua
