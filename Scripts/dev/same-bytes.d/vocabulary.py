"""The words, values and mistakes that generated scripts are made of."""

from masks import PASSWORD

# Sources.
PHOTOS = ["astronaut.png", "chelsea.png", "coffee.png", "hubble_deep_field.jpg", "retina.jpg", "rocket.jpg"]
LISTS = {
    "glob": ["photos/*.{jpg,png}", "photos/*.png", "samples/*.{webp,avif,tif}", "samples/*.webp", "photos/r*"],
    "pages": [f"samples/{name}" for name in ("pages.tif", "frames.gif", "animated.webp", "two.pdf", "two.heic")],
}

OPAQUE = ["#204060", "#ff8800", "white", "black", "navy", "#c0ffee", "whitesmoke"]
COLOURS = [*OPAQUE, "#00000080", "transparent"]
LENGTHS = [0, "3mm", "5mm", 12, "0.5cm", "2mm"]
MARGINS = [*LENGTHS, ["4mm", "6mm"], ["2mm", "3mm", "4mm", "5mm"]]
TEXTS = [
    "{stem}",
    "{index:3} of {width}x{height}",
    "Zoë & Ødegård",
    "{name}",
    "© {exif.Artist|nobody}",
    "日本語",
    "a\nb",
    "שלום",
]
# Texts for a whole book, without fields of pictures.
PLAIN = ["A title", "Zoë & Ødegård", "日本語", "Two\n\nparagraphs"]
WORDS = {
    "font": ["Sans", "Serif Italic", "Sans Bold", "Mono"],
    "language": ["", "ja", "de"],
    "profile": ["srgb", "display-p3", "gray", "adobe-rgb", "rec2020"],
    "proof": ["cmyk"],
    "output_intent": ["fogra39"],
    "lang": ["en", "de-CH"],
    "paper": ["a6", "10x15", "picture", "a5", "100mm x 80mm"],
    "outline": ["{stem}", "{folder} > {stem}"],
    "link": ["https://example.org/{name}"],
    "page_labels": ["1:r", "1:D//A-"],
    "title_page": PLAIN,
    "colophon": PLAIN,
    "front_title": PLAIN,
    "spine_text": PLAIN,
    "row_height": ["25mm", "40mm"],
    "viewer_zoom": ["auto", "fit", "120%"],
    "id": ["https://example.org/iiif"],
    "date": ["2026-07-31 12:30:00", "2020-02-29"],
    "password": [PASSWORD],
    "owner_password": [PASSWORD],
    "templates": ["templates.lua"],
    "size": ["a6", "10x15"],
    "against": ["photos"],
}

# Arguments whose possible values do not follow from their type.
SHAPES = {
    ("affine", "matrix"): [[1, 0.3, 0.1, 0.8], [0.5, 0, 0, -0.5], [[0.9, 0.1], [0, 1]]],
    ("perspective", "corners"): [[4, 2, 90, 0, 99, 80, 1, 70], [[0, 0], [60, 5], [64, 50], [0, 44]]],
    ("convolve", "kernel"): [[[0, 1, 0], [1, -4, 1], [0, 1, 0]], [1, 1, 1, 1, 1, 1, 1, 1, 1], [[1]]],
    ("recomb", "matrix"): [[[0.4, 0.7, 0.2], [0.3, 0.7, 0.2], [0.3, 0.5, 0.1]], [[0, 0, 1], [0, 1, 0], [1, 0, 0]]],
    ("curves", "*"): [[[0, 0], [64, 40], [192, 220], [255, 255]], [0, 255, 255, 0]],
    ("levels", "black"): [10, 0],
    ("levels", "white"): [240, 255],
    ("levels", "gamma"): [1.2, 0.8],
    ("linear", "*"): [1.2, -20, 0.5, 30],
    ("draw", "line"): [[2, 2, 40, 30], [[2, 2], [20, 8], [30, 30]]],
    ("draw", "box"): [[4, 4, 30, 20]],
    ("draw", "circle"): [[20, 20, 12]],
    ("draw", "ellipse"): [[25, 20, 14, 9]],
    ("draw", "polygon"): [[1, 1, 30, 2, 14, 28]],
    ("hint", "keep"): [[0.2, 0.1, 0.6, 0.7]],
    ("page", "text_area"): [[0.1, 0.7, 0.8, 0.2]],
}
# The maximum values of arguments whose larger values would take long.
MODEST = {
    "lower": 20,
    "upper": 99,
    "sigma": 12,
    "radius": 4,
    "size": 90,
    "exponent": 5,
    "clip": 8,
    "outline_width": 8,
    "shadow_blur": 8,
    "padding": 30,
}

PLUGINS = [
    'plugin("vignette", { strength = 0.6 })',
    'plugin("film_grain", { amount = 0.4, size = 1.5 })',
    'plugin("halftone", { cell = 6, angle = 20 })',
    'plugin("luma_sharpen", { amount = 1.1 })',
]

# Options that fit every layout of a book, and those that belong to one.
BOOK = (
    "quality subsampling lossless verify caption captions header footer page_number alt outline link "
    "background reencode paper orientation margin dpi caption_size caption_colour caption_font caption_align "
    "caption_lines caption_overflow header_size footer_colour page_number_align title author subject keywords "
    "title_page colophon lang compact pdf_version viewer_layout viewer_panes reading_direction linearize bleed "
    "crop_marks page_multiple max_dpi corners border tagged conformance page_labels"
).split()
LAYOUTS = {
    "single": ["fit", "position", "enlarge"],
    "grid": ["rows", "columns", "gutter", "fit", "balance", "cell_background", "border", "shadow"],
    "justified": ["gutter", "row_height", "border"],
    "masonry": ["columns", "gutter"],
    "spread": ["fit", "first_page"],
    "auto": ["style", "pages", "duplicates", "gutter"],
    "cover": ["cover_pages", "paper_thickness", "cover_thickness", "front_title", "spine_text", "fit"],
}
SAVE = {
    "jpg": [
        "quality",
        "progressive",
        "subsampling",
        "optimise",
        "metadata",
        "profile",
        "background",
        "proof",
        "max_bytes",
    ],
    "png": ["compression", "filter", "palette", "interlaced", "bitdepth", "metadata", "profile"],
    "webp": ["quality", "metadata", "profile"],
    "tif": ["metadata", "profile"],
    "jxl": ["quality"],
    "avif": ["quality"],
    "jp2": ["quality"],
    "bmp": ["background"],
    "ppm": ["background"],
    "ico": [],
}
FREQUENT = ["jpg", "jpg", "jpg", "png", "png", "webp", "tif", "bmp", "ppm"]
LIVELY = ["webp", "avif", "jxl"]


# Lines with a mistake. PICTURE is a picture of the script, BAD a new name, DAMAGED a file that is cut off.
MISTAKES = [
    'local BAD = img.open("photos/missing.png")',
    'local BAD = img.glob("nothing/*.jpg")',
    'local BAD = img.open("damaged/text.jpg")',
    'img.open("damaged/DAMAGED"):save("BAD.png")',
    'img.open("damaged/DAMAGED", { damaged = "accept" }):save("BAD.png")',
    "PICTURE:resise(20)",
    "PICTURE:resize{ widht = 20 }",
    "PICTURE:sharpen(21)",
    'PICTURE:sharpen("much")',
    "PICTURE:sharpen(0/0)",
    "PICTURE:sharpen({})",
    "PICTURE:blur(1/0)",
    "PICTURE:crop(0, 0, 100000, 5)",
    'PICTURE:save("BAD.xyz")',
    'PICTURE:save("BAD.jpg", { quality = 400, progresive = true })',
    'PICTURE:save("BAD-{nothing}.jpg")',
    'PICTURE:save("same.png") PICTURE:save("same.png")',
    'PICTURE:save("photos/coffee.png")',
    'PICTURE:save("")',
    'PICTURE:save("../BAD.png")',
    'img.book("BAD.pdf", {}, { paper = "a99" })',
    'img.book("BAD.pdf", { PICTURE }, { layout = "grid", front_title = "x", bleed = "3 miles" })',
    'img.animation("BAD.webp", { PICTURE, img.canvas(7, 9) })',
    'img.animation("BAD.jpg", { PICTURE })',
    'img.multipage("BAD.png", { PICTURE, PICTURE })',
    'PICTURE:tiles("BAD", { size = 5 })',
    'error("on purpose")',
    "local nothing = nil; print(nothing.width)",
    "PICTURE.width = 7",
    'PICTURE:plugin("no_such_plugin")',
    'PICTURE:plugin("vignette", { strenght = 1 })',
    'local BAD = img.setting("kind", { type = "enum", choices = { "a" }, default = "b" })',
    'print(require "missing_module")',
    'io.open("/etc/passwd")',
    'pcall(function() PICTURE:resize("wide") end)',
    "PICTURE:composite{ over = 5 }",
    'PICTURE:save("BAD.png"):on_done(function(r) error("in a callback") end)',
    'PICTURE:save("BAD.png"):on_done(function(r) print(r.nothing.more) end)',
    'img.verify("photos/coffee.png")',
    "img.hint({}, { hero = true, skip = true })",
    'PICTURE:text{ "{exif.}" }',
    "img.list{ PICTURE, 5 }",
    "PICTURE:map(print)",
    "img.canvas(0, 5)",
    "img.canvas(1000000, 1000000)",
    "local function deep(n) return deep(n + 1) + 1 end deep(1)",
]

# The ways to run a script.
WAYS = [
    ["run imghost run -j 1 -v --out out script.lua"],
    ["run imghost run -v --out out --on-error continue script.lua"],
    ["run imghost run --json --out out --on-error continue script.lua"],
    ["run imghost run -j 1 --json --out out --manifest out.json script.lua"],
    ["run imghost run -q --out out --on-error continue --manifest out.sha256 script.lua"],
    [
        "run imghost run --out out --on-error continue --report out.html --trace trace.json --timeline time.svg"
        " script.lua"
    ],
    ["shards 2 out --on-error continue script.lua"],
    ["shards 3 out --on-error continue script.lua"],
    [
        "run imghost run --out out --on-error continue --design design.lua script.lua",
        "if [ -f design.lua ]; then run imghost run --out again --on-error continue design.lua; fi",
    ],
    ["run imghost run --isolate all --confine --on-error continue --out out script.lua"],
    ["run imghost run --in-process -j 1 --out out script.lua"],
    ["run imghost run --set width=77 --on-error continue script.lua"],
]
