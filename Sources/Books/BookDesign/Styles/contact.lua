-- Contact: all pictures in rows and columns of equal cells, for finding them again.

-- Returns the slots of rows and columns of equal size.
local function grid(columns, rows)
  local slots = {}
  for row = 0, rows - 1 do
    for column = 0, columns - 1 do
      slots[#slots + 1] = { column / columns, row / rows, 1 / columns, 1 / rows, crop = 0 }
    end
  end
  return slots
end

return {
  summary = "rows and columns of equal cells, up to thirty pictures a page, nothing cut off",
  margin = { inner = 0.07, outer = 0.05, top = 0.05, bottom = 0.05 },
  gap = 0.02,
  type = { title = 20, heading = 12, caption = 7, text = 8 },
  baseline = 9,
  -- Pictures take less than half of their cells, so this is the number of cells doubled.
  pictures = 40,
  repeats = true,
  templates = {
    { name = "four by five", flex = false, least = 1, slots = grid(4, 5) },
    -- For books of a given number of pages.
    { name = "five by six", flex = false, least = 21, cost = 2, slots = grid(5, 6) },
    { name = "three by four", flex = false, least = 1, cost = 2, slots = grid(3, 4) },
    { name = "two by three", flex = false, least = 1, cost = 3, slots = grid(2, 3) },
    { name = "two by two", flex = false, least = 1, cost = 4, slots = grid(2, 2) },
    { name = "one", flex = false, cost = 5, slots = grid(1, 1) },
  },
}
