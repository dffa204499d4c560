-- The trusted chunk that builds the table that `require "imghost"` returns to scripts.
--
-- The host checks and describes pictures; this file gives them the form that Lua scripts use: methods, lists, jobs.
-- Functions that need the script's line are called from here directly, so that the host can find that line.

local host, types = host, types
local ipairs, pairs, type, setmetatable = ipairs, pairs, type, setmetatable
local getmetatable, rawset = getmetatable, rawset
local insert, sort = table.insert, table.sort

-- The functions of the module. Each refuses to be called with a colon, which would pass the module to it.
imghost = setmetatable({ version = host.version(), settings = {} }, {
  __newindex = function(functions, name, fn)
    rawset(functions, name, host.framed(function(...)
      if getmetatable((...)) == "imghost" then
        return host.fail(name .. " is called with a dot: img." .. name .. "(…)")
      end
      return fn(...)
    end))
  end,
})

-- Returns a table for functions that scripts call. Each is called through a function in C, so that a tail call, such as
-- `return picture:blur(2)`, does not replace the script's frame and lose its line.
function host.functions()
  return setmetatable({}, {
    __newindex = function(functions, name, fn) rawset(functions, name, host.framed(fn)) end,
  })
end

-- Mistakes ---------------------------------------------------------------------------------------

-- A stand-in replaces the result of a wrong call: the call is reported, and the script continues to the next mistake.
-- Arithmetic with a stand-in and fields of a stand-in give the stand-in again.
local function is_mistake(value) return getmetatable(value) == "mistake" end
host.is_mistake = is_mistake
for _, event in ipairs { "add", "sub", "mul", "div", "mod", "pow", "unm", "idiv", "band", "bor", "bxor", "shl",
  "shr", "bnot", "concat" } do
  types.mistake["__" .. event] = function(a, b) return is_mistake(a) and a or b end
end
-- The stand-in for a misspelt method returns an invalid picture, so that mistakes in later calls are found, too.
types.mistake.__call = function(self) return host.call_mistake(self) end
-- A stand-in has at most four items, as many as a picture can have bands, so that loops end.
types.mistake.__index = function(self, key)
  if type(key) ~= "number" or key >= 1 and key <= 4 then return self end
end
types.mistake.__len = function() return 0 end
types.mistake.__pairs = function() return function() end end
types.mistake.__lt = function() return false end
types.mistake.__le = function() return false end
types.mistake.__tostring = function() return "(unknown because of a mistake)" end
types.mistake.__newindex = function() end
-- The result of `type` for a stand-in whose type is known, such as "number" for a width.
for i, kind in ipairs(host.stand_in_kinds()) do host.kinds[i] = kind end

-- Pictures ---------------------------------------------------------------------------------------

local methods, properties = host.functions(), {}
for _, name in ipairs(host.operation_names()) do
  methods[name] = function(self, ...) return host.apply(name, self, ...) end
end
for _, name in ipairs(host.property_names()) do properties[name] = true end

function methods.plugin(self, ...) return host.plugin(self, ...) end
for _, name in ipairs(host.measurement_names()) do
  methods[name] = function(self, ...) return host.measure(name, self, ...) end
end

-- Fields that a picture lacks are nil. The host notes their names, so that later errors can mention them.
local fields_of = {}
for _, block in ipairs { "exif", "xmp", "iptc" } do
  fields_of[block] = { __index = function(_, key) host.absent_field(key, block) end, __metatable = block }
end

types.picture.__index = function(self, key)
  local method = methods[key]
  if method then return method end
  if fields_of[key] then
    local fields = host.property(self, key)
    return is_mistake(fields) and fields or setmetatable(fields, fields_of[key])
  end
  if properties[key] then return host.property(self, key) end
  return host.unknown_method("picture", key, host.picture_names(), self)
end
types.picture.__newindex = function(_, key) host.fail("a picture cannot be changed; '" .. tostring(key)
  .. "' was assigned to it") end
types.picture.__tostring = function(self) return host.describe(self) end

-- Jobs -------------------------------------------------------------------------------------------

local job_methods = host.functions()
-- The stand-in for the result of a job in a shard. A shard makes only a part of the job, so reading the result is a
-- mistake of the script.
host.later = setmetatable({}, { __metatable = "result", __index = host.refuse_result, __len = host.refuse_result,
  __pairs = function() return next, {}, host.refuse_result() and nil end })
function job_methods.await(self) return host.await(self) or host.later end
function job_methods.cancel(self) return host.cancel(self) end
function job_methods.on_done(self, fn) host.on_done(self, fn) return self end

types.job.__index = function(self, key)
  if job_methods[key] then return job_methods[key] end
  if key == "state" then return host.job_state(self) end
  return host.unknown_method("job", key, { "await", "cancel", "on_done", "state" })
end

-- Outputs ----------------------------------------------------------------------------------------

function methods.save(self, ...)
  if host.kind(self) ~= "picture" then
    return host.fail("save is called on a picture with a colon: picture:save(…)")
  end
  return host.save({ self }, ...)
end

function methods.tiles(self, ...)
  if host.kind(self) ~= "picture" then
    return host.fail("tiles is called on a picture with a colon: picture:tiles(…)")
  end
  return host.tiles({ self }, ...)
end

-- Plugins written in Lua -------------------------------------------------------------------------

-- Runs a plugin's file, which calls img.plugin{ … } or returns its table.
host.on_load_plugin(function(source, path)
  local chunk, message = host.load_plugin(source, path)
  if not chunk then error(message, 0) end
  return chunk(path)
end)

-- Declares a plugin if given a table. If given a name, calls a plugin that makes a picture without taking one.
function imghost.plugin(first, ...)
  if type(first) == "table" then return host.define_plugin(first) end
  if type(first) == "string" then return host.plugin_source(first, ...) end
  if is_mistake(first) then return first end
  return host.fail("plugin takes a name, img.plugin(\"name\", { width = …, height = … }), or a table: img.plugin{ name = \"…\", apply = function(picture, options) … end }")
end

-- Checks that a plugin is installed, and its version if a requirement such as ">= 1.2" is given.
function imghost.require_plugin(...) return host.require_plugin(...) end

-- The module -------------------------------------------------------------------------------------

function imghost.open(...) return host.open(...) end
function imghost.canvas(...) return host.canvas(...) end
function imghost.text(...) return host.text(...) end
function imghost.verify(...) return host.verify(...) end
function imghost.locale(...) return host.locale(...) end

local settings = host.settings()
setmetatable(imghost.settings, {
  __index = function(_, key) return host.use_setting(key, settings[key]) end,
  __newindex = function() host.fail("settings come from --set and cannot be changed") end,
  __pairs = function()
    local all = {}
    for key in pairs(settings) do all[key] = host.use_setting(key, settings[key]) end
    return pairs(all)
  end,
  __metatable = "settings",
})

function imghost.setting(name, ...)
  local value = host.declare_setting(name, ...)
  if type(name) == "string" then settings[name] = value end
  return value
end

-- Parts ------------------------------------------------------------------------------------------

-- The rest of the module is divided into parts. Each is compiled when a script first uses one of its functions:
-- compiling all of them took a third of the start-up time of a script that needs none.
local module, loaded = imghost, {}
local part_of = {}
for _, name in ipairs { "glob", "pages", "list", "book", "animation", "multipage" } do part_of[name] = "Lists" end
for _, name in ipairs { "all", "contact_sheet", "hash_distance", "hint", "page", "qos", "race" } do
  part_of[name] = "MorePrelude"
end
local function need(name)
  if loaded[name] == nil then
    local chunk, message = load(host.prelude_part(name), "=imghost", "t")
    if not chunk then error(message, 0) end
    loaded[name] = chunk(module, need) or true
  end
  return loaded[name]
end
local function load_all()
  need "Lists"
  need "MorePrelude"
end

-- Scripts get an empty table with the module behind it, so that they cannot replace anything in the module.
imghost = setmetatable({}, {
  __index = function(_, key)
    if part_of[key] then need(part_of[key]) end
    if module[key] ~= nil then return module[key] end
    load_all()
    local names = {}
    for name in pairs(module) do insert(names, name) end
    sort(names)
    return host.unknown_method("imghost", key, names)
  end,
  __newindex = function(_, key) host.fail("imghost cannot be changed; '" .. tostring(key)
    .. "' was assigned to it") end,
  __pairs = function()
    load_all()
    return pairs(module)
  end,
  __metatable = "imghost",
})
