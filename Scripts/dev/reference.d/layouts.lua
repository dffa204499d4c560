-- Makes a small book in each layout. The reference shows a page of each.
local img = require "imghost"

local here = arg[0]:match("^(.*/)") or ""
local photos = img.glob(here .. "../../photos/*.{jpg,png}")
local many = {}
for i = 1, 14 do many[i] = photos[(i - 1) % #photos + 1] end

local paper = { paper = "a5 portrait", margin = "10mm", gutter = "3mm", caption_size = 7, dpi = 100 }
local function book(name, pictures, options)
  for option, value in pairs(paper) do
    if options[option] == nil then options[option] = value end
  end
  if options.gutter == "" then options.gutter = nil end
  if not options.caption then options.caption_size = nil end
  return img.book(name .. ".pdf", pictures, options)
end

book("single", photos:take(1), { gutter = "", caption = "{stem}" })
book("grid", many, { layout = "grid", columns = 2, rows = 3, caption = "{stem}" })
book("justified", many, { layout = "justified" })
book("masonry", many, { layout = "masonry", columns = 3 })
local inside = book("spread", { photos[3], photos[6] }, { layout = "spread", paper = "20x20", margin = 0, gutter = "", fit = "cover",
  first_page = "left", paper_thickness = "0.15mm" })
book("auto", photos, { layout = "auto", gutter = "" })
book("cover", { photos[6] }, {
  layout = "cover", paper = "20x20", margin = 0, gutter = "", fit = "cover",
  cover_of = inside, cover_thickness = "8mm", bleed = "3mm", crop_marks = true,
  front_title = { text = "Our walks", size = 44, colour = "white" },
})
img.contact_sheet("contact_sheet.pdf", photos, { columns = 3, rows = 4, title = "Summer", paper = "a5" })
