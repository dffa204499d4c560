-- The trusted chunk that builds the script's environment, run before any prelude.
--
-- Scripts get copies of the library tables, so that their changes affect neither the preludes nor this chunk, which
-- keeps its functions in locals. `internal` holds the functions of `lua_sandbox.c`.

local internal, print_line, load_module = internal, host.print_line, host.load_module
_G.internal, host.print_line, host.load_module = nil, nil, nil
local env, modules, is_fatal = internal.environment, internal.modules, internal.is_fatal
local is_stand_in = internal.is_stand_in
local error, load, rawget, select, tostring, type = error, load, rawget, select, tostring, type
local setmetatable, concat, sort = setmetatable, table.concat, table.sort
local next, pairs, ipairs, rawlen = next, pairs, ipairs, rawlen
local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub

-- Bytecode can crash the interpreter, even if a prelude loads it from a script's function.
string.dump = nil
-- The seed is fixed, so that a script always makes the same pictures.
local fixed_seed = 20040229
math.randomseed(fixed_seed)

pcall, xpcall = internal.pcall, internal.xpcall
coroutine.resume, coroutine.wrap = internal.resume, internal.wrap
coroutine.close = internal.close

for _, name in ipairs {
  "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget",
  "rawlen", "rawset", "select", "tonumber", "tostring", "type", "xpcall", "_VERSION",
} do
  env[name] = _G[name]
end
for _, name in ipairs { "string", "table", "math", "utf8", "coroutine" } do
  env[name] = {}
  for key, value in pairs(_G[name]) do env[name][key] = value end
end
-- A stand-in is the result of a wrong call. Lua's own functions return a stand-in if an argument is one, as the host's
-- functions do, so that the script continues to its next mistake.
local tolerant = internal.tolerant
for _, name in ipairs { "math", "string", "utf8" } do
  for key, fn in pairs(env[name]) do
    if type(fn) == "function" then env[name][key] = tolerant(fn) end
  end
end
env.table.concat, env.table.unpack = tolerant(table.concat, true), tolerant(table.unpack)
env.tonumber = tolerant(tonumber)
host.kinds = {}
env.type = internal.make_type(host.kinds)
env.os = { clock = os.clock, date = os.date, difftime = os.difftime, time = os.time }
env._G = env
-- The host notes reads of globals that are not set, because it does not see an option whose value is nil.
-- `absent_global` returns whether the host needs later reads of the same name, too.
local is_noted = {}
setmetatable(env, { __index = function(_, key)
  if type(key) ~= "string" or is_noted[key] or not host.absent_global then return nil end
  is_noted[key] = not host.absent_global(key)
end })

-- Methods of strings are the functions of the sandbox.
for key in pairs(string) do string[key] = env.string[key] end
-- `("x"):upper()` finds these functions first, then those that a script adds to its table `string`.
setmetatable(string, { __index = env.string })
internal.string_metatable.__metatable = "string"

function env.print(...)
  local words = {}
  for i = 1, select("#", ...) do words[i] = tostring((select(i, ...))) end
  print_line(concat(words, "\t"))
end

-- Lua's order of string keys differs from run to run. A table with string keys is traversed in a fixed order: its list,
-- its other numbers, its strings, then all other keys. Entries that are removed meanwhile are skipped.
local function by_order(t)
  local keys, texts, rest = {}, {}, {}
  for i = 1, rawlen(t) do if rawget(t, i) ~= nil then keys[#keys + 1] = i end end
  local length = rawlen(t)
  local numbers = {}
  for key in next, t do
    local kind = type(key)
    if kind == "string" then texts[#texts + 1] = key
    elseif kind ~= "number" then rest[#rest + 1] = key
    elseif key < 1 or key > length or key % 1 ~= 0 then numbers[#numbers + 1] = key end
  end
  sort(numbers)
  sort(texts)
  for _, part in ipairs { numbers, texts, rest } do
    for _, key in ipairs(part) do keys[#keys + 1] = key end
  end
  local at = 0
  return function()
    local key, value
    repeat
      at = at + 1
      key = keys[at]
      if key == nil then return nil end
      value = rawget(t, key)
    until value ~= nil
    return key, value
  end, t, nil
end

function env.pairs(t)
  local step, state, first = pairs(t)
  if step ~= next or type(state) ~= "table" then return step, state, first end
  for key in next, state do if type(key) == "string" then return by_order(state) end end
  return step, state, first
end

-- An empty list of pictures may return a stand-in for its first item, but a loop over the list must end at once.
function env.ipairs(t)
  if is_stand_in(t) or type(t) == "table" and host.is_empty and host.is_empty(t) then return next, {}, nil end
  return ipairs(t)
end

function env.collectgarbage(what)
  if what ~= "count" then error("collectgarbage: only 'count' is available to scripts", 2) end
  return collectgarbage("count")
end

-- Finalizers run without hooks, so the time limit would not stop them.
function env.setmetatable(t, metatable)
  if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
    error("setmetatable: __gc is not available to scripts", 2)
  end
  return setmetatable(t, metatable)
end

function env.math.randomseed(...)
  if select("#", ...) == 0 then return math.randomseed(fixed_seed) end
  return math.randomseed(...)
end

local function checked(chunk, message)
  if chunk == nil and is_fatal(message) then error(message, 0) end
  return chunk, message
end

function env.load(chunk, name, _, ...)
  -- The search for the script's line of an error skips chunks whose names start with "=".
  name = type(name) == "string" and gsub(name, "^[=@]", "") or "load"
  return checked(load(chunk, "=" .. name, "t", select("#", ...) > 0 and (...) or env))
end
env.loadstring = env.load

-- Loads a plugin's file with the environment of scripts. The globals that the file sets are visible only in this file.
function host.load_plugin(source, path)
  local own = setmetatable({}, { __index = env })
  return checked(load(source, "@" .. path, "t", own))
end

local loading = {}
function env.require(name)
  if type(name) ~= "string" then error("require: the module name must be a string", 2) end
  if modules[name] ~= nil then return modules[name] end
  if find(name, "[^%w_.-]") or find("." .. name .. ".", "..", 1, true) then
    error("require: '" .. name .. "' is not a module name: use letters, digits, '_', '-' and dots", 2)
  end
  if loading[name] then error("require: module '" .. name .. "' requires itself", 2) end
  local path = gsub(name, "%.", "/") .. ".lua"
  local source = load_module(path)
  if source == nil then
    if type(env[name]) == "table" then error("require: '" .. name .. "' needs no require", 2) end
    error("require: no module '" .. name .. "' (no file " .. path .. " beside the script)", 2)
  end
  local folder = match(internal.script_name(), "^.*/") or ""
  local chunk, message = checked(load(source, "@" .. folder .. path, "t", env))
  if not chunk then error(message, 0) end
  loading[name] = true
  local guard <close> = setmetatable({}, { __close = function() loading[name] = nil end })
  local result = chunk(name, path)
  if result == nil then result = true end
  modules[name] = result
  return result
end
