-- Makes a thumbnail of each picture of a folder, for 'Scripts/dev/slurm measure speed'.
local img = require "imghost"

img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:fit(400, 400) end):save("{stem}.jpg", { quality = 85 })
