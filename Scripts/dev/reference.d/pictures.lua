-- Draws the pictures of the reference: the results of the examples of all operations, and pages of each layout.
--
--   imghost run --out Docs/Reference/pictures Scripts/dev/reference.d/pictures.lua [PAGES]
--
-- PAGES is a folder of rendered pages, see layouts.lua; without it there are no pages.
local img = require "imghost"
local examples = require "examples"

local here = arg[0]:match("^(.*/)") or ""
local cup = img.open(here .. "../../photos/coffee.png"):resize(200)

local squares = img.canvas(16, 16, { background = "white" })
  :composite{ over = img.canvas(8, 8, { background = "#cccccc" }), left = 0, top = 0 }
  :composite{ over = img.canvas(8, 8, { background = "#cccccc" }), left = 8, top = 8 }

-- Saves a picture, with a pattern of squares behind transparent parts.
local function save(picture, name)
  if picture.has_alpha then
    picture = img.canvas(picture.width, picture.height):composite{ over = squares, left = 0, top = 0, tile = true }
      :composite{ over = picture, left = 0, top = 0 }
  end
  picture:save(name .. ".jpg", { quality = 82, metadata = "none" })
end

local function made(code, photo)
  return assert(load("local img, photo = ... return " .. code))(img, photo)
end

save(cup, "before")
for name, example in pairs(examples) do
  local photo = example.from and made(example.from, cup) or cup
  if example.from then save(photo, name .. "-before") end
  if not example.is_same then save(made(example.made or example.code, example.made and cup or photo), name) end
end

-- The plugins that ship with imghost.
local mask = img.canvas(80, 80, { background = "white" }):extend{ left = 60, right = 60, top = 26, bottom = 27 }
for name, picture in pairs{
  duotone = cup:plugin("duotone", { shadows = "#23123d", highlights = "#ffd9a0" }),
  film_grain = cup:grayscale():plugin("film_grain", { amount = 0.5 }),
  halftone = cup:plugin("halftone", { cell = 5, ink = "navy" }),
  luma_sharpen = cup:plugin("luma_sharpen", { amount = 3 }),
  mask_blend = cup:blur(5):plugin("mask_blend", cup, mask, { softness = 8 }),
  test_card = img.plugin("test_card", { width = 200, height = 133 }),
  vignette = cup:plugin("vignette", { strength = 0.8 }),
} do
  save(picture, "plugin-" .. name)
end

if arg[1] then
  for _, page in ipairs(img.glob(arg[1] .. "/*.png")) do
    -- A thin frame, so that the page shows on a white screen.
    page:fit(238, 238):extend{ top = 1, bottom = 1, left = 1, right = 1, background = "#c8c8c8" }
      :save("layout-" .. page.stem .. ".jpg", { quality = 82, metadata = "none" })
  end
end
