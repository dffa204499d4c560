-- A proof for a printer: a page with a test card before the photographs. If its lines turn gray, or its circle
-- is no circle, the printer is at fault and not the photographs.
--
--   imghost run Scripts/proof.lua [FOLDER]
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"

local card = img.plugin("test_card", { width = 1500, height = 1000, steps = 21 })
card:save("proof/card.png")

local pages = { card }
for _, photo in ipairs(img.glob(folder .. "/*.{jpg,jpeg,png}")) do
  pages[#pages + 1] = photo:fill(1500, 1000)
end
img.book("proof/proof.pdf", pages, { paper = "10x15", margin = "5mm", verify = true })
