-- Album: white pages with margins, one to six pictures a page, and occasionally one that fills the page.
-- A slot is { left, top, width, height } in shares of the template's area.
return {
  summary = "white margins, one to six pictures a page, some over the whole page",
  margin = { inner = 0.085, outer = 0.065, top = 0.065, bottom = 0.075 },
  gap = 0.02,
  type = { title = 32, heading = 18, caption = 9, text = 10 },
  baseline = 12,
  look = { shadow = { 0.002, 0.007 } },
  pictures = 2.6,
  templates = {
    -- One picture.
    { name = "framed", slots = { { 0, 0, 1, 1 } } },
    { name = "small frame", cost = 0.4, slots = { { 0.1, 0.1, 0.8, 0.8 } } },
    { name = "whole page", area = "page", hero = true, cost = 0.1, slots = { { 0, 0, 1, 1, crop = 0.3 } } },
    { name = "panorama over two pages", area = "page", spread = true, hero = true, cost = -0.2,
      slots = { { 0, 0, 1, 1, shape = { 1.7, 3.4 }, crop = 0.18 } } },
    { name = "band over two pages", area = "page", spread = true, cost = -0.8,
      slots = { { 0, 0.1, 1, 0.8, shape = { 2, 6 }, crop = 0.25 } } },
    -- Two.
    { name = "two rows", slots = { { 0, 0, 1, 0.5 }, { 0, 0.5, 1, 0.5 } } },
    { name = "two columns", slots = { { 0, 0, 0.5, 1 }, { 0.5, 0, 0.5, 1 } } },
    { name = "large above small", slots = { { 0, 0, 1, 0.66, weight = 2 }, { 0.25, 0.66, 0.5, 0.34 } } },
    -- Three.
    { name = "large above two", slots = { { 0, 0, 1, 0.6, weight = 2 }, { 0, 0.6, 0.5, 0.4 }, { 0.5, 0.6, 0.5, 0.4 } } },
    { name = "two above large", slots = { { 0, 0, 0.5, 0.4 }, { 0.5, 0, 0.5, 0.4 }, { 0, 0.4, 1, 0.6, weight = 2 } } },
    { name = "large left of two", slots = { { 0, 0, 0.62, 1, weight = 2 }, { 0.62, 0, 0.38, 0.5 }, { 0.62, 0.5, 0.38, 0.5 } } },
    { name = "two left of large", slots = { { 0, 0, 0.38, 0.5 }, { 0, 0.5, 0.38, 0.5 }, { 0.38, 0, 0.62, 1, weight = 2 } } },
    { name = "three rows", slots = { { 0, 0, 1, 1 / 3 }, { 0, 1 / 3, 1, 1 / 3 }, { 0, 2 / 3, 1, 1 / 3 } } },
    { name = "three columns", slots = { { 0, 0, 1 / 3, 1 }, { 1 / 3, 0, 1 / 3, 1 }, { 2 / 3, 0, 1 / 3, 1 } } },
    -- Four.
    { name = "two by two", slots = { { 0, 0, 0.5, 0.5 }, { 0.5, 0, 0.5, 0.5 }, { 0, 0.5, 0.5, 0.5 }, { 0.5, 0.5, 0.5, 0.5 } } },
    { name = "large above three", slots = {
      { 0, 0, 1, 0.66, weight = 2 }, { 0, 0.66, 1 / 3, 0.34 }, { 1 / 3, 0.66, 1 / 3, 0.34 }, { 2 / 3, 0.66, 1 / 3, 0.34 } } },
    { name = "large left of three", slots = {
      { 0, 0, 0.7, 1, weight = 2 }, { 0.7, 0, 0.3, 1 / 3 }, { 0.7, 1 / 3, 0.3, 1 / 3 }, { 0.7, 2 / 3, 0.3, 1 / 3 } } },
    { name = "two columns of two", slots = {
      { 0, 0, 0.5, 0.6 }, { 0, 0.6, 0.5, 0.4 }, { 0.5, 0, 0.5, 0.4 }, { 0.5, 0.4, 0.5, 0.6 } } },
    -- Five.
    { name = "two above three", slots = {
      { 0, 0, 0.5, 0.56 }, { 0.5, 0, 0.5, 0.56 },
      { 0, 0.56, 1 / 3, 0.44 }, { 1 / 3, 0.56, 1 / 3, 0.44 }, { 2 / 3, 0.56, 1 / 3, 0.44 } } },
    { name = "three above two", slots = {
      { 0, 0, 1 / 3, 0.44 }, { 1 / 3, 0, 1 / 3, 0.44 }, { 2 / 3, 0, 1 / 3, 0.44 },
      { 0, 0.44, 0.5, 0.56 }, { 0.5, 0.44, 0.5, 0.56 } } },
    { name = "large between four", slots = {
      { 0, 0, 0.5, 0.25 }, { 0.5, 0, 0.5, 0.25 }, { 0, 0.25, 1, 0.5, weight = 2 },
      { 0, 0.75, 0.5, 0.25 }, { 0.5, 0.75, 0.5, 0.25 } } },
    -- Six.
    { name = "three rows of two", slots = {
      { 0, 0, 0.5, 1 / 3 }, { 0.5, 0, 0.5, 1 / 3 }, { 0, 1 / 3, 0.5, 1 / 3 }, { 0.5, 1 / 3, 0.5, 1 / 3 },
      { 0, 2 / 3, 0.5, 1 / 3 }, { 0.5, 2 / 3, 0.5, 1 / 3 } } },
    { name = "large above two and three", slots = {
      { 0, 0, 1, 0.5, weight = 2 }, { 0, 0.5, 0.5, 0.28 }, { 0.5, 0.5, 0.5, 0.28 },
      { 0, 0.78, 1 / 3, 0.22 }, { 1 / 3, 0.78, 1 / 3, 0.22 }, { 2 / 3, 0.78, 1 / 3, 0.22 } } },
    -- For declared pages with text of their own.
    { name = "text beside picture", align = "top", slots = { { 0, 0, 0.6, 1 } }, text = { 0.64, 0, 0.36, 1 } },
    { name = "text below picture", align = "bottom", slots = { { 0, 0, 1, 0.68 } }, text = { 0, 0.72, 1, 0.28 } },
  },
}
