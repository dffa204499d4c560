-- Contact sheet: many small pictures a page in full rows, as an index. Nothing is cropped.

-- Returns a template with `count` pictures in rows. Rows that need one more picture are the upper ones, or with `below`
-- the lower ones.
local function rows(count, lines, below)
  local width = math.min(1, count / 3) * (below and lines == 1 and 0.8 or 1)
  local slots = {}
  for line = 1, lines do
    local place = below and lines + 1 - line or line
    local own = count // lines + (place <= count % lines and 1 or 0)
    for column = 1, own do
      slots[#slots + 1] = { (1 - width) / 2 + (column - 1) / own * width, (line - 1) / lines, width / own, 1 / lines, crop = 0 }
    end
  end
  -- The cost keeps the number of pages of a group small.
  return { name = string.format("%d in %d row%s", count, lines, lines > 1 and "s" or below and ", smaller" or ""), align = "top", cost = 3, slots = slots }
end

local templates = {}
for count = 1, 27 do
  local few, some = math.ceil(count / 4.5), math.ceil(count / 3)
  templates[#templates + 1] = rows(count, few)
  if some > few or some == 1 then templates[#templates + 1] = rows(count, some, true) end
end

return {
  summary = "up to 27 small pictures a page in rows from edge to edge, nothing cut off",
  margin = { inner = 0.07, outer = 0.05, top = 0.05, bottom = 0.05 },
  gap = 0.015,
  type = { title = 20, heading = 12, caption = 7, text = 8 },
  baseline = 9,
  look = { corners = 0.006 },
  pictures = 18,
  templates = templates,
}
