-- Makes a picture for the web of each picture of a folder, for 'Scripts/dev/slurm measure speed'.
local img = require "imghost"

img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:fit(1600, 1600):sharpen{ amount = 0.4 } end)
  :save("{stem}.jpg", { quality = 85 })
