-- The trusted chunk that builds the table that a test receives from `require "imghost.test"`. Its functions run
-- scripts, and check what the scripts write. A failed check is an error at the test's line, which ends the test.

local host, img = host, imghost
local error, getmetatable, ipairs, pairs = error, getmetatable, ipairs, pairs
local rawset, setmetatable, tostring, type = rawset, setmetatable, tostring, type
local concat, insert, sort = table.concat, table.insert, table.sort
local mode = host.test_mode()
local test = host.functions()
rawset(test, "folder", mode.folder)

local function fail(message, ...) error(message:format(...), 0) end

local function quoted(value)
  return type(value) == "string" and ("%q"):format(value):gsub("\\\n", "\\n") or tostring(value)
end

-- Tests ------------------------------------------------------------------------------------------

local names, slugs, current = {}, {}, nil

-- Returns a test's name in a form that can be a part of a path.
local function slug(text)
  text = text:gsub("[^%w_.\128-\255-]+", "-"):gsub("^[-.]+", "")
  if #text > 100 then text = text:sub(1, utf8.offset(text, 0, 101) - 1) end
  return text == "" and "test" or text
end

function test.test(name, fn)
  if type(name) ~= "string" or name == "" or type(fn) ~= "function" then
    fail('t.test takes a name and a function: t.test("keeps the size", function() … end)')
  end
  if current == "" then fail("t.test stands behind checks of the whole file; put those into tests, too") end
  if current then fail("t.test stands inside of the test '%s'; end that first", current) end
  if names[name] then fail("two tests are called '%s'; give each a name of its own", name) end
  local other = slugs[slug(name)]
  if other then fail("the tests '%s' and '%s' would share golden pictures; choose another name", other, name) end
  names[name], slugs[slug(name)] = true, name
  insert(names, name)
  host.test_declare(name)
  if mode.case ~= #names then return end
  current = name
  fn()
  current = nil
  host.test_ran()
end

-- Checks that a function of the module is called within a test. A file without 't.test' is one test as a whole.
local function inside(name)
  if current then return end
  if mode.case == 0 then
    current = ""
  elseif not mode.case and #names == 0 then
    host.test_whole()
  else
    fail('t.%s stands outside of a test; put it into t.test("name", function() … end)', name)
  end
end

function test.skip(reason)
  inside("skip")
  host.test_skip(type(reason) == "string" and reason or "")
end

-- Results of runs --------------------------------------------------------------------------------

local Run = { __name = "run" }
local run_methods = {}
function run_methods.path(self, name) return self.folder .. "/" .. name end
Run.__index = run_methods

function test.run(script, options)
  inside("run")
  if type(script) ~= "string" or options ~= nil and type(options) ~= "table" then
    fail('t.run takes a script and options: t.run("book.lua", { args = { "photos" }, settings = { width = 300 } })')
  end
  return setmetatable(host.test_run(script, options or {}), Run)
end

local function options_of(name, options, known)
  if options == nil then return {} end
  if type(options) ~= "table" then fail("t.%s takes its options as a table, not as a %s", name, type(options)) end
  for key in pairs(options) do
    if not known[key] then
      local all = {}
      for word in pairs(known) do insert(all, word) end
      sort(all)
      fail("t.%s: unknown option '%s'; valid: %s", name, tostring(key), concat(all, ", "))
    end
  end
  return options
end

-- Returns the messages of a run, for the end of the message about a failure.
local function said(run)
  local lines = {}
  for i, message in ipairs(run.messages) do
    if i > 10 then
      insert(lines, ("  and %d more"):format(#run.messages - 10))
      break
    end
    insert(lines, "  " .. message.text)
  end
  return #lines == 0 and "it printed no message" or "its messages:\n" .. concat(lines, "\n")
end

local function check_run(run, name)
  inside(name)
  if getmetatable(run) ~= Run then fail("t.%s takes the result of t.run first: t.%s(run, …)", name, name) end
end

local function output(run, path, name)
  check_run(run, name)
  if type(path) ~= "string" then fail("t.%s takes the name of an output second, not a %s", name, type(path)) end
  local written = {}
  for _, one in ipairs(run.outputs) do
    if one.path == path then return one end
    if #written < 20 then insert(written, one.path) end
  end
  fail("%s was not written; the run ended with status %d and wrote %s; %s", path, run.status,
    #written == 0 and "nothing" or concat(written, ", "), said(run))
end

function test.ok(run)
  check_run(run, "ok")
  if run.status ~= 0 then fail("the run ended with status %d; %s", run.status, said(run)) end
end

function test.status(run, expected)
  check_run(run, "status")
  if run.status ~= expected then
    fail("the run ended with status %d, expected %s; %s", run.status, tostring(expected), said(run))
  end
end

local function has(text, part) return text:find(part, 1, true) ~= nil end

function test.mistake(run, line, text)
  check_run(run, "mistake")
  text = text or ""
  if math.type(line) ~= "integer" or type(text) ~= "string" then
    fail('t.mistake takes a line of the script and a part of the message: t.mistake(run, 7, "unknown option")')
  end
  for _, message in ipairs(run.messages) do
    if message.kind ~= "note" and message.line == line and has(message.text, text) then return end
  end
  fail("no mistake at line %d%s; %s", line, text == "" and "" or " contains " .. quoted(text), said(run))
end

function test.message(run, text)
  check_run(run, "message")
  if type(text) ~= "string" then fail("t.message takes a part of a message") end
  for _, message in ipairs(run.messages) do if has(message.text, text) then return end end
  fail("no message contains %s; %s", quoted(text), said(run))
end

function test.printed(run, text)
  check_run(run, "printed")
  if type(text) ~= "string" then fail("t.printed takes a part of a line") end
  for _, line in ipairs(run.printed) do if has(line, text) then return end end
  fail("the script did not print %s; it printed%s", quoted(text),
    #run.printed == 0 and " nothing" or ":\n  " .. concat(run.printed, "\n  ", 1, math.min(20, #run.printed)))
end

function test.outputs(run, expected)
  check_run(run, "outputs")
  if type(expected) ~= "table" then fail('t.outputs takes all names: t.outputs(run, { "a.jpg", "book.pdf" })') end
  local wanted, missing, others = {}, {}, {}
  for _, path in ipairs(expected) do wanted[path] = true end
  for _, one in ipairs(run.outputs) do
    if not wanted[one.path] then insert(others, one.path) end
    wanted[one.path] = nil
  end
  for _, path in ipairs(expected) do if wanted[path] then insert(missing, path) end end
  if #missing + #others == 0 then return end
  local parts = {}
  if #missing > 0 then insert(parts, "missing: " .. concat(missing, ", ")) end
  if #others > 0 then insert(parts, "not expected: " .. concat(others, ", ", 1, math.min(20, #others))) end
  fail("the outputs are others; %s; status %d", concat(parts, "; "), run.status)
end

-- Pictures ---------------------------------------------------------------------------------------

function test.size(run, path, width, height)
  local one = output(run, path, "size")
  if not one.width then fail("%s has no size in pixels; t.pages checks documents", path) end
  if one.width ~= width or one.height ~= height then
    fail("%s has %dx%d pixels, expected %sx%s", path, one.width, one.height, tostring(width), tostring(height))
  end
end

-- Returns the mean values of a picture's bands as red, green, blue and alpha.
local function samples(mean)
  if #mean <= 2 then return { mean[1], mean[1], mean[1], mean[2] or 255 } end
  return { mean[1], mean[2], mean[3], mean[4] or 255 }
end

local function colour_text(values)
  local text = "#"
  for i = 1, values[4] == 255 and 3 or 4 do text = text .. ("%02x"):format(math.floor(values[i] + 0.5)) end
  return text
end

local function opened(one, page)
  if page then return img.open(one.file, { page = page }) end
  return img.open(one.file)
end

function test.pixel(run, path, x, y, colour, options)
  local one = output(run, path, "pixel")
  options = options_of("pixel", options, { tolerance = true, page = true })
  if math.type(x) ~= "integer" or math.type(y) ~= "integer" or colour == nil then
    fail('t.pixel takes a place and a colour: t.pixel(run, "a.jpg", 10, 20, "#c04020", { tolerance = 3 })')
  end
  local picture = opened(one, options.page)
  local width, height = picture.width, picture.height
  if x < 0 or y < 0 or x >= width or y >= height then
    fail("(%d, %d) lies outside of %s, which has %dx%d pixels", x, y, path, width, height)
  end
  local found = samples(picture:crop(x, y, 1, 1):stats().mean)
  local wanted = samples(img.canvas(1, 1, { background = colour }):stats().mean)
  local most = 0
  for i = 1, 4 do most = math.max(most, math.abs(found[i] - wanted[i])) end
  local tolerance = options.tolerance or 0
  if most > tolerance then
    fail("pixel (%d, %d) of %s is %s, expected %s; it is off by %g, and the tolerance is %g", x, y, path,
      colour_text(found), colour_text(wanted), most, tolerance)
  end
end

-- Golden pictures --------------------------------------------------------------------------------

-- Returns a gray picture of how much two pictures differ: for each pixel, the largest difference of any band.
local function difference(one, other)
  local function over(background)
    local a, b = one:flatten{ background = background }, other:flatten{ background = background }
    local all = a:composite{ over = b, blend = "difference", left = 0, top = 0 }
    local most = all:extract_band("red")
    for _, band in ipairs { "green", "blue" } do
      most = most:composite{ over = all:extract_band(band), blend = "lighten", left = 0, top = 0 }
    end
    return most
  end
  if not one.has_alpha and not other.has_alpha then return over("black") end
  return over("black"):composite{ over = over("white"), blend = "lighten", left = 0, top = 0 }
end

-- Saves a picture with the golden picture, the output and the difference side by side; the difference is red.
local function show_failure(file, golden, actual, most, tolerance)
  local gap, side = 12, 800
  local parts = { golden, actual }
  if most then
    local mask = most:threshold(math.min(255, math.floor(tolerance) + 1)):dilate(1)
    local red = img.canvas(actual.width, actual.height, { background = "#ff2020" })
      :composite{ over = mask, blend = "multiply", left = 0, top = 0 }
    insert(parts, img.canvas(actual.width, actual.height, { background = "#404040" })
      :composite{ over = actual:flatten{ background = "white" }:grayscale(), opacity = 0.3, left = 0, top = 0 }
      :composite{ over = red, blend = "lighten", left = 0, top = 0 })
  end
  local width, height = gap, 0
  for i, part in ipairs(parts) do
    parts[i] = part:thumbnail(side)
    width, height = width + parts[i].width + gap, math.max(height, parts[i].height)
  end
  local sheet, left = img.canvas(width, height + 2 * gap, { background = "#8a8a8a" }), gap
  for _, part in ipairs(parts) do
    sheet = sheet:composite{ over = part, left = left, top = gap }
    left = left + part.width + gap
  end
  sheet:save((file:gsub("[{}]", "%0%0"))):await()
end

-- The name of a file is a template for `save`, so its braces are doubled.
local function literal(name) return (name:gsub("[{}]", "%0%0")) end

function test.golden(run, path, options)
  if ("/" .. path .. "/"):find("/../", 1, true) then
    fail("%s lies outside of the output folder; save it inside", path)
  end
  local one = output(run, path, "golden")
  options = options_of("golden", options, { golden = true, page = true, tolerance = true, share = true })
  local ending = options.page and ("-%d.png"):format(options.page) or ".png"
  local place = mode.name .. "/" .. slug(current) .. "/" .. path .. ending
  local golden = options.golden or "golden/" .. place
  local failure = "test-failures/" .. place
  local function whole(name) return name:sub(1, 1) == "/" and name or mode.project .. "/" .. name end
  local actual = opened(one, options.page)
  if mode.updates then
    local result = actual:save(literal(whole(golden))):await()
    if result.ok then host.test_updated(golden) end
    host.test_forget(failure)
    return
  end
  if not host.test_exists(golden) then
    fail("there is no golden picture %s; run 'imghost test --update', and look at what it writes", golden)
  end
  local expected = img.open(whole(golden), { orient = false })
  if actual.width ~= expected.width or actual.height ~= expected.height then
    show_failure(whole(failure), expected, actual)
    fail("%s has %dx%d pixels, and %s has %dx%d; see %s", path, actual.width, actual.height, golden,
      expected.width, expected.height, failure)
  end
  local tolerance = options.tolerance or 0
  local most = difference(actual, expected)
  local stats = most:stats()
  local count = 0
  for sample, pixels in ipairs(stats.histogram[1]) do
    if sample - 1 > tolerance then count = count + pixels end
  end
  local all = actual.width * actual.height
  if count > (options.share or 0) * all then
    show_failure(whole(failure), expected, actual, most, tolerance)
    fail("%s differs from %s in %d of %d pixels, by up to %g; the tolerance is %g; see %s, which shows golden picture, "
      .. "output and difference", path, golden, count, all, stats.maximum[1], tolerance, failure)
  end
  host.test_forget(failure)
end

-- Documents --------------------------------------------------------------------------------------

local reports = {}
local function report(one)
  -- The key is not the path, because another run may have written a different file to it.
  reports[one] = reports[one] or img.verify(one.file, { page_texts = true })
  return reports[one]
end

function test.pages(run, path, count)
  local found = report(output(run, path, "pages"))
  if found.pages ~= count then
    fail("%s has %d page%s, expected %s%s", path, found.pages, found.pages == 1 and "" or "s", tostring(count),
      found.pages == 0 and "; " .. found.text or "")
  end
end

function test.verified(run, path)
  local found = report(output(run, path, "verified"))
  if not found.verified then fail("%s does not verify: %s", path, found.text) end
end

local function plain(text) return (text:gsub("%s+", " ")) end

function test.text(run, path, text, options)
  local one = output(run, path, "text")
  options = options_of("text", options, { page = true })
  if type(text) ~= "string" then fail('t.text takes a text: t.text(run, "book.pdf", "Summer", { page = 2 })') end
  local found = report(one)
  local sheets = found.sheets
  if options.page then
    if not sheets[options.page] then fail("%s has no page %s, only %d", path, tostring(options.page), #sheets) end
    sheets = { sheets[options.page] }
  end
  local all = {}
  for _, sheet in ipairs(sheets) do
    local here = plain(sheet.text or "")
    if has(here, plain(text)) then return end
    insert(all, here)
  end
  local shown = concat(all, " / ")
  if #shown > 300 then shown = shown:sub(1, utf8.offset(shown, 0, 300) - 1) .. "…" end
  fail("%s of %s lacks %s; %s", options.page and "page " .. options.page or "the text", path, quoted(text),
    shown:find("%S") and "it is: " .. shown or "it has no text")
end

-- Values -----------------------------------------------------------------------------------------

local function are_equal(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do if not are_equal(value, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

local function shown(value)
  if type(value) ~= "table" then return quoted(value) end
  local parts, seen = {}, {}
  for i, item in ipairs(value) do
    seen[i] = true
    insert(parts, shown(item))
  end
  local keys = {}
  for key in pairs(value) do if not seen[key] then insert(keys, tostring(key)) end end
  sort(keys)
  for _, key in ipairs(keys) do insert(parts, key .. " = " .. shown(value[key])) end
  return "{ " .. concat(parts, ", ") .. " }"
end

function test.equal(found, expected, what)
  inside("equal")
  if not are_equal(found, expected) then
    fail("%s is %s, expected %s", what or "the value", shown(found), shown(expected))
  end
end

function test.near(found, expected, tolerance, what)
  inside("near")
  if type(found) ~= "number" or type(expected) ~= "number" or type(tolerance) ~= "number" then
    fail("t.near takes a value, what it should be, and how far it may be off, all numbers")
  end
  if not (math.abs(found - expected) <= tolerance) then
    fail("%s is %s, expected %s within %s", what or "the value", tostring(found), tostring(expected),
      tostring(tolerance))
  end
end

-- Tests get an empty table with the module behind it, so that they cannot replace anything in the module.
imghost_test = setmetatable({}, {
  __index = function(_, key)
    if test[key] ~= nil then return test[key] end
    local all = {}
    for name in pairs(test) do insert(all, name) end
    sort(all)
    return host.unknown_method("imghost.test", key, all)
  end,
  __newindex = function(_, key) host.fail("imghost.test cannot be changed; '" .. tostring(key)
    .. "' was assigned to it") end,
  __metatable = "imghost.test",
})
