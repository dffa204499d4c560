-- A photo book: each photograph of a folder on a page of its own, all of one size, and the same pictures for
-- the web. Each page is proven by rendering it again.
--
--   imghost run Scripts/photobook.lua [FOLDER]
--   imghost run --set min_width=1200 --set paper=a4 Scripts/photobook.lua FOLDER
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local folder = arg[1] or here .. "photos"
local min_width = img.settings.min_width or 600

-- Lazy: nothing is decoded here. Small pictures would make every page small.
local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")
  :filter(function(p) return p.width >= min_width end, "narrower than " .. min_width .. " pixels")

local size = photos:smallest_common_size() -- reads headers only

local pages = photos:map(function(p)
  return p:fill(size.width, size.height)
          :sharpen(0.4)
          :plugin("vignette", { strength = 0.3 })
end)

pages:save("web/{stem}.jpg", { quality = 85, qos = "utility" })

img.book("photobook.pdf", pages, {
  paper = img.settings.paper or "10x15",
  margin = "8mm",
  caption = "{stem}",
  title = "Photo book",
  qos = "user-initiated",
  verify = true,
}):on_done(function(result)
  print(result.path .. ": " .. result.pages .. " pages of " .. size.width .. "x" .. size.height
    .. " pixels, " .. (result.verified and "verified" or "not verified"))
end)
