"""Scenarios of a user who works with the page. Each function is a scenario with its own stage."""

import os

from stage import check

HEAD = 'local img = require "imghost"\n'
TILES = "document.querySelectorAll('.tiles > li').length"
LAYER = ".layer:not(.before) img"


def solid(color, name="a.png", width=600, height=400):
    """Returns a line of a script that saves a picture of one colour."""
    return f'img.canvas({width}, {height}, {{ background = "{color}" }}):save("{name}")\n'


def first(stage):
    """Shows pictures and pages of a script, and writes nothing."""
    stage.open(HEAD + solid("#c03020", "web/red.png") + solid("#2050c0", "web/blue.jpg", 300, 500) + f"""
local pages = {{}}
for i = 1, 6 do pages[i] = img.canvas(300, 200, {{ background = "#30a0" .. i .. "0" }}) end
img.book("book.pdf", pages, {{ paper = "a5", margin = 0, fit = "cover" }})
""")
    browser = stage.browser
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.expect_color(1, (0x20, 0x50, 0xC0))
    names = browser.run("return [...document.querySelectorAll('.tile-name')].map((each) => each.textContent)")
    check(names[:2] == ["red.png", "blue.jpg"], f"the tiles are called {names}")
    check(browser.text(".tile-detail") == "600 × 400", "the size of the first picture is not shown")
    check(browser.text("#script") == "script.lua", "the script's name is not shown")
    check(browser.count(".output") == 2, "there are not two outputs")
    browser.click("#sections li:nth-child(2) a")
    stage.settled()
    one, two, three = [browser.box(f'.book li[aria-posinset="{number}"] .frame') for number in (1, 2, 3)]
    check(abs(one[0] - three[0]) < 2 and abs(two[0] + two[2] - three[0]) < 2, "pages 2 and 3 do not form a spread")
    check(abs(two[1] - three[1]) < 2 and one[1] < two[1], "pages 2 and 3 do not stand side by side below page 1")
    check(stage.files() == ["script.lua"], f"the preview has written {stage.files()}")
    stage.expect_quiet_console()


def edits(stage):
    """Follows each save, by whatever way the editor writes, without loading the page again."""
    stage.open(HEAD + solid("#102030"))
    stage.browser.run("window.firstTile = document.querySelector('.tile')")
    for number, write in enumerate([stage.write, stage.write_in_place, stage.write, stage.write_in_place]):
        shade = 60 + 40 * number
        stage.edit(HEAD + solid(f"#{shade:02x}{shade:02x}10"), write)
        stage.expect_color(0, (shade, shade, 0x10))
    same = stage.browser.run("return window.firstTile === document.querySelector('.tile')")
    check(same, "the tile was made again")
    stage.edit(HEAD + solid("#ffffff", "b.png") + solid("#000000", "c.png"))
    check(stage.browser.count(".tiles > li") == 2, "the tiles are not those of the last version")


def mistakes(stage):
    """Shows mistakes at their lines, with the previous pictures; a correction takes them away."""
    stage.open(HEAD + solid("#c03020"))
    browser = stage.browser
    wrong = 'img.canvas(60, 40, { backgruond = "#fff" }):save("a.png")\nimg.canvas(-1, 40):save("b.png")\n'
    before, size = stage.version(), browser.box(".frame")
    stage.write(HEAD + wrong)
    stage.expect("document.querySelectorAll('.message.mistake').length === 2", what="two mistakes")
    places = [place for _, place, _ in stage.messages()]
    check(places == ["script.lua:2", "script.lua:3"], f"the mistakes are at {places}")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    now = browser.box(".frame")
    check(now == size, f"the messages have changed the picture from {size} to {now}")
    check(browser.text("#badge") == "2", f"the badge says {browser.text('#badge')}")
    check("2 mistakes" in browser.text("#status"), f"the status says '{browser.text('#status')}'")
    check(browser.run("return document.title").startswith("(2) "), "the title does not count the mistakes")
    check(browser.run("return document.querySelector('#run').disabled"), "a script with mistakes can be run")
    check(stage.version() > before, "the version is the same")
    stage.write(HEAD + "img.canvas(60, 40:save('a.png')\n")
    stage.expect("document.querySelectorAll('.message.mistake').length === 1", what="a mistake of syntax")
    check(stage.messages()[0][1] == "script.lua:2", f"the mistake is at {stage.messages()[0][1]}")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.write(HEAD + 'print("hello")\n' + solid("#20c030"))
    stage.expect_color(0, (0x20, 0xC0, 0x30))
    stage.expect("document.querySelectorAll('.message.mistake').length === 0", what="no mistakes")
    check(("Print", "hello") in [(kind, text.strip()) for kind, _, text in stage.messages()], "the print is not shown")


SETTINGS = HEAD + """
local shade = img.setting("shade", { type = "int", minimum = 0, maximum = 255, default = 40, help = "Red" })
local dark = img.setting("dark", { type = "bool", default = false })
local size = img.setting("size", { type = "enum", choices = { "small", "large" }, default = "large" })
local tint = img.setting("tint", { type = "colour", default = "#204060" })
local name = img.setting("name", { type = "string", default = "a" })
local red = dark and 0 or shade
local width = size == "large" and 400 or 100
img.canvas(width, 200, { background = string.format("#%02x%s", red, tint:sub(4, 7)) }):save(name .. ".png")
"""


def settings(stage):
    """Moves declared settings: at most one request at a time, and the last value wins."""
    stage.open(SETTINGS)
    browser = stage.browser
    check(browser.count("#settings-form .setting") == 5, "there are not five settings")
    browser.run("""
        const real = window.fetch;
        window.posts = { now: 0, most: 0, all: 0 };
        window.fetch = async (address, options) => {
            const setting = String(address).endsWith('/settings');
            if (setting) { posts.all += 1; posts.now += 1; posts.most = Math.max(posts.most, posts.now); }
            try { return await real(address, options); } finally { if (setting) posts.now -= 1; }
        };
        document.querySelector('#setting-shade').focus()""")
    browser.keys(*["ArrowRight"] * 120)
    stage.expect_color(0, (160, 0x40, 0x60))
    posts = browser.run("return posts")
    check(posts["most"] == 1 and posts["all"] < 120, f"{posts['all']} requests, {posts['most']} of them at a time")
    value = browser.run("return document.querySelector('#setting-shade').value")
    check(value == "160", f"the slider stands at {value}")
    check(browser.run("return document.activeElement.id") == "setting-shade", "the slider has lost the focus")
    browser.click(".setting:has(#setting-shade) .reset")
    stage.expect_color(0, (40, 0x40, 0x60))
    browser.click("#setting-dark")
    stage.expect_color(0, (0, 0x40, 0x60))
    browser.run("""
        const pick = document.querySelector('#setting-tint');
        pick.value = '#20c0f0';
        pick.dispatchEvent(new Event('input', { bubbles: true }))""")
    stage.expect_color(0, (0, 0xC0, 0xF0))
    browser.run("""
        const size = document.querySelector('#setting-size');
        size.value = '0';
        size.dispatchEvent(new Event('change', { bubbles: true }))""")
    stage.expect("document.querySelector('.tile-detail').textContent === '100 × 200'", what="the small picture")
    browser.click("#settings-reset")
    stage.expect_color(0, (40, 0x40, 0x60))
    stage.expect("document.querySelector('.tile-detail').textContent === '400 × 200'", what="the large picture")
    check(stage.files() == ["script.lua"], f"the preview has written {stage.files()}")


FRAME = HEAD + """
return img.plugin{ name = "frame", parameters = {
  width = { type = "int", minimum = 0, maximum = 90, default = 5, step = 5, label = "Width", group = "Edge" },
  ink = { type = "colour", default = "#204060", label = "Ink", group = "Edge" },
  at = { type = "point", default = { 0.5, 0.25 } } },
  apply = function(picture, options)
    local ink = options.ink
    return picture:extend{ left = options.width, right = options.width, background = { ink[1], ink[2], ink[3] } }
  end }
"""


def plugins(stage):
    """Moves the parameters of a plugin, which have labels, groups and steps of their own."""
    os.mkdir(f"{stage.folder}/plugins")
    stage.write(FRAME, f"{stage.folder}/plugins/frame.lua")
    stage.open(HEAD + 'img.canvas(200, 100):plugin("frame", { width = 20 }):save("a.png")\n')
    browser = stage.browser
    check(browser.run("return document.querySelector('#settings-reset').hidden"), "a value counts as changed at first")
    field = "document.getElementById('setting-frame.at')"
    value = browser.run(f"return {field}.value")
    check(value == "0.5,0.25", f"the point is {value}")
    browser.run(f"{field}.value = '0.1,0.9'; {field}.dispatchEvent(new Event('change', {{ bubbles: true }}))")
    stage.settled()
    browser.click("#settings-reset")
    stage.expect(f"{field}.value === '0.5,0.25' && document.querySelector('#settings-reset').hidden", what="the point")
    legends = "[...document.querySelectorAll('#settings-form legend')]"
    headings = browser.run(f"return {legends}.map((each) => each.textContent)")
    check("frame, script.lua:2, Edge" in headings, f"the headings are {headings}")
    slider = "document.getElementById('setting-frame.width')"
    named = browser.run(f"return {slider}.labels[0].textContent")
    check(named.startswith("Width"), f"the slider is called {named}")
    at = browser.run(f"const slider = {slider}; slider.focus(); return [slider.value, slider.step, slider.max]")
    check(at == ["20", "5", "90"], f"value, step and maximum of the slider are {at}")
    stage.expect("document.querySelector('.tile-detail').textContent === '240 × 100'", what="the script's own value")
    browser.keys("ArrowRight", "ArrowRight")
    stage.expect("document.querySelector('.tile-detail').textContent === '260 × 100'", what="two steps more")
    browser.run("""
        const pick = document.getElementById('setting-frame.ink');
        pick.value = '#20c0f0';
        pick.dispatchEvent(new Event('input', { bubbles: true }))""")
    stage.settled()
    browser.click("#settings-reset")
    stage.expect("document.querySelector('.tile-detail').textContent === '240 × 100'", what="the script's value again")
    check(stage.files() == ["plugins/frame.lua", "script.lua"], f"the preview has written {stage.files()}")
    stage.expect_quiet_console()


HEAVY = HEAD + """
for i = 1, 400 do
  local picture = img.canvas(2000, 2000, { background = "#808080" }):blur{ sigma = 40 }:sharpen{ amount = 0.4 }
  picture:save("out/" .. i .. ".png")
end
"""


def runs(stage):
    """Runs the whole script: its files appear, and the page tells the result and shows the timeline."""
    stage.open(HEAD + solid("#c03020", "out/a.png") + solid("#2030c0", "out/b.jpg"))
    browser = stage.browser
    browser.click("#run")
    stage.expect("!document.querySelector('#run-result').hidden", what="the result")
    stage.expect("!document.querySelector('#run').hidden", what="the button to run")
    check(stage.files() == ["out/a.png", "out/b.jpg", "script.lua"], f"the run has written {stage.files()}")
    check(not browser.run("return document.querySelector('#run-result').classList.contains('bad')"), "the run failed")
    browser.click("#run-result button")
    shown = "document.querySelector('#timeline[open] img')?.naturalWidth > 0"
    stage.expect(shown, what="the timeline")
    browser.keys("Escape")
    stage.expect("!document.querySelector('#timeline').open", what="the timeline closed")
    stage.expect_quiet_console()


def cancel(stage):
    """Cancels a long run: it ends, the preview goes on, and nothing is half written."""
    stage.open(HEAVY)
    browser = stage.browser
    browser.click("#run")
    stage.expect("!document.querySelector('#progress').hidden", what="progress")
    stage.expect("document.activeElement.id === 'cancel'", what="the focus on Cancel")
    browser.click("#cancel")
    stage.expect("document.querySelector('#cancel').hidden", what="the end of the run")
    out = os.path.join(stage.folder, "out")
    written = os.listdir(out) if os.path.isdir(out) else []
    check(len(written) < 400, "the run has finished before it was cancelled")
    check(all(name.split(".")[0].isdigit() and name.endswith(".png") for name in written), f"left over: {written}")
    stage.edit(HEAD + solid("#20c030"))
    stage.expect_color(0, (0x20, 0xC0, 0x30))


def keyboard(stage):
    """Reaches everything by keyboard, and finds the focus where it belongs."""
    lines = [solid(f"#{20 * i:02x}4080", f"{i}.png") for i in range(1, 10)]
    stage.open(HEAD + "".join(lines))
    browser = stage.browser
    browser.run("document.querySelector('.tile[tabindex=\"0\"]').focus()")
    label = "return document.activeElement.getAttribute('aria-label')"
    browser.keys("ArrowRight", "ArrowRight")
    check(browser.run(label) == "3.png, 600 × 400", f"the focus is on {browser.run(label)}")
    check(browser.count('.tile[tabindex="0"]') == 1, "Tab reaches more than one tile")
    browser.keys("End", "Home", "ArrowRight", "Enter")
    stage.expect("!document.querySelector('#viewer').hidden", what="the large view")
    stage.expect_color(0, (40, 0x40, 0x80), LAYER)
    browser.keys("ArrowRight")
    stage.expect_color(0, (60, 0x40, 0x80), LAYER)
    check(browser.text(".viewer-position") == "3 of 9", f"the position is {browser.text('.viewer-position')}")
    width = browser.box(".viewer-canvas")[2]
    browser.keys("+", "+", "+")
    check(browser.box(".viewer-canvas")[2] > width * 1.4, "plus does not enlarge")
    browser.keys("-", "-", "-", "-")
    browser.keys("Escape")
    stage.expect("document.querySelector('#viewer').hidden", what="the grid again")
    check(browser.run(label) == "3.png, 600 × 400", f"after Escape the focus is on {browser.run(label)}")
    tabs = [browser.keys("Tab") or browser.run("return document.activeElement.tagName") for _ in range(12)]
    check("BODY" in tabs or len(set(tabs)) > 1, f"Tab is caught at {tabs}")


def pages_before(stage):
    """Compares a page of a book with the page that the files alone would make."""
    stage.write(HEAD + solid("#20a0e0", "photo.png", 900, 600), f"{stage.folder}/make.lua")
    stage.make("make.lua")
    book = 'img.book("b.pdf", {{ img.open("photo.png"){} }}, {{ paper = "10x15", margin = 0, fit = "cover" }})\n'
    stage.open(HEAD + book.format(":invert()"))
    browser = stage.browser
    browser.click(".tile")
    stage.expect_color(0, (0xDF, 0x5F, 0x1F), LAYER)
    browser.click('[data-view="compare"]')
    stage.expect_color(0, (0x20, 0xA0, 0xE0), ".before img")
    stage.expect_color(0, (0xDF, 0x5F, 0x1F), LAYER)
    stage.edit(HEAD + book.format(""))
    stage.expect("document.querySelector('[data-view=compare]').hidden", what="nothing to compare")
    stage.expect_quiet_console()


def large(stage):
    """Compares before and after, reads pixels and the histogram, and walks through the plan."""
    stage.write(HEAD + solid("#20a0e0", "photo.png", 900, 600), f"{stage.folder}/make.lua")
    stage.make("make.lua")
    stage.open(HEAD + 'img.open("photo.png"):invert():resize(300):save("out.png")\n')
    browser = stage.browser
    browser.click(".tile")
    stage.expect_color(0, (0xDF, 0x5F, 0x1F), LAYER)
    x, y, width, height = browser.box(".viewer-canvas")
    browser.pointer((x + width / 2, y + height / 2))
    stage.expect("document.querySelector('.pixel-hex').textContent === '#df5f1f'", what="the pixel's value")
    stage.expect("document.querySelectorAll('.histogram .band').length === 3", what="a histogram of three bands")
    browser.click('[data-view="compare"]')
    stage.expect_color(0, (0x20, 0xA0, 0xE0), ".before img")
    browser.run("document.querySelector('.divider').focus()")
    browser.keys("ArrowRight", "PageUp", "ArrowLeft")
    value = "return document.querySelector('.divider').getAttribute('aria-valuenow')"
    check(browser.run(value) == "60", f"the divider stands at {browser.run(value)}")
    browser.pointer((x + width * 0.6, y + height / 2), "down", (x + width * 0.25, y + height / 2), "up")
    check(abs(int(browser.run(value)) - 25) <= 1, f"the divider was dragged to {browser.run(value)}")
    browser.click('[data-view="plan"]')
    stage.expect("document.querySelectorAll('.step').length >= 3", what="three steps")
    names = browser.run("return [...document.querySelectorAll('.step .tile-name')].map((each) => each.textContent)")
    check({"open", "invert", "resize"} <= set(names), f"the steps are {names}")
    stage.expect("[...document.querySelectorAll('.step img')].length >= 3", what="pictures at the steps")
    lines = browser.count(".plan-lines path")
    check(lines >= len(names) - 1, f"{lines} lines join {len(names)} steps")
    stage.expect_color(names.index("open"), (0x20, 0xA0, 0xE0), ".step img")
    browser.run("document.querySelectorAll('.step')[arguments[0]].focus()", names.index("open"))
    browser.keys("Enter")
    stage.expect_color(0, (0x20, 0xA0, 0xE0), LAYER)
    browser.keys("ArrowRight")
    stage.expect_color(0, (0xDF, 0x5F, 0x1F), LAYER)
    stage.edit(HEAD + 'img.open("photo.png"):invert():resize(200):save("out.png")\n')
    title = browser.text(".viewer-title")
    check(title.startswith("Step 2"), f"an edit has left the step for {title}")
    browser.keys("Escape")
    stage.expect("!document.querySelector('.plan').hidden", what="the plan again")
    browser.keys("Escape")
    stage.expect("document.querySelector('#viewer').hidden", what="the grid again")
    stage.expect_quiet_console()


def five_hundred(stage):
    """Shows 500 pictures with few elements, and each one where it is scrolled to."""
    stage.open(HEAD + """
for i = 1, 500 do
  img.canvas(1200, 800, { background = string.format("#%02x%02x80", i % 256, i // 2) }):save(i .. ".png")
end
""")
    browser = stage.browser
    check(browser.count(".tiles > li") < 150, f"{browser.count('.tiles > li')} elements for what is on screen")
    for part in (0.3, 0.6, 1):
        stage.scroll(part)
        stage.settled()
    browser.run("document.querySelector('.tile[tabindex=\"0\"]').focus()")
    browser.keys("End")
    stage.settled()
    label = browser.run("return document.activeElement.getAttribute('aria-label')")
    check(label.startswith("500.png"), f"End leads to {label}")
    stage.expect_color(browser.count(".frame img") - 1, (500 % 256, 250, 0x80))
    check(browser.count(".tiles > li") < 150, f"{browser.count('.tiles > li')} elements at the end")


BOOK = HEAD + """
local pages = {}
for i = 1, 1000 do
  pages[i] = img.canvas(300, 200, { background = string.format("#%02x%02x40", i % 256, i // 4) })
end
img.book("book.pdf", pages, { paper = "a5", margin = 0, fit = "cover" })
"""


def thousand_pages(stage):
    """Scrolls through a book of 1,000 pages, at several zooms, and goes to a page by its number."""
    stage.open(BOOK)
    browser = stage.browser
    on_screen = """(() => {
        const main = document.querySelector('#outputs').getBoundingClientRect();
        return [...document.querySelectorAll('.tiles > li')].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.bottom > main.top + 60 && box.top < main.bottom;
        }).every((each) => each.querySelector('img')) })()"""
    for step in range(1, 21):
        stage.scroll(step / 20)
        stage.expect(on_screen, what=f"all pages on screen after {step} steps")
        check(browser.count(".tiles > li") < 100, f"{browser.count('.tiles > li')} elements")
    browser.run("""
        const field = document.querySelector('.page-field input');
        field.value = '777';
        field.dispatchEvent(new Event('change', { bubbles: true }))""")
    stage.expect("document.querySelector('li[aria-posinset=\"777\"] img')", what="page 777")
    index = browser.run("return [...document.querySelectorAll('.frame img')].indexOf("
                        "document.querySelector('li[aria-posinset=\"777\"] img'))")
    stage.expect_color(index, (777 % 256, 777 // 4, 0x40))
    for zoom in ("width", "0.5", "2", "page"):
        browser.run("""
            const select = document.querySelector('.book select');
            select.value = arguments[0];
            select.dispatchEvent(new Event('change', { bubbles: true }))""", zoom)
        stage.expect(on_screen, what=f"all pages on screen at zoom {zoom}")
        near = browser.run("return [...document.querySelectorAll('.tiles > li')].map((each) => each.ariaPosInSet)")
        check(any(770 <= int(page) <= 784 for page in near), f"zoom {zoom} has lost page 777: {near}")
        check(browser.count(".tiles > li") < 150, f"{browser.count('.tiles > li')} elements at zoom {zoom}")


def looks(stage):
    """Is dark or light as the user wants, fits a phone, and names everything for screen readers."""
    stage.open(SETTINGS + """
print("a line to read")
for i = 1, 12 do img.canvas(300, 200):save("more/" .. i .. ".png") end
""")
    browser = stage.browser
    light = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    for scheme, is_right in (("dark", lambda value: value < 70), ("light", lambda value: value > 200)):
        browser.colors(scheme)
        ground = browser.run(light)
        check(all(map(is_right, ground)) and len(set(ground)) == 1, f"the ground is {ground} in {scheme}")
        stage.picture(f"grid-{scheme}")
    for width in (360, 768, 1920):
        browser.resize(width, 740)
        stage.settled()
        wide = browser.run("return document.documentElement.scrollWidth")
        check(wide <= width, f"the page is {wide} wide on a screen of {width}")
        outside = browser.run("""
            return [...document.querySelectorAll('.bar *, .section-head *')].filter((each) => each.offsetParent !== null
                && each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.id || each.className)""")
        check(not outside, f"outside of a screen of {width}: {outside}")
        stage.picture(f"grid-{width}")
    browser.resize(1280, 800)
    unnamed = stage.unnamed()
    check(not unnamed, f"without a name for screen readers: {unnamed}")
    browser.click(".tile")
    stage.expect("document.querySelector('.viewer-canvas img')", what="the large picture")
    unnamed = stage.unnamed()
    check(not unnamed, f"without a name in the large view: {unnamed}")


ALL = [first, edits, mistakes, settings, plugins, runs, cancel, keyboard, large, pages_before, five_hundred,
       thousand_pages, looks]
