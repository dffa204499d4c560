-- Runs the scripts and commands in Markdown pages, compares their output, and checks the pages' links. See
-- Scripts/dev/check-docs. With --extract FOLDER it runs nothing, but writes shell scripts into FOLDER: one for each
-- page, and one for each separate script. In these, `run` calls a command.
--
-- A block after a line that ends in `name`: is the file with that name. A `lua` block without a name is run separately.
-- A `console` block contains commands, `$ …`, each with its output; a line `…` matches any number of lines. The blocks
-- of a page share a folder. Commands for the reader's machine, such as `git clone`, are not run.
local root = io.popen("pwd"):read("l")
local write = arg[1] == "--write"
local extracted = arg[1] == "--extract" and arg[2]
local programs = extracted or assert(os.getenv("PROGRAMS"), "PROGRAMS is not set")
local pages = table.move(arg, extracted and 3 or write and 2 or 1, #arg, 1, {})

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function contents(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function put(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Runs a shell command in a folder; returns its output, errors among it, and its exit status.
local function run(folder, command)
  local pipe = io.popen(table.concat({
    "cd " .. quoted(folder), "export HOME=" .. quoted(folder), "PATH=" .. quoted(programs) .. ":$PATH",
    "IMGHOST_SOURCE=" .. quoted(root), "export IMGHOST_SOURCE",
    "exec timeout 800 bash -c " .. quoted(command) .. " 2>&1 </dev/null",
  }, "; "))
  local text = pipe:read("a")
  local _, _, status = pipe:close()
  return text, status
end

local function newFolder()
  local folder = io.popen("mktemp -d"):read("l")
  local _, status = run(folder, "mkdir photos scans && cp " .. quoted(root) .. "/Scripts/photos/*.* photos/ && rm photos/*.md"
    .. " && cp photos/astronaut.png photos/rocket.jpg scans/ && cp photos/chelsea.png logo.png")
  assert(status == 0)
  return folder
end

-- Runs the scripts and commands of a page in a folder with the sample photographs.
local live = {}
function live.open() return { folder = newFolder() } end
function live.put(self, place, name, text)
  run(self.folder .. "/" .. place, "mkdir -p $(dirname " .. quoted(name) .. ")")
  put(self.folder .. "/" .. place .. "/" .. name, text)
end
function live.run(self, place, command) return run(self.folder .. "/" .. place, command) end
function live.close(self) os.execute("rm -rf " .. quoted(self.folder)) end

-- Writes them to shell scripts instead, named after the page, and for separate scripts also after the line.
local written = {}
function written.open(page, line)
  local name = page:gsub("%.md$", ""):gsub("/", "-") .. (line and "-" .. line or "")
  return { file = assert(io.open(extracted .. "/" .. name .. ".sh", "wb")) }
end
function written.put(self, place, name, text)
  local path = place .. "/" .. name
  self.file:write("mkdir -p ", quoted(path:match("^(.*)/")), "\n", "cat >", quoted(path), " <<'END OF FILE'\n", text, "END OF FILE\n")
end
function written.run(self, place, command)
  self.file:write("run bash -c ", quoted(place == "." and command or "cd " .. place .. " && " .. command), "\n")
end
function written.close(self) self.file:close() end

local stage = extracted and written or live

-- Returns false for commands that install or build something, or that name the reader's own folders.
local function isRun(command)
  for _, start in ipairs{ "git ", "swift ", "sudo ", "apt", "Scripts/", "export ", ".build/" } do
    if command:sub(1, #start) == start then return false end
  end
  return not command:find("~/", 1, true)
end

local function lines(text)
  local all = {}
  for line in (text:gsub("\n$", "") .. "\n"):gmatch("(.-)\n") do all[#all + 1] = line end
  return all
end

-- Returns a line without the parts that differ between runs, or between versions of a codec's library.
local function steady(line)
  line = line:gsub("%d[%d.]* m?s%f[%W]", "TIME"):gsub("%d[%d.]* [kKMG]?i?B%f[%W]", "SIZE")
  return (line:gsub("%d[%d.]* dB%f[%W]", "QUALITY"):gsub("%s+$", ""))
end

-- Whether lines match those that a page shows, `…` for any number.
local function match(shown, i, got, j)
  if i > #shown then return j > #got end
  if shown[i] == "…" then
    for next = j, #got + 1 do if match(shown, i + 1, got, next) then return true end end
    return false
  end
  return j <= #got and steady(shown[i]) == steady(got[j]) and match(shown, i + 1, got, j + 1)
end

local failures = 0
local function fail(page, line, text)
  failures = failures + 1
  io.stderr:write(page, ":", line, ": ", text, "\n")
end

local layers = { System = true, Pictures = true, Engine = true, Books = true, Scripting = true, Programs = true }
local folders = { Sources = true, Tests = true, Scripts = true, Plugins = true, Docs = true }

-- Reports links to missing files and headings, and paths of the project that do not exist.
local function checkLinks(page, number, line)
  for path in line:gmatch("`([%w/_.+-]+/[%w/_.+-]+)`") do
    local first = path:match("^%a+")
    local full = layers[first] and "Sources/" .. path or path
    if (layers[first] or folders[first]) and not path:find("+Name", 1, true)
      and os.execute("test -e " .. quoted(full)) ~= true then
      fail(page, number, "there is no file " .. full)
    end
  end
  for target in line:gsub("`[^`]*`", ""):gmatch("%]%(([^)%s]+)%)") do
    local path, heading = target:match("^([^#]*)#?(.*)$")
    -- Pages of the site that hosts the repository are no files.
    local isHosted = target:find("^%.%./%.%./actions/") or target:find("^%.%./%.%./releases$")
    if not target:find("^%a+:") and not isHosted then
      local file = path == "" and page or page:match("^(.*/)") and page:match("^(.*/)") .. path or path
      if os.execute("test -e " .. quoted(file)) ~= true then
        fail(page, number, "there is no file " .. path)
      elseif heading ~= "" then
        local found = false
        for other in io.lines(file) do
          local title = other:match("^#+ (.*)")
          if title and title:lower():gsub("[^%w%s_-]", ""):gsub("%s", "-") == heading then found = true end
        end
        if not found then fail(page, number, "there is no heading #" .. heading .. " in " .. path) end
      end
    end
  end
end

local function runExample(page, line, text)
  local scene = stage.open(page, line)
  -- The page of a plugin uses the plugin in its own folder.
  local own = page:match("^(Plugins/.*)/")
  local path = own and "IMGHOST_PLUGIN_PATH=" .. quoted(root .. "/" .. own) .. " " or ""
  local head = 'local img = require "imghost" '
  if text:find("%f[%w]photos%f[%W]") and not text:find("local photos") then
    head = head .. 'local photos = img.glob("photos/*.{jpg,png}") '
  end
  stage.put(scene, ".", "example.lua", head .. text)
  local output, status = stage.run(scene, ".", path .. "imghost run example.lua")
  if output and status ~= 0 then
    fail(page, line, "the script ends with status " .. tostring(status) .. "\n" .. output)
  end
  stage.close(scene)
end

for _, page in ipairs(pages) do
  local source = lines(contents(page))
  local result, scene, place = {}, nil, "."
  local index, named = 1, nil
  while index <= #source do
    local line = source[index]
    local language = line:match("^```(%w*)")
    if not language then
      if not extracted then checkLinks(page, index, line) end
      if line:match("%S") then named = line:match("`([%w_./-]+)`:$") end
      result[#result + 1] = line
      index = index + 1
    else
      local first, body = index + 1, {}
      index = first
      while source[index] ~= "```" do
        body[#body + 1] = source[index]
        index = index + 1
      end
      local text = table.concat(body, "\n") .. "\n"
      if named or language == "console" then scene = scene or stage.open(page) end
      if named then
        stage.put(scene, place, named, text)
      elseif language == "lua" then
        runExample(page, first, text)
      elseif language == "console" then
        local after = {}
        local at = 1
        while at <= #body do
          local command = body[at]:match("^%$ (.*)")
          local start = at
          after[#after + 1] = body[at]
          at = at + 1
          local shown = {}
          while at <= #body and not body[at]:find("^%$ ") do
            shown[#shown + 1] = body[at]
            at = at + 1
          end
          local kept = shown
          if not command then
            fail(page, first + start - 1, "a console block begins with a command")
          elseif isRun(command) then
            if command:match("^cd ") then
              place = place .. "/" .. command:match("^cd (%S+)")
            else
              local output = stage.run(scene, place, command)
              local got = output == "" and {} or lines(output or "")
              if output and not match(shown, 1, got, 1) then
                if write then kept = got
                else fail(page, first + start - 1, command .. "\n  prints\n" .. output .. "  and the page shows\n"
                  .. table.concat(shown, "\n")) end
              end
            end
          end
          table.move(kept, 1, #kept, #after + 1, after)
        end
        body = after
      end
      result[#result + 1] = line
      table.move(body, 1, #body, #result + 1, result)
      result[#result + 1] = "```"
      named = nil
      index = index + 1
    end
  end
  if scene then stage.close(scene) end
  local text = table.concat(result, "\n") .. "\n"
  if write and text ~= contents(page) then put(page, text) end
end
os.exit(failures == 0)
