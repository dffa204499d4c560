-- Writes the pages of the reference. See Scripts/dev/reference.
--
--   lua5.4 generate.lua --names FACTS    prints the names of all operations
--   lua5.4 generate.lua FACTS FOLDER     writes the pages into FOLDER, which is arranged like Docs
--
-- FACTS is a folder with output of the program: ops.json, NAME.txt of each operation, the list `commands`, and
-- COMMAND.help.
local here = arg[0]:match("^(.*/)") or ""
package.path = here .. "?.lua;" .. package.path

local function contents(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

-- Reads JSON. An object becomes a table, null becomes nil.
local function decode(text)
  local at = 1
  local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
  local value
  local function skip() at = text:find("[^%s]", at) end
  local function string()
    local from = at
    repeat
      at = text:find('"', at + 1, true)
      local slashes = text:sub(from, at - 1):match("\\*$")
    until #slashes % 2 == 0
    local raw = text:sub(from + 1, at - 1)
    at = at + 1
    return (raw:gsub("\\u(%x%x%x%x)", function(code) return utf8.char(tonumber(code, 16)) end)
      :gsub("\\(.)", function(letter) return escapes[letter] or letter end))
  end
  local function members(close, read)
    local result = {}
    at = at + 1
    skip()
    while text:sub(at, at) ~= close do
      read(result)
      skip()
      if text:sub(at, at) == "," then at = at + 1 end
      skip()
    end
    at = at + 1
    return result
  end
  function value()
    skip()
    local first = text:sub(at, at)
    if first == '"' then return string() end
    if first == "[" then return members("]", function(list) list[#list + 1] = value() end) end
    if first == "{" then
      return members("}", function(object)
        local key = string()
        skip()
        at = at + 1
        object[key] = value()
      end)
    end
    local word = text:match("^[%w%.%+%-]+", at)
    at = at + #word
    if word == "true" then return true elseif word == "false" then return false end
    return tonumber(word)
  end
  return value()
end

local names = arg[1] == "--names"
local facts, folder = arg[names and 2 or 1], arg[2]
local operations, byName = decode(contents(facts .. "/ops.json")), {}
for _, operation in ipairs(operations) do byName[operation.name] = operation end
if names then
  for _, operation in ipairs(operations) do print(operation.name) end
  return
end

local examples = require "examples"

local function page(name, title, parts)
  local file = assert(io.open(folder .. "/Reference/" .. name .. ".md", "wb"))
  file:write("<!-- Made by Scripts/dev/reference from what the program declares. Change the declaration, not this page. -->\n\n",
    "# ", title, "\n\n", table.concat(parts, "\n\n"), "\n")
  file:close()
end

local function cell(text) return (text:gsub("|", "\\|")) end
local function code(text) return "`" .. text .. "`" end

local function number(value)
  return math.type(value) == "float" and value == math.floor(value) and ("%d"):format(value) or tostring(value)
end

local types = {
  boolean = "`true` or `false`", integer = "whole number", side = "whole number or percentage", number = "number",
  number_or_share = "number, or a share of the shorter side such as `5%`,", numbers = "number or list of numbers",
  text = "text", colour = "colour", lengths = "length", picture = "picture", jobs = "job or list of jobs",
  boolean_or_integer = "`true`, `false` or whole number",
  bytes = "number of bytes, or text such as `80k`", texts = "list of texts, or texts by name", text_list = "text or list of texts", fields = "texts by name",
}

local function takes(parameter)
  if parameter.choices then
    local all = {}
    for i, choice in ipairs(parameter.choices) do all[i] = code(choice) end
    for name, items in pairs(parameter.lists or {}) do
      local words = {}
      for i, item in ipairs(items) do words[i] = code(item) end
      all[#all + 1] = "or " .. code("{ " .. name .. " = { … } }") .. " with " .. table.concat(words, ", ")
    end
    return table.concat(all, ", ")
  end
  local text = types[parameter.type] or parameter.type
  if parameter.minimum and parameter.maximum then
    text = text .. ", " .. number(parameter.minimum) .. " to " .. number(parameter.maximum)
  end
  if parameter.unit ~= "" then text = text .. " " .. parameter.unit end
  return text
end

local function default(parameter)
  local value = parameter.default
  if parameter.required then return "required" end
  if value == nil or value == "" then return "" end
  if type(value) == "table" then
    local all = {}
    for i, one in ipairs(value) do all[i] = number(one) end
    return code("{ " .. table.concat(all, ", ") .. " }")
  end
  if type(value) == "number" then return code(number(value)) end
  return code(tostring(value))
end

local function options(parameters)
  local lines = { "| option | takes | default | |", "| --- | --- | --- | --- |" }
  for _, parameter in ipairs(parameters) do
    lines[#lines + 1] = ("| %s | %s | %s | %s |"):format(
      code(parameter.name), cell(takes(parameter)), cell(default(parameter)), cell(parameter.help))
  end
  return table.concat(lines, "\n")
end

-- Returns an example of a call, as `imghost ops NAME` prints it.
local function call(name) return contents(facts .. "/" .. name .. ".txt"):match("\n\n  ([^\n]+)") end

local function describe(operation)
  local parts = { "## " .. operation.name, operation.summary .. ".", "```\n" .. call(operation.name) .. "\n```" }
  if #operation.parameters > 0 then parts[#parts + 1] = options(operation.parameters) end
  local example = examples[operation.name]
  if example and example.is_same then
    parts[#parts + 1] = "For example: " .. code(example.code) .. "."
  elseif example then
    local before = example.from and operation.name .. "-before" or "before"
    parts[#parts + 1] = ("| before | %s |\n| --- | --- |\n| ![before](pictures/%s.jpg) | ![after](pictures/%s.jpg) |"):format(
      code(cell(example.code)), before, operation.name)
  end
  return table.concat(parts, "\n\n")
end

-- Operations, by family.
local families = {
  { "conversion", "Areas, bands and borders" }, { "resample", "Size and angle" }, { "colour", "Colour" },
  { "convolution", "Sharpness" }, { "arithmetic", "Pictures on pictures" },
}
local index, bodies = {}, {}
for _, family in ipairs(families) do
  local links = {}
  for _, operation in ipairs(operations) do
    if operation.family == family[1] then
      links[#links + 1] = ("[%s](#%s)"):format(operation.name, operation.name)
      bodies[#bodies + 1] = describe(operation)
      if not examples[operation.name] then
        error("Scripts/dev/reference.d/examples.lua has no example of '" .. operation.name .. "'")
      end
    end
  end
  index[#index + 1] = ("| %s | %s |"):format(family[2], table.concat(links, ", "))
end
page("Operations", "Operations", {
  "Each operation is a method of a picture and returns a new one; `map` applies it to a list. Some options may be "
    .. "given in their order: `photo:resize(400, 300)` is `photo:resize{ width = 400, height = 300 }`. "
    .. "Each picture was made by the call above it. `imghost ops NAME` prints the same description.",
  "| family | operations |\n| --- | --- |\n" .. table.concat(index, "\n"),
  table.concat(bodies, "\n\n"),
  describe(byName.stats), describe(byName.dominant_colours), describe(byName.hash), describe(byName.placeholder),
  "`deskew` and `trim` measure a picture before the script goes on, because the size of the result depends on its "
    .. "pixels. The picture is decoded twice: once to measure it, and once to make the result.",
  describe(byName.deskew), describe(byName.trim),
  describe(byName.plugin),
})

page("Sources", "Sources", {
  "A source makes a picture, or a list of pictures. A picture knows its header without being decoded: `width`, "
    .. "`height`, `bands`, `bits`, `has_alpha`, `format`, `dpi`, `exif`, `xmp`, `iptc`, `path`, `name`, `stem`.",
  "`open`, `pages` and `glob` also take the options of the file's format, such as `dpi` of PDF. [Formats](../Formats.md) "
    .. "lists them, and `imghost plugins` those of the installed codecs.",
  describe(byName.open), describe(byName.pages), describe(byName.glob), describe(byName.canvas),
  describe(byName["img.text"]),
})

page("Save", "save", {
  "Writes each picture of a list, or one, to a file. The format follows from the ending of the name. [Outputs](Outputs.md) "
    .. "describes the fields of names and what is never replaced; [formats](../Formats.md) what the files hold, and the "
    .. "options of formats that plugins write, such as WebP.",
  "```\n" .. call("save") .. "\n```", options(byName.save.parameters),
  "Files of several pictures take these options, and those of their format:",
  describe(byName.animation), describe(byName.multipage),
  describe(byName.tiles),
})

-- The options of a book, by topic.
local topics = {
  { "Layout", "layout rows columns cell balance gutter row_height border border_colour cell_background fit position "
    .. "enlarge reduce first_page page_multiple" },
  { "Page", "paper orientation margin dpi min_dpi max_dpi background bleed crop_marks" },
  { "Covers", "cover_of cover_pages paper_thickness cover_thickness" },
  { "Storage", "quality subsampling lossless reencode compact linearize pdf_version conformance verify" },
  { "Job", "qos after" },
  { "Captions", "caption captions caption_*" }, { "Header", "header header_*" }, { "Footer", "footer footer_*" },
  { "Page number", "page_number page_number_*" }, { "Groups of pictures", "chapter section_*" },
  { "Title page", "title_page title_page_* colophon" },
  { "Front title", "front_title front_title_*" }, { "Spine", "spine_text spine_text_*" },
  { "Accessibility", "alt alt_texts lang tagged" },
  { "Document", "title author subject keywords metadata outline link page_labels" },
  { "Viewer", "viewer_* reading_direction" },
  { "Passwords", "password owner_password allow" },
}
local left, sections = {}, {}
for i, parameter in ipairs(byName.book.parameters) do left[i] = parameter end
local function take(word)
  local found = {}
  for i = #left, 1, -1 do
    local name = left[i].name
    if name == word or word:sub(-1) == "*" and name:sub(1, #word - 1) == word:sub(1, -2) then
      table.insert(found, 1, table.remove(left, i))
    end
  end
  if #found == 0 then error("a book has no option '" .. word .. "'; see Scripts/dev/reference.d/generate.lua") end
  return found
end
for _, topic in ipairs(topics) do
  local parameters = {}
  for word in topic[2]:gmatch("%S+") do
    for _, parameter in ipairs(take(word)) do parameters[#parameters + 1] = parameter end
  end
  sections[#sections + 1] = "## " .. topic[1] .. "\n\n" .. options(parameters)
end
if #left > 0 then sections[#sections + 1] = "## Other\n\n" .. options(left) end
page("Book", "book", {
  "Writes a PDF, a picture a page or several. [Layouts](Layouts.md) shows the arrangements, [texts](Texts.md) explains "
    .. "captions and fields, [the document](Document.md) explains papers, PDF/A, tags and passwords.",
  "```\n" .. call("book") .. "\n```",
  "A table stands for several options: `caption = { text = \"a\", size = 9 }` is `caption = \"a\", caption_size = 9`. "
    .. "A length is a number of points, or a text with a unit: `\"10mm\"`.",
  table.concat(sections, "\n\n"),
})

-- The options for which a contact sheet has other defaults, from the prelude that scripts start with.
local prelude = io.popen("grep -rl --include=*.lua 'local sheet_options =' Sources"):read("l")
local usual = assert(load("return " .. contents(prelude):match("local sheet_options = (%b{})")))()
local other = { "| option | default |", "| --- | --- |" }
for _, parameter in ipairs(byName.book.parameters) do
  local value = usual[parameter.name]
  if value ~= nil then other[#other + 1] = ("| `%s` | `%s` |"):format(parameter.name, value) end
end
page("ContactSheet", "contact_sheet", {
  "Writes a PDF of small pictures with their names below. It takes the options of [book](Book.md), with these defaults:",
  "```\n" .. call("contact_sheet") .. "\n```", table.concat(other, "\n"),
  "- With `columns` alone, the sheet has as many rows as fit. `cell` replaces both.\n"
    .. "- `title` is also the `header` of every sheet, in letters of 14 points, unless another header is given.\n"
    .. "- A `min_dpi` above 200 raises `dpi`.",
  "![A sheet of six pictures in three columns, with a title](pictures/layout-contact_sheet.jpg)",
})

page("Hint", "hint", {
  "Says how books are to treat pictures: one, or a list. Returns the pictures. `hero`, `page` and `score` are for books "
    .. "that design themselves (`layout = \"auto\"`), the others for all layouts. A later hint changes only what it names. A hint also holds for what operations make of the picture, "
    .. "except `keep`.",
  "```\n" .. call("hint") .. "\n```", options(byName.hint.parameters),
  "- `keep` is a list, `{ 0.2, 0, 0.6, 1 }`, or a table, `{ x = 0.2, y = 0, w = 0.6, h = 1 }`, such as `photo.attention`. "
    .. "A picture is shown whole if its place cannot hold that part.\n"
    .. "- A cover shows all pictures that it is given. One that takes them from its book leaves out those with `skip`.\n"
    .. "- `skip` together with `hero` or `page` is a mistake.",
  "[What a picture shows](Scripts.md#what-a-picture-shows) describes `photo.attention` and `photo.score`.",
})

page("Page", "page", {
  "Makes a page of a book: a text, or pictures in places that the script gives. The page stands among the pictures of "
    .. "[book](Book.md), in a list or in a group, and between groups.",
  "```\n" .. call("page") .. "\n```",
  "```lua\n" .. [[
img.book("walks.pdf", {
  img.page{ title = "Three days in July", text = "We left early…\n\nThe second paragraph.", background = "#20303c" },
  photos,
  img.page{ template = "two columns", photos[1], photos[2] },
  img.page{ photos[3], photos[4], slots = {
    { 0, 0, 0.5, 1 },
    { 0.55, 0.1, 0.35, 0.8, crop = { 0.1, 0, 0.8, 1 }, caption = "The valley" },
  } },
}, { layout = "auto", paper = "20x20" })]] .. "\n```",
  options(byName.page.parameters),
  "- A page of text stands in every layout but `cover`. A blank line begins a paragraph; another end of line is a space. "
    .. "It has the header, footer and page number of the book, if their fields need no picture.\n"
    .. "- Pictures are the items of the table, lists among them, or `pictures = list`. They need `layout = \"auto\"`. "
    .. "Without `template` and `slots`, the design chooses how they share their page.\n"
    .. "- `slots` has a rectangle for each picture: `{ left, top, width, height }` in shares of the trimmed page, or of two "
    .. "facing pages with `spread = true`. Slots may not overlap. `crop = { x, y, w, h }` is the part of the picture that "
    .. "is shown, in shares of it; without it, the part that draws the eye. `caption` replaces the caption, and "
    .. "`text = { left, top, width, height }` is its place beside the picture.\n"
    .. "- A `title` above pictures has the look of a chapter's. A group that begins with such a page has that title in place "
    .. "of the book's `chapter`.\n"
    .. "- In an outline, a page with a title is an entry. In a tagged book, titles are headings.",
  "`imghost run --design` writes all pages of a designed book in this form: [commands](Commands.md#imghost-run).",
})

page("Verify", "verify", {
  "Proves a PDF by rendering it, and returns a report. [How a PDF is proven](../PDFProof.md) explains it; "
    .. "[verification](Verification.md) lists the checks.",
  "```\n" .. call("verify") .. "\n```", options(byName.verify.parameters),
  "| field of the report | |\n| --- | --- |\n"
    .. "| `ok` | nothing is wrong |\n| `sealed` | the PDF describes its own pages |\n"
    .. "| `verified` | both, and the pages were looked at |\n| `path`, `pages` | the file, and the number of its pages |\n"
    .. "| `sheets` | for each page `number`, `width`, `height` (points), `pictures`, `ok`, with `page_texts` also `text` |\n"
    .. "| `faults`, `remarks` | errors; warnings and notes: `page`, `severity`, `text` |\n"
    .. "| `fonts` | for each font `name`, `embedded` |\n| `text` | the faults, one a line |",
  "The same as a command, `imghost verify`: [commands](Commands.md#imghost-verify).",
})

local commands = { "```\n" .. contents(facts .. "/imghost.help"):gsub("\n$", "") .. "\n```" }
for command in io.lines(facts .. "/commands") do
  commands[#commands + 1] = "## imghost " .. command
  commands[#commands + 1] = "```\n" .. contents(facts .. "/" .. command:gsub(" ", "-") .. ".help"):gsub("\n$", "") .. "\n```"
end
page("Commands", "Commands", commands)

-- Writes a page that has `text` between the mark `<!-- NAME: … -->` and the next `<!-- end -->`, and is otherwise written
-- by hand.
local function part(path, name, text)
  local whole = contents("Docs/" .. path)
  local _, from = whole:find("<!-- " .. name .. ": made by Scripts/dev/reference -->", 1, true)
  local to = from and whole:find("<!-- end -->", from, true)
  if not to then error("Docs/" .. path .. " has no mark '" .. name .. "'; see Scripts/dev/reference.d/generate.lua") end
  local file = assert(io.open(folder .. "/" .. path, "wb"))
  file:write(whole:sub(1, from), text, whole:sub(to))
  file:close()
end

-- The operations that declare no arguments for a smaller picture.
local unscaled, words = {}, {}
local files = io.popen("grep -rlF 'scaledBy scale: Double) -> Arguments? { nil }' Sources/Pictures/ImageOperations")
for path in files:lines() do unscaled[contents(path):match('name: "([%w_]+)"')] = true end
for _, operation in ipairs(operations) do
  if unscaled[operation.name] then words[#words + 1] = code(operation.name) end
end
part("HowTo/Preview.md", "unscaled operations", table.concat(words, ", "))

-- The styles of designed books, each with its summary.
local styles = {}
for _, parameter in ipairs(byName.book.parameters) do
  for i, name in ipairs(parameter.name == "style" and parameter.choices or {}) do
    styles[i] = code(name) .. ": " .. dofile("Sources/Books/BookDesign/Styles/" .. name .. ".lua").summary
  end
end
part("Reference/Layouts.md", "styles", table.concat(styles, "; "))

-- The checks of the verifier, each with the text of its line in the list.
local checks, of = { "| of | what must hold |", "| --- | --- |" }, nil
for line in io.lines("Sources/Books/PDFVerify/Checking/CheckList.swift") do
  of = line:match("^  static let (%a+):") or of
  local text = line:match("^    [%w_]+%(.*%),  // (.+)$")
  if text then checks[#checks + 1] = ("| %s | %s |"):format(of == "page" and "a page" or "the document", cell(text)) end
  if line:find("^    [%w_]+%(.*%),$") then error("a check has no description: " .. line .. " in CheckList.swift") end
end
part("Reference/Verification.md", "checks", "\n\n" .. table.concat(checks, "\n") .. "\n\n")
