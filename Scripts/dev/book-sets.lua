-- One set of mixed photographs for books, see Scripts/dev/book-sets.
local img = require "imghost"
local count = img.setting("count", { type = "int", minimum = 1, maximum = 2000, default = 12, help = "photographs" })
local samples = img.setting("samples", { type = "string", required = true, help = "folder of the sample photographs" })

-- Photographs by many people, each in its largest size. Names are those of their packages.
local plasma = "BytheWater,ColdRipple,ColorfulCups,DarkestHour,EveningGlow,FallenLeaf,Grey,Kite,OneStandsOut,Path,Volna,summer_1am"
local lomiri = "Bridge,Dragonfly,Kleiber,Picture_0B,Picture_1A,Wine,aitzgorri,free,friends,greentock,life,picosdeeuropa,seeding,sunset"
local mate = "Aqua,Dune,FreshFlower,Garden,GreenMeadow,LadyBird,RainDrops,Storm,TwoWings,Wood,YellowFlower"
local seen = {}
local large = img.glob("/usr/share/wallpapers/{" .. plasma .. "}/contents/images/*.jpg"):filter(function(p)
    local name = p.path:match("wallpapers/([^/]+)")
    local is_new = p.width >= 2560 and p.height >= 1440 and not seen[name]
    if is_new then seen[name] = true end
    return is_new
  end)
  .. img.glob("/usr/share/backgrounds/{" .. lomiri .. "}_by_*.jpg") .. img.glob("/usr/share/backgrounds/mate/nature/{" .. mate .. "}.jpg")

-- Mixed in an order that does not follow the packages, with one small sample after each seven large pictures.
local small = img.glob(samples .. "/*.{jpg,png}")
local found = {}
for i = 1, #large do
  table.insert(found, large[(i * 16) % #large + 1])
  if i % 7 == 0 and small[i // 7] then table.insert(found, small[i // 7]) end
end

-- Shapes as cameras and telephones give them; one in 18 is a panorama.
local shapes = { 3 / 2, 3 / 4, 4 / 3, 3 / 2, 1, 2 / 3, 16 / 9, 4 / 3, 3 / 2, 9 / 16, 3 / 2, 4 / 3, 3, 3 / 4, 3 / 2, 1, 4 / 3, 2 / 3 }

-- A part of the source with a shape, enlarged to 3,600 pixels; samples stay as they are.
local function part(source, shape, turn)
  if source.path:sub(1, #samples) == samples then return source end
  local zoom = 1 - turn % 5 * 0.12
  local w = math.floor(math.min(source.width, source.height * shape) * zoom)
  local h = math.floor(w / shape)
  local left = (source.width - w) * (turn * 3 % 8) // 7
  local top = (source.height - h) * (turn * 5 % 8) // 7
  local cut = source:crop(left, top, w, h)
  local side = shape > 2 and 6000 or 3600
  return cut:resize(side, side, { fit = "inside", kernel = "cubic" })
end

-- A page of an application: bars, lines of text, a button.
local function screenshot(index)
  local shot = img.canvas(1080, 1920, { background = "#fafafa" }):draw{ box = { 0, 0, 1080, 170 }, fill = "#3050b0" }
    :draw{ box = { 700, 1650, 320, 120 }, fill = "#20a060", radius = 30 }
  for line = 0, 20 do
    local length = 300 + (index * 37 + line * 211) % 640
    shot = shot:draw{ box = { 60, 260 + line * 62, length, 26 }, fill = "#404040" }
  end
  return shot
end

local pictures, day, minute = {}, 0, 0
local per_day = count <= 12 and 6 or count <= 60 and 12 or 25
local function add(picture, seconds)
  if #pictures >= count then return end
  if #pictures > 0 and #pictures % per_day == 0 then day, minute = day + 1, 0 end
  local date = string.format("2026-%02d-%02d %02d:%02d:%02d", 5 + day // 28, 1 + day % 28, 9 + minute // 60, minute % 60, seconds)
  table.insert(pictures, picture:with_metadata{ date = date })
end

local index = 0
while #pictures < count do
  local source, shape, turn = found[index % #found + 1], shapes[index % #shapes + 1], index // #found
  local photo = part(source, shape, turn)
  if turn % 2 == 1 then photo = photo:flop() end
  minute = minute + 7
  local kind = index % 20
  if kind == 5 then
    -- A burst of three within four seconds; the first is blurred.
    local w, h = photo.width, photo.height
    add(photo:blur(w / 150), 0)
    add(photo:crop(w // 100, 0, w - w // 50, h):linear(1.02, 1), 2)
    add(photo:crop(0, h // 100, w, h - h // 50), 4)
  elseif kind == 9 then
    add(photo:blur(photo.width / 80), 0)
  elseif kind == 13 then
    add(photo:linear(0.04, 1), 0)
  elseif kind == 17 then
    add(screenshot(index), 0)
  else
    add(photo, index % 60)
  end
  index = index + 1
end
img.list(pictures):save(count .. "/photo-{index:3}.jpg", { quality = 90, subsampling = "4:2:0", metadata = { keep = { "date" } } })
