-- Draws the pictures of the reference: what each operation makes of its example, and pages of each layout.
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

-- What is transparent shows squares.
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
  save(made(example.made or example.code, example.made and cup or photo), name)
end

if arg[1] then
  for _, page in ipairs(img.glob(arg[1] .. "/*.png")) do
    -- A thin frame, so that the page shows on a white screen.
    page:fit(238, 238):extend{ top = 1, bottom = 1, left = 1, right = 1, background = "#c8c8c8" }
      :save("layout-" .. page.stem .. ".jpg", { quality = 82, metadata = "none" })
  end
end
