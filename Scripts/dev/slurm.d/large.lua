-- Makes a picture of 12 megapixels out of a sample, for 'Scripts/dev/slurm measure speed'.
local img = require "imghost"

img.open(arg[1]):fill(4000, 3000):save("000.jpg", { quality = 92 })
