"""Makes the pictures of the page for the documentation."""

import os
import shutil

from stage import Stage, check
from webdriver import Browser

SCRIPT = """local img = require "imghost"

local strength = img.setting("strength", {
  type = "float", minimum = 0, maximum = 1, step = 0.05, default = 0.4, help = "how much edges are sharpened" })
local saturation = img.setting("saturation", { type = "float", minimum = 0, maximum = 2, step = 0.1, default = 1.5 })
local paper = img.setting("paper", { type = "enum", choices = { "a5", "10x15", "a4" }, default = "10x15" })
local ground = img.setting("ground", { type = "colour", default = "#f4f4f2" })
local monochrome = img.setting("monochrome", { type = "bool", default = false })

local pages = img.glob("photos/*.{jpg,png}"):map(function(p)
  p = p:fill(1500, 1000, { position = "top" }):modulate{ saturation = saturation }:sharpen{ amount = strength }
  return monochrome and p:grayscale() or p
end)

pages:save("web/{stem}.jpg", { quality = 85 })
img.book("photobook.pdf", pages, { paper = paper, margin = "8mm", background = ground, caption = "{stem}" })
"""


def make(program, scripts, folder):
    """Takes two pictures of a preview, and writes them into a folder. Returns 0."""
    with Browser(1200, 760) as browser, Stage(program, browser, name="photobook.lua") as stage:
        shutil.copytree(f"{scripts}/photos", f"{stage.folder}/photos")
        stage.open(SCRIPT)
        browser.click("#sections li:nth-child(2) a")
        browser.run("document.activeElement.blur()")
        stage.settled()
        keep(stage, folder, "preview-book")
        browser.colors("dark")
        browser.click("#sections li:nth-child(1) a")
        stage.settled()
        browser.click("li:nth-child(3) .tile")
        browser.click('[data-view="compare"]')
        stage.expect("document.querySelectorAll('.layer img').length === 2", what="the pictures before and after")
        x, y, width, height = browser.box(".viewer-canvas")
        browser.pointer((x + width * 0.7, y + height * 0.4))
        stage.expect("document.querySelector('.pixel-hex').textContent", what="the pixel's value")
        stage.expect("document.querySelector('.histogram .band')", what="the histogram")
        keep(stage, folder, "preview-large")
    return 0


def keep(stage, folder, name):
    """Takes a picture, and reduces it to 256 colours: a third of the bytes."""
    stage.browser.screenshot(f"{stage.folder}/{name}.png")
    with open(f"{stage.folder}/reduce.lua", "w", encoding="utf-8") as file:
        file.write(f'require("imghost").open("{name}.png"):save("small.png", {{ palette = 256, compression = 9 }})\n')
    stage.make("reduce.lua")
    size = os.path.getsize(f"{stage.folder}/small.png")
    check(size < 300_000, f"{name}.png has {size} bytes")
    shutil.move(f"{stage.folder}/small.png", f"{folder}/{name}.png")
    print(f"{folder}/{name}.png: {size} bytes")
