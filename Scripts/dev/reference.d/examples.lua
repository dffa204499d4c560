-- The example of each operation in the reference. The reference shows `code`, and a picture of its result for `photo`,
-- a cup of 200x133 pixels, or for `from`. If the picture is made in another way, `made` is the code for it.
local cut = 'img.canvas(200, 133, { background = "transparent" }):composite{ over = photo:fit(140, 93) }'
local page = 'img.canvas(170, 110, { background = "white" }):text{ "Dear Zoë,\\nthe lines of this page\\nare '
  .. 'not level, as on a scan.\\ndeskew turns them.", size = 13, colour = "black", position = "centre" }'

return {
  auto_orient = {
    code = 'img.open("turned.jpg", { orient = false }):auto_orient()', from = "photo:rotate(-90)", made = "photo",
  },
  affine = { code = "photo:affine{ 1, 0.3, 0.1, 0.8 }" },
  blur = { code = "photo:blur(4)" },
  clahe = { code = "photo:clahe(3)" },
  composite = {
    code = 'photo:composite{ over = photo:flop():fit(90, 60), gravity = "right bottom", opacity = 0.9 }',
  },
  convolve = { code = "photo:convolve{ kernel = { { -2, -1, 0 }, { -1, 1, 1 }, { 0, 1, 2 } } }" },
  crop = { code = "photo:crop(40, 10, 100, 100)" },
  curves = { code = "photo:curves{ { 0, 0 }, { 64, 40 }, { 192, 220 }, { 255, 255 } }" },
  deskew = { code = 'photo:deskew{ background = "white" }', from = page .. ':rotate(6, { background = "white" })' },
  dilate = { code = "photo:dilate(2)" },
  draw = {
    code = 'photo:draw{ circle = { 96, 62, 50 }, line = { 10, 120, 55, 90 }, colour = "#ffd040", width = 3 }',
  },
  ensure_alpha = { code = 'photo:ensure_alpha():rotate(8, { background = "transparent" })' },
  erode = { code = "photo:erode(2)" },
  extend = { code = 'photo:extend{ left = 20, right = 20, top = 8, bottom = 8, background = "#8c2f1b" }' },
  extract_band = { code = 'photo:extract_band("red")' },
  fill = { code = "photo:fill(100, 100)" },
  fit = { code = "photo:fit(100, 100)" },
  flatten = { code = 'photo:flatten{ background = "orange" }', from = cut },
  flip = { code = "photo:flip()" },
  flop = { code = "photo:flop()" },
  gamma = { code = "photo:gamma(2)" },
  grayscale = { code = "photo:grayscale()" },
  invert = { code = "photo:invert()" },
  levels = { code = "photo:levels(30, 220, 1.3)" },
  linear = { code = "photo:linear(1.4, -30)" },
  median = { code = "photo:median(5)" },
  modulate = { code = "photo:modulate{ saturation = 1.5, hue = 120 }" },
  normalize = { code = "photo:normalize()", from = "photo:linear(0.4, 70)" },
  recomb = { code = "photo:recomb{ { 0.39, 0.77, 0.19 }, { 0.35, 0.69, 0.17 }, { 0.27, 0.53, 0.13 } }" },
  perspective = { code = "photo:perspective{ 40, 20, 150, 0, 190, 130, 10, 110 }" },
  remove_alpha = { code = "photo:remove_alpha()", from = cut },
  resize = { code = 'photo:resize(120, 120, { fit = "contain", background = "#202020" })' },
  rotate = { code = 'photo:rotate(12, { background = "white" })' },
  sharpen = { code = "photo:sharpen(2, { sigma = 1.5 })" },
  text = {
    code = 'photo:text{ "© {exif.Artist|Zoë Müller}", size = 16, position = "right bottom", shadow = "black" }',
  },
  threshold = { code = "photo:threshold(110)" },
  thumbnail = { code = "photo:thumbnail(80)" },
  with_metadata = {
    code = 'photo:with_metadata{ copyright = "© Zoë Müller", keywords = { "cup", "coffee" } }', is_same = true,
  },
  trim = {
    code = "photo:trim()",
    from = 'photo:crop(25, 5, 130, 110):extend{ left = 35, right = 35, top = 12, bottom = 11, background = "white" }',
  },
  tint = { code = 'photo:tint("#e0a060")' },
  to_profile = { code = 'photo:to_profile("gray")' },
}
