# shellcheck shell=bash
# Scripts that wait for jobs, order them, cancel them and read their results, and that verify their own books.
cat >batches.lua <<'LUA'
local img = require "imghost"
local photos = img.glob("photos/*.{jpg,png}")
local small = photos:map(function(p) return p:thumbnail(120) end)
local first = small:save("small/{index:3}-{stem}.jpg", { quality = 80 })
local book = img.book("small.pdf", small, { paper = "a6", margin = "5mm", after = first, note = { kind = "book" } })
local result = first:await()
print(result.written, result.files[1], first.state)
local again = img.glob("small/*.jpg")
print(#again, again[1].width, again[1]:stats().mean[1])
local sheet = img.contact_sheet("sheet.pdf", again, { columns = 3, title = "Small" })
print(book:await().pages, sheet:await().ok)
local report = img.verify("small.pdf", { pages = 6, page_texts = true })
print(report.ok, report.verified, report.pages, #report.faults, report.text)
local never = photos[1]:save("never.png", { after = sheet })
never:cancel()
print(never:await().ok, never.state)
img.qos("background", function() return photos:save("copies/{name}") end)
photos[2]:tiles("tiles", { layout = "iiif", size = 128 })
img.animation("turning.webp", { photos[1]:fill(60, 60), photos[2]:fill(60, 60) }, { delay = 0.2 })
img.multipage("pages.tif", small)
LUA
run imghost check batches.lua
run imghost run --dry-run batches.lua
run imghost run -j 1 -v --out first batches.lua
run imghost run -j 1 -v batches.lua
run imghost run --json --manifest made.json batches.lua
run imghost verify made.json

cat >callbacks.lua <<'LUA'
local img = require "imghost"
local photos = img.glob("photos/*.{jpg,png}")
local small = photos:map(function(p) return p:thumbnail(120) end):save("small/{stem}.png")
local book = img.book("book.pdf", photos, { paper = "a6", after = small })
img.all{ small, book }:on_done(function(both) print("all well:", both.ok) end)
book:on_done(function(r) print(r.path, r.pages, r.written) img.canvas(5, 5):save("late.png") end)
small:on_done(function(r) print("small", r.written, #r.files) end)
LUA
run imghost run -v --out callbacks callbacks.lua
shards 2 callbacks-far callbacks.lua

cat >failing.lua <<'LUA'
local img = require "imghost"
local broken = img.open("damaged/cut.png"):save("broken.jpg")
local after = img.open("photos/coffee.png"):save("after.jpg", { after = broken })
print(after:await().ok, after.state)
img.book("partly.pdf", { img.open("photos/coffee.png"), img.open("damaged/cut.jpg") }, { paper = "a6", verify = true })
LUA
run imghost run -j 1 --out stop failing.lua
run imghost run -j 1 --out continue --on-error continue failing.lua
run imghost run -j 1 --json --out continue --on-error continue --manifest failed.json --report failed.html failing.lua
