-- Duotone: shadows take one ink, highlights another, and everything between is a mix of the two.
local img = require "imghost"

return img.plugin{
  name = "duotone",
  version = "1.0",
  summary = "Prints a picture in two inks: one for its shadows, one for its highlights",
  parameters = {
    { name = "shadows", type = "colour", default = "#1b1f4b", group = "Inks", help = "Ink of the darkest tones" },
    { name = "highlights", type = "colour", default = "#f6e3b4", group = "Inks", help = "Ink of the brightest tones" },
    { name = "strength", type = "float", minimum = 0, maximum = 1, default = 1, step = 0.05,
      help = "How much of it is laid over the picture's own colours" },
    { name = "contrast", type = "float", minimum = 0.5, maximum = 2, default = 1, step = 0.05,
      help = "Contrast of the tones before they are inked" },
  },
  apply = function(picture, options)
    local tones = picture:grayscale()
    if options.contrast ~= 1 then
      tones = tones:linear(options.contrast, 127.5 * (1 - options.contrast))
    end
    -- A neutral tint makes three equal bands; `linear` then maps black and white of each band to the two inks.
    local a, b = {}, {}
    for band = 1, 3 do
      b[band] = options.shadows[band]
      a[band] = (options.highlights[band] - b[band]) / 255
    end
    local inked = tones:tint("#808080"):linear{ a = a, b = b }
    if options.strength == 1 then return inked end
    return picture:composite{ over = inked, opacity = options.strength }
  end,
}
