-- Minimal: one picture a page, sometimes two or three, surrounded by white space.
return {
  summary = "one picture a page, sometimes two or three, with much white around them",
  margin = { inner = 0.1, outer = 0.1, top = 0.1, bottom = 0.12 },
  gap = 0.03,
  type = { title = 24, heading = 14, caption = 8, text = 9.5 },
  baseline = 13,
  pictures = 1.3,
  templates = {
    { name = "in the middle", slots = { { 0.08, 0.08, 0.84, 0.84 } } },
    { name = "words beside", cost = -0.1, slots = { { 0, 0.1, 0.64, 0.8, text = { 0.68, 0.5, 0.32, 0.4 } } } },
    { name = "large", hero = true, slots = { { 0, 0, 1, 1 } } },
    { name = "high", cost = 0.1, align = "top", slots = { { 0.1, 0, 0.8, 0.8 } } },
    { name = "low", cost = 0.1, align = "bottom", slots = { { 0.1, 0.2, 0.8, 0.8 } } },
    { name = "whole page", area = "page", hero = true, cost = 0.6, slots = { { 0, 0, 1, 1, crop = 0.25 } } },
    { name = "panorama over two pages", area = "page", spread = true, cost = -0.2,
      slots = { { 0, 0.1, 1, 0.8, shape = { 2, 6 }, crop = 0.2 } } },
    { name = "pair", slots = { { 0.05, 0.1, 0.45, 0.8 }, { 0.5, 0.1, 0.45, 0.8 } } },
    { name = "one above the other", slots = { { 0.15, 0, 0.7, 0.5 }, { 0.15, 0.5, 0.7, 0.5 } } },
    { name = "large above small", cost = 0.1, slots = { { 0, 0, 1, 0.64, weight = 2 }, { 0.3, 0.64, 0.4, 0.36 } } },
    { name = "row of three", slots = { { 0, 0.2, 1 / 3, 0.6 }, { 1 / 3, 0.2, 1 / 3, 0.6 }, { 2 / 3, 0.2, 1 / 3, 0.6 } } },
    { name = "large above two", slots = {
      { 0.06, 0, 0.88, 0.6, weight = 2 }, { 0.06, 0.6, 0.44, 0.4 }, { 0.5, 0.6, 0.44, 0.4 } } },
    -- For declared pages with text of their own.
    { name = "text beside picture", align = "top", slots = { { 0, 0, 0.6, 1 } }, text = { 0.64, 0, 0.36, 1 } },
    { name = "text below picture", align = "bottom", slots = { { 0, 0, 1, 0.68 } }, text = { 0, 0.72, 1, 0.28 } },
  },
}
