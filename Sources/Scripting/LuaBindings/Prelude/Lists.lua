-- Lists of pictures, and the functions of the module that make and take them.
--
-- A part of the prelude: see `need` in Prelude.lua.

local imghost, need = ...
local host = host
local is_mistake = host.is_mistake
local ipairs, pairs, type, setmetatable, getmetatable = ipairs, pairs, type, setmetatable, getmetatable
local insert, sort, move = table.insert, table.sort, table.move

local List = {}
local list_methods = host.functions()
local items_of = setmetatable({}, { __mode = "k" })
-- Lists that are empty because of a reported mistake, with the stand-ins for their first pictures.
local missing_of = setmetatable({}, { __mode = "k" })

-- Lists that contain pages of a book; only books take such lists.
local paged = setmetatable({}, { __mode = "k" })
local function is_page(value) return getmetatable(value) == "page" end

-- `missing` is the stand-in of the list that the new list is made from, if that list is empty by mistake.
local function new_list(items, missing)
  local list = setmetatable({}, List)
  items_of[list] = items
  if #items == 0 then missing_of[list] = missing end
  return list
end
-- Returns whether a list is empty by mistake: loops over it must end, although it has a stand-in for its first picture.
host.is_empty = function(list) return missing_of[list] ~= nil end
List.__metatable = "list"
List.__len = function(self) return #items_of[self] end
List.__tostring = function(self) return "list of " .. #items_of[self] .. " pictures" end
-- A loop `for picture in list do` calls the list. The result, nil, ends the loop.
List.__call = function()
  host.fail("a list cannot be called; walk it with ipairs(list) or list:each(function(p) … end)")
end
List.__newindex = function() host.fail("a list cannot be changed; make another with map or filter") end
List.__index = function(self, key)
  if type(key) == "number" then return items_of[self][key] or key == 1 and missing_of[self] or nil end
  if list_methods[key] then return list_methods[key] end
  local names = {}
  for name in pairs(list_methods) do insert(names, name) end
  sort(names)
  return host.unknown_method("list", key, names)
end
List.__pairs = function(self) return ipairs(items_of[self]) end
List.__concat = function(a, b)
  local left, right = host.pictures(a), host.pictures(b)
  if is_mistake(left) then return left end
  if is_mistake(right) then return right end
  local list = new_list(move(right, 1, #right, #left + 1, move(left, 1, #left, 1, {})), missing_of[a] or missing_of[b])
  for _, item in ipairs(items_of[list]) do paged[list] = paged[list] or is_page(item) or nil end
  return list
end
host.concat = List.__concat

-- Returns the pictures of a list or a plain table, or a table with the one picture given. If `takes_pages` is true,
-- pages of books are valid, too.
local function items(value, what, takes_pages)
  if items_of[value] then
    if not paged[value] or takes_pages then return items_of[value] end
    return host.fail(what .. " takes pictures, and the list has pages, which only books take; add them last")
  end
  if takes_pages and is_page(value) then return { value } end
  local kind = host.kind(value)
  if kind == "picture" then return { value } end
  if is_mistake(value) then return value end
  if type(value) ~= "table" then return host.fail(what .. " takes pictures, not " .. kind) end
  for i, item in ipairs(value) do
    if is_mistake(item) then return item end
    if host.kind(item) ~= "picture" and not (takes_pages and is_page(item)) then
      return host.fail(what .. " takes pictures; item " .. i .. " is " .. (is_page(item) and "a page" or host.kind(item)))
    end
  end
  return value
end
host.pictures = function(value) return items(value, "..", true) end

-- Returns the pictures of the list on which a method is called.
local function own(self, name)
  if paged[self] then return items(self, name) end
  return items_of[self]
    or host.fail(name .. " is called on a list with a colon: list:" .. name .. "(…)")
end

-- Calls fn for each picture with a readable header, and passes the picture and fn's result to `use`. The host reports
-- all other pictures, which are passed to `unreadable`. If the run continues after errors, `unreadable` also gets the
-- pictures of which fn needs a part that cannot be read. Returns a stand-in if the call itself is wrong.
local function each(self, fn, name, use, unreadable)
  local all = own(self, name)
  if is_mistake(all) then return all end
  if is_mistake(fn) then return fn end
  if type(fn) ~= "function" then return host.fail(name .. " takes a function, not " .. host.kind(fn)) end
  local readable = host.read_headers(all)
  for i, picture in ipairs(all) do
    if readable[i] then
      host.enter_item()
      local ok, result = pcall(fn, picture, i)
      local is_given_up = host.leave_item(not ok and result)
      if ok then use(picture, result) elseif is_given_up then unreadable(picture)
      else error(result, 0) end
    else
      unreadable(picture)
    end
  end
end

function list_methods.map(self, fn)
  local out = {}
  local mistake = each(self, fn, "map", function(picture, result)
    if host.kind(result) == "picture" then return insert(out, result) end
    if not is_mistake(result) then
      if result == nil then host.forget_item() end
      host.fail("the function given to map returned " .. host.kind(result) .. ", not a picture"
        .. (result == nil and "; begin its last line with return" or ""))
    end
    insert(out, host.unreadable(picture))
  end, function(picture) insert(out, host.unreadable(picture)) end)
  return mistake or new_list(out, missing_of[self])
end

-- `why` is the reason that a note about the omitted pictures gives.
function list_methods.filter(self, fn, why)
  if why ~= nil and type(why) ~= "string" and not is_mistake(why) then
    return host.fail("filter takes a function and a reason for leaving out the others, a string, not "
      .. host.kind(why))
  end
  local out, rest = {}, {}
  local mistake = each(self, fn, "filter",
    function(picture, keep) insert(keep and out or rest, picture) end, function() end)
  if why and #rest > 0 then host.left_out(rest, why) end
  return mistake or new_list(out, missing_of[self])
end

function list_methods.each(self, fn)
  return each(self, fn, "each", function() end, function() end) or self
end

-- Returns a function that gives the sort key of a picture's date. Pictures without a date come last, in their original
-- order, and are added to `undated`.
local function by_date(undated)
  return function(picture)
    local taken = host.taken(picture)
    if not taken then insert(undated, picture) end
    return taken and taken.order or math.huge
  end
end

-- Sorts by the result of fn for each picture, or by "date"; pictures with equal results keep their order.
function list_methods.sort_by(self, fn)
  local undated = {}
  if fn == "date" then fn = by_date(undated) end
  if type(fn) ~= "function" then
    return host.fail("sort_by takes \"date\" or a function, not "
      .. (type(fn) == "string" and "\"" .. fn .. "\"" or host.kind(fn)))
  end
  local keyed = {}
  local mistake = each(self, fn, "sort_by", function(picture, key)
    insert(keyed, { key = key, index = #keyed, picture = picture })
  end, function() end)
  if mistake then return mistake end
  local first = keyed[1] and type(keyed[1].key)
  for _, entry in ipairs(keyed) do
    if is_mistake(entry.key) then return entry.key end
    if type(entry.key) ~= first or (first ~= "number" and first ~= "string") then
      return host.fail("the function given to sort_by must return only numbers or only strings; it returned "
        .. host.kind(entry.key))
    end
  end
  sort(keyed, function(a, b)
    if a.key ~= b.key then return a.key < b.key end
    return a.index < b.index
  end)
  local out = {}
  for i, entry in ipairs(keyed) do out[i] = entry.picture end
  if #undated > 0 then host.undated(undated, #keyed, "sort_by") end
  return new_list(out, missing_of[self])
end

function list_methods.take(self, count)
  local all = own(self, "take")
  if is_mistake(all) then return all end
  if is_mistake(count) then return count end
  if math.type(count) ~= "integer" or count < 0 then return host.fail("take takes a number of pictures, such as take(3)") end
  return new_list(move(all, 1, math.min(count, #all), 1, {}), missing_of[self])
end

function list_methods.smallest_common_size(self)
  return host.smallest_common_size(own(self, "smallest_common_size"))
end
function list_methods.save(self, ...) return host.save(own(self, "save"), ...) end
function list_methods.tiles(self, ...) return host.tiles(own(self, "tiles"), ...) end
function list_methods.animation(self, path, ...)
  return host.animation(path, own(self, "animation"), ...)
end
function list_methods.multipage(self, path, ...)
  return host.multipage(path, own(self, "multipage"), ...)
end
function list_methods.book(self, path, ...)
  if not items_of[self] then own(self, "book") end
  return imghost.book(path, self, ...)
end

function list_methods.group_by(self, ...)
  need "MorePrelude"
  return host.group_by(self, ...)
end

-- The module -------------------------------------------------------------------------------------

function imghost.glob(...)
  local all, missing = host.glob(...)
  return is_mistake(all) and all or new_list(all, missing)
end
function imghost.pages(...)
  local all, missing = host.pages(...)
  return is_mistake(all) and all or new_list(all, missing)
end
function imghost.list(pictures)
  local all = items(pictures, "list")
  if is_mistake(all) then return all end
  return new_list(move(all, 1, #all, 1, {}), missing_of[pictures])
end
function imghost.book(path, pictures, options, ...)
  if host.kind(pictures) == "job" then
    need "MorePrelude"
    pictures, options = host.of_book(pictures, options)
  end
  -- The argument may also be a table of lists, pages and groups of pictures, such as the result of group_by.
  local parts = paged[pictures] and items_of[pictures] or is_page(pictures) and { pictures } or pictures
  if type(parts) == "table" and not items_of[parts] then
    for _, part in ipairs(parts) do
      if type(part) == "table" then
        need "MorePrelude"
        pictures = host.joined(parts)
        if is_mistake(pictures) then return pictures end
        break
      end
    end
  end
  return host.book(path, items(pictures, "book"), options, ...)
end

function imghost.animation(path, pictures, ...)
  return host.animation(path, items(pictures, "animation"), ...)
end
function imghost.multipage(path, pictures, ...)
  return host.multipage(path, items(pictures, "multipage"), ...)
end

return { items = items, each = each, new = new_list, items_of = items_of }
