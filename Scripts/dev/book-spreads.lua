-- Two books of the same photographs, see Scripts/dev/book-spreads.
local img = require "imghost"
local samples = img.setting("samples", { type = "string", required = true, help = "folder of the sample photographs" })

local names = "sunset,life,picosdeeuropa,aitzgorri,seeding,friends,Wine,Picture_0B,Picture_1A"
local photos = img.glob("/usr/share/backgrounds/{" .. names .. "}_by_*.jpg") .. img.glob(samples .. "/{coffee,chelsea}.png")

for _, style in ipairs{ "album", "magazine" } do
  img.book(style .. ".pdf", photos, { layout = "auto", style = style, paper = "20x20", pages = 6, title = "Walks" })
end
