-- Draws the pages of a book into a contact sheet, and prints their number, the share of them that is not white paper,
-- and how many are blank. See Scripts/dev/book-figures.
local img = require "imghost"
local book = img.setting("book", { type = "string", required = true, help = "a PDF" })
local pages = img.pages(book, { dpi = 20 })
local sum, blank, small = 0, 0, {}
for i, page in ipairs(pages) do
  local stats = page:flatten("white"):grayscale():stats()
  local covered = 1 - stats.histogram[1][256] / (page.width * page.height)
  sum = sum + covered
  if covered == 0 then blank = blank + 1 end
end
print(string.format("%d %.0f %d", #pages, 100 * sum / #pages, blank))

-- Eight pages in a row, as they face each other.
local w, h, across = pages[1].width + 4, pages[1].height + 8, 8
local sheet = img.canvas(across * w, (#pages // across + 1) * h, { background = "#808080" })
for i, page in ipairs(pages) do
  sheet = sheet:composite{ over = page:flatten("white"), left = i % across * w, top = i // across * h }
end
sheet:save(book:match("([^/]+)%.pdf$") .. ".png")
