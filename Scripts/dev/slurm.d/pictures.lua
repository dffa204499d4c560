-- Makes the pictures of 'Scripts/dev/slurm test': 48 different ones, out of the samples.
--
--   imghost run --out FOLDER Scripts/dev/slurm.d/pictures.lua SAMPLES
local img = require "imghost"

local samples = { "astronaut.png", "chelsea.png", "coffee.png", "hubble_deep_field.jpg", "rocket.jpg", "retina.jpg" }
for number = 0, 47 do
  local sample = img.open(arg[1] .. "/" .. samples[number % #samples + 1])
  local part = 1 - number // #samples * 0.05
  sample:crop(0, 0, math.floor(sample.width * part), math.floor(sample.height * part))
    :fill(900, 600):save(("%02d.jpg"):format(number), { quality = 88 })
end
