-- Functions that few scripts need: groups and races of jobs, pages of books, contact sheets, and more.
--
-- A part of the prelude: see `need` in Prelude.lua.

local imghost, need = ...
local lists = need "Lists"
local items, each, new_list, items_of = lists.items, lists.each, lists.new, lists.items_of
local host = host
local is_mistake = host.is_mistake
local ipairs, pairs, type, setmetatable, getmetatable = ipairs, pairs, type, setmetatable, getmetatable
local pack, unpack = table.pack, table.unpack
local coroutine = { create = coroutine.create, resume = coroutine.resume, status = coroutine.status }

-- Several jobs as one job.
local Group = {}
local await_over
local function group_result(results)
  local all = { ok = true, results = results }
  for _, result in ipairs(results) do all.ok = all.ok and result.ok end
  return all
end
local group_methods = host.functions()
function group_methods.await(self)
  local results = {}
  await_over(self)
  if host.is_divided() then return host.later end
  for i, job in ipairs(self.jobs) do results[i] = job:await() end
  return group_result(results)
end
function group_methods.cancel(self)
  for _, job in ipairs(self.jobs) do job:cancel() end
end
function group_methods.on_done(self, fn)
  if type(fn) ~= "function" then
    return host.fail("on_done takes a function: img.all{ a, b }:on_done(function(result) … end)")
  end
  local results, left = {}, #self.jobs
  if left == 0 then fn(group_result(results)) end
  for i, job in ipairs(self.jobs) do
    job:on_done(function(result)
      results[i] = result
      left = left - 1
      if left == 0 then fn(group_result(results)) end
    end)
  end
  return self
end
Group.__index = function(self, key)
  if group_methods[key] then return group_methods[key] end
  return host.unknown_method("group of jobs", key, { "await", "cancel", "on_done" })
end
Group.__metatable = "group"

local function jobs_of(jobs, name)
  if is_mistake(jobs) then return jobs end
  if type(jobs) ~= "table" then
    return host.fail(name .. " takes a list of jobs: img." .. name .. "{ a, b }")
  end
  local copy = {}
  for key in pairs(jobs) do
    if math.type(key) ~= "integer" or key < 1 or key > #jobs then
      return host.fail(name .. " takes a list of jobs without holes and names: img." .. name .. "{ a, b }")
    end
  end
  for i, job in ipairs(jobs) do
    if is_mistake(job) then return job end
    local kind = host.kind(job)
    if kind ~= "job" and getmetatable(job) ~= "group" and getmetatable(job) ~= "race" then
      return host.fail(name .. " takes jobs; item " .. i .. " is " .. kind)
    end
    copy[i] = job
  end
  return copy
end

local function is_over(job)
  local kind = getmetatable(job)
  if kind == "group" then
    for _, member in ipairs(job.jobs) do if not is_over(member) then return false end end
    return true
  elseif kind == "race" then
    for _, entrant in ipairs(job.entrants) do if is_over(entrant) then return true end end
    return false
  end
  return host.is_over(job)
end

local function leaves(job, out)
  local kind = getmetatable(job)
  local members = kind == "group" and job.jobs or kind == "race" and job.entrants
  if members then
    for _, member in ipairs(members) do leaves(member, out) end
  else
    out[#out + 1] = job
  end
  return out
end

-- Starts all jobs of the script, and waits until the given job, group or race is over.
function await_over(job)
  local all = leaves(job, {})
  if host.start() then return end
  while true do
    -- The jobs that are over are counted first: if another job ends after that, `await_next` returns at once.
    local known = host.count_over(all)
    if is_over(job) then return end
    host.await_next(all, known)
  end
end

function imghost.all(jobs)
  local copy = jobs_of(jobs, "all")
  return is_mistake(copy) and copy or setmetatable({ jobs = copy }, Group)
end

-- Several jobs that compete: only the first job to end counts.
local Race = {}
local race_methods = host.functions()
function race_methods.await(self)
  if host.is_divided() then return host.refuse_winner(), self.entrants[1] end
  await_over(self)
  for _, job in ipairs(self.entrants) do
    if is_over(job) then return job:await(), job end
  end
  return self.entrants[1]:await(), self.entrants[1]
end
function race_methods.cancel(self)
  for _, job in ipairs(self.entrants) do job:cancel() end
end
function race_methods.on_done(self, fn)
  if type(fn) ~= "function" then
    return host.fail("on_done takes a function: img.race{ a, b }:on_done(function(result, winner) … end)")
  end
  local is_called = false
  for _, job in ipairs(self.entrants) do
    job:on_done(function(result)
      if is_called then return end
      is_called = true
      fn(result, job)
    end)
  end
  return self
end
Race.__index = function(self, key)
  if race_methods[key] then return race_methods[key] end
  return host.unknown_method("race of jobs", key, { "await", "cancel", "on_done" })
end
Race.__metatable = "race"

function imghost.race(jobs)
  local copy = jobs_of(jobs, "race")
  if is_mistake(copy) then return copy end
  if #copy == 0 then return host.fail("race takes at least one job") end
  return setmetatable({ entrants = copy }, Race)
end

-- Groups of pictures ----------------------------------------------------------------------------

local function taken(part)
  return function(undated)
    return function(picture)
      local date = host.taken(picture)
      if not date then undated[#undated + 1] = picture end
      return date and date[part] or "undated"
    end
  end
end
local keys = { day = taken("day"), month = taken("month"), folder = function() return host.folder end }

-- Returns groups in the order of their first pictures: { { name = "2026-07-31", pictures = list }, … }.
function host.group_by(self, by)
  if is_mistake(by) then return by end
  local undated, count = {}, 0
  local fn = keys[by] and keys[by](undated) or by
  if type(fn) ~= "function" then
    return host.fail("group_by takes \"day\", \"month\", \"folder\" or a function, not "
      .. (type(by) == "string" and '"' .. by .. '"' or host.kind(by)))
  end
  local groups, places, wrong = {}, {}, nil
  local mistake = each(self, fn, "group_by", function(picture, key)
    if type(key) == "number" then key = ("%.14g"):format(key) end
    if type(key) ~= "string" then
      wrong = wrong or (is_mistake(key) and key) or host.fail(
        "the function given to group_by must return a string or a number; it returned " .. host.kind(key))
      return
    end
    local place = places[key]
    if not place then
      place = { name = key }
      places[key] = place
      groups[#groups + 1] = place
    end
    place[#place + 1] = picture
    count = count + 1
  end, function() end)
  if mistake or wrong then return mistake or wrong end
  if #undated > 0 then host.undated(undated, count, "group_by") end
  for i, group in ipairs(groups) do
    local pictures = {}
    for place, picture in ipairs(group) do pictures[place] = picture end
    groups[i] = { name = group.name, pictures = new_list(pictures) }
  end
  return groups
end

-- Returns the pictures of a book for its cover, and the cover's options. Adds the book, its title and a fit to the
-- options if they are not given.
function host.of_book(book, options)
  if type(options) ~= "table" or options.layout ~= "cover" then
    return host.fail('book takes pictures; only a cover takes a book: img.book(path, book, { layout = "cover" })')
  end
  local own = {}
  for name, value in pairs(options) do own[name] = value end
  local pictures, title = host.of_inside(book)
  if is_mistake(pictures) then return pictures end
  own.cover_of = own.cover_of or book
  own.front_title = own.front_title or title
  if own.fit == nil then own.fit = "cover" end
  return pictures, own
end

-- Pages of books -----------------------------------------------------------------------------------

-- For each page, its pictures, and the number by which the host identifies the page.
local pages = setmetatable({}, { __mode = "k" })
local Page = { __metatable = "page", __concat = host.concat }
Page.__index = function(_, key) return host.unknown_method("page", key, {}) end
Page.__newindex = function(_, key) return host.fail("a page cannot be changed; '" .. tostring(key) .. "' was assigned to it") end
Page.__tostring = function(self) return "page with " .. #pages[self].pictures .. " pictures" end
local function is_page(value) return getmetatable(value) == "page" end

-- Adds the pictures of a table of pictures and lists to `all`.
local function pictures_of(parts, all)
  for i, part in ipairs(parts) do
    if is_mistake(part) then return part end
    if items_of[part] then
      part = items(part, "page")
      if is_mistake(part) then return part end
      for _, picture in ipairs(part) do all[#all + 1] = picture end
    elseif host.kind(part) == "picture" then
      all[#all + 1] = part
    else
      return host.fail("page takes pictures; item " .. i .. " is " .. (is_page(part) and "a page" or host.kind(part)))
    end
  end
  return all
end

function imghost.page(spec, ...)
  if is_mistake(spec) then return spec end
  if type(spec) ~= "table" or items_of[spec] or is_page(spec) or ... ~= nil then
    return host.fail('page takes one table: img.page{ title = "…", text = "…" }')
  end
  local fields = {}
  for key, value in pairs(spec) do
    if is_mistake(value) then return value end
    if type(key) == "string" and key ~= "pictures" then fields[key] = value end
  end
  local all = pictures_of(spec, {})
  if is_mistake(all) then return all end
  if spec.pictures ~= nil then
    if #all > 0 then return host.fail("page has 'pictures' and others beside it; put all of them into one list") end
    local named = items(spec.pictures, "page")
    all = is_mistake(named) and named or pictures_of(named, {})
    if is_mistake(all) then return all end
  end
  local number = host.page(fields, #all)
  if is_mistake(number) then return number end
  local page = setmetatable({}, Page)
  pages[page] = { number = number, pictures = all }
  return page
end

-- Adds the parts of a book to `all`. A table of groups from `group_by` is replaced by its groups, so that pages can
-- come before and after all groups.
local function with_groups(parts, is_group, all)
  for _, part in ipairs(parts) do
    local first = is_group(part) and part.name == nil and part[1]
    if first and not items_of[first] and (is_page(first) or is_group(first)) then
      with_groups(part, is_group, all)
    else
      all[#all + 1] = part
    end
  end
  return all
end

-- Joins pictures, lists, pages and groups into one list for a book, and tells the host where the pages and groups are.
function host.joined(parts)
  local all, names, counts = {}, {}, {}
  local numbers, firsts, page_counts, page_groups = {}, {}, {}, {}
  local function add(part, place, group)
    if is_mistake(part) then return part end
    if is_page(part) then
      local page = pages[part]
      local place = #numbers + 1
      numbers[place], firsts[place], page_counts[place], page_groups[place] = page.number, #all, #page.pictures, group
      for _, picture in ipairs(page.pictures) do all[#all + 1] = picture end
    elseif host.kind(part) == "picture" then
      all[#all + 1] = part
    elseif items_of[part] then
      for i, item in ipairs(items_of[part]) do add(item, i, group) end
    else
      return host.fail("book takes pictures, lists and pages; item " .. place .. " is " .. host.kind(part))
    end
  end
  local function is_group(part) return type(part) == "table" and not items_of[part] and not is_page(part) end
  parts = with_groups(parts, is_group, {})
  local has_groups = false
  for _, part in ipairs(parts) do has_groups = has_groups or is_group(part) end
  for i, part in ipairs(parts) do
    local mistake
    if is_mistake(part) or is_page(part) or not has_groups then
      mistake = add(part, i, 0)
    elseif not is_group(part) or type(part.name) ~= "string" or not part.pictures then
      mistake = host.fail("book takes groups such as { name = \"Day 1\", pictures = list }; item " .. i .. " is "
        .. host.kind(part))
    else
      local first, first_page = #all, #numbers
      local inside = part.pictures
      if is_page(inside) or items_of[inside] or host.kind(inside) == "picture" then inside = { inside } end
      if type(inside) ~= "table" then inside = { inside } end
      for place, item in ipairs(inside) do mistake = mistake or add(item, place, #names + 1) end
      if #all > first then
        names[#names + 1] = part.name
        counts[#counts + 1] = #all - first
      else
        -- A group without pictures is left out; its pages then belong to no group.
        for page = first_page + 1, #numbers do page_groups[page] = 0 end
      end
    end
    if mistake then return mistake end
  end
  host.groups(names, counts)
  host.pages_of_book(numbers, firsts, page_counts, page_groups)
  return all
end

-- Classes of service -----------------------------------------------------------------------------

function imghost.qos(class, fn)
  if type(fn) ~= "function" then
    return host.fail('qos takes a class and a function: img.qos("background", function() … end)')
  end
  local before = host.enter_class(class)
  local inside = coroutine.create(fn)
  local results = pack(coroutine.resume(inside))
  host.enter_class(before)
  if not results[1] then error(results[2], 0) end
  if coroutine.status(inside) ~= "dead" then
    return host.fail("the function given to qos must not yield: the class applies until it returns")
  end
  return unpack(results, 2, results.n)
end

-- Hints and contact sheets -----------------------------------------------------------------------

-- Records a script's wishes for pictures in books. Some wishes affect only books with an automatic design.
function imghost.hint(pictures, ...)
  local all = items(pictures, "hint")
  if is_mistake(all) then return all end
  host.hint(all, ...)
  return pictures
end

-- The default options of a contact sheet; the script's options replace them.
local sheet_options = { layout = "grid", paper = "a4", margin = "10mm", gutter = "4mm", columns = 5,
  rows = 6, caption = "{label}", caption_size = 7, dpi = 200, balance = false }
function imghost.contact_sheet(path, pictures, options)
  if options ~= nil and type(options) ~= "table" then
    return host.fail("contact_sheet takes a path, pictures, and options in a table")
  end
  local all = {}
  for key, value in pairs(sheet_options) do all[key] = value end
  if options and options.cell then all.rows, all.columns = nil, nil end
  if options and options.columns and not options.rows then all.rows = nil end
  -- The defaults must not contradict the script's options.
  local least = options and options.min_dpi
  if math.type(least) and least > all.dpi then all.dpi = least end
  local layout = options and options.layout or "grid"
  if layout ~= "grid" then all.rows, all.columns, all.balance = nil, nil, nil end
  if layout ~= "grid" and layout ~= "justified" and layout ~= "masonry" then all.gutter = nil end
  for key, value in pairs(options or {}) do all[key] = value end
  -- A table gives several options of the caption; all others keep their defaults.
  local caption = options and options.caption
  local parts = type(caption) == "table" and caption or {}
  if type(caption) == "table" and #caption == 0 then
    all.caption = { text = sheet_options.caption }
    for part, value in pairs(caption) do all.caption[part] = value end
  end
  -- A caption size is invalid without a caption, and must not be given twice.
  local has_none = (caption == "" or parts.text == "") and not all.captions
  if has_none or parts.size ~= nil then all.caption_size = options.caption_size end
  -- If there is no header, the title becomes the header.
  if type(all.title) == "string" and all.title:find("%S") and all.header == nil and layout ~= "cover" then
    all.header = all.title:gsub("[{}]", "%0%0")
    if all.header_size == nil then all.header_size = 14 end
  end
  return host.contact_sheet(path, items(pictures, "contact_sheet"), all)
end

-- Hashes -----------------------------------------------------------------------------------------

-- Returns the number of bits in which two hashes of `picture:hash()` differ, from 0 to 64.
function imghost.hash_distance(one, other)
  local bits = {}
  for i, hash in ipairs { one, other } do
    if is_mistake(hash) then return hash end
    if type(hash) ~= "string" or not hash:match("^%x+$") or #hash ~= 16 then
      return host.fail("hash_distance takes two hashes: img.hash_distance(one:hash(), other:hash())")
    end
    bits[i] = tonumber(hash, 16)
  end
  if #bits < 2 then return host.fail("hash_distance takes two hashes: img.hash_distance(one:hash(), other:hash())") end
  local difference, count = bits[1] ~ bits[2], 0
  while difference ~= 0 do
    count, difference = count + 1, difference & difference - 1
  end
  return count
end
