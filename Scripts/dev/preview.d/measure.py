"""Measures how long users of the page wait, as medians and 99th percentiles, and prints them with their limits."""

import http.client
import json
import os
import statistics
import subprocess
import time
import urllib.parse

from stage import Stage, check
from webdriver import Browser

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
PHOTOS = os.environ.get("PHOTOS", f"{ROOT}/.build/bench-photos")
ROUNDS = int(os.environ.get("ROUNDS", "100"))
IDLE = 10  # seconds

# Records the time at which all pictures of a version are on screen, after the frame that shows them was painted.
WATCH = """
window.painted = [];
window.afterPaint = () => new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
    channel.port2.postMessage(0);
}));
const main = document.querySelector('#outputs');
let noted = Number(document.documentElement.dataset.version ?? 0);
const note = async () => {
    const version = Number(document.documentElement.dataset.version ?? 0);
    const busy = main.getAttribute('aria-busy') === 'true' || document.documentElement.dataset.status === 'evaluating';
    if (busy || version <= noted) return;
    noted = version;
    painted.push({ version, time: await afterPaint() });
};
new MutationObserver(note).observe(main, { attributes: true, attributeFilter: ['aria-busy'] });
new MutationObserver(note).observe(document.documentElement, { attributes: true });
"""
# Records the time at which the first picture appears.
FIRST = """
window.firstPicture = 0;
new MutationObserver(async (changes, observer) => {
    if (!document.querySelector('.frame img')) return;
    observer.disconnect();
    window.firstPicture = await afterPaint();
}).observe(document.querySelector('#outputs'), { childList: true, subtree: true });
"""
# Moves the slider as often as frames appear, and returns the milliseconds of each.
SLIDE = """
const done = arguments[arguments.length - 1], rounds = arguments[0];
const range = document.querySelector('#setting-amount'), main = document.querySelector('#outputs');
const layer = document.querySelector('.layer');
(async () => {
    const times = [];
    for (let round = 0; round < rounds; round += 1) {
        const start = performance.now();
        const shown = new Promise((resolve) => {
            const observer = new MutationObserver(() => { observer.disconnect(); resolve(); });
            observer.observe(layer, { childList: true });
        });
        range.value = Number(range.min) + (round + 1) % 100 * 0.01;
        range.dispatchEvent(new Event('input', { bubbles: true }));
        await shown;
        await afterPaint();
        times.push(performance.now() - start);
    }
    done(times);
})();
"""
# Drags the slider for some seconds, an input with each frame of the browser. Returns the milliseconds between pictures.
DRAG = """
const done = arguments[arguments.length - 1], seconds = arguments[0];
const range = document.querySelector('#setting-amount'), layer = document.querySelector('.layer');
const times = [];
let last = performance.now(), number = 0;
const observer = new MutationObserver(() => {
    const now = performance.now();
    times.push(now - last);
    last = now;
});
observer.observe(layer, { childList: true });
const end = last + seconds * 1000;
const move = () => {
    if (performance.now() > end) { observer.disconnect(); return done(times); }
    number += 1;
    range.value = Number(range.min) + number % 1000 * Number(range.step);
    range.dispatchEvent(new Event('input', { bubbles: true }));
    requestAnimationFrame(move);
};
move();
"""
STATIC = """<!doctype html><style>body { margin: 0 } img { display: block }</style><body></body>
"""
SHOW_STATIC = """
const done = arguments[arguments.length - 1], [pictures, round] = arguments;
const start = performance.now();
const images = pictures.map(({ name, width, height }) => {
    const image = new Image(width, height);
    image.src = `${name}?${round}`;
    return image;
});
Promise.all(images.map((each) => each.decode())).then(() => {
    document.body.replaceChildren(...images);
    requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now() - start);
        channel.port2.postMessage(0);
    });
});
"""
HEAD = f'local img = require "imghost"\nlocal photos = img.glob("{PHOTOS}/*.jpg")\n'


def book(round_number):
    """Returns a script with a book of all photographs, each page of which differs from that of other rounds."""
    amount = 0.2 + round_number / 1000
    return HEAD + f"""
local pages = photos:map(function(p) return p:fill(1800, 1200):sharpen{{ amount = {amount:.3f} }} end)
img.book("book.pdf", pages, {{ paper = "a4", margin = 0, fit = "cover" }})
"""


def edit(program, browser):
    """Measures from saving the script until the pages on screen are painted, and the same pictures as static files."""
    with Stage(program, browser) as stage:
        stage.open(book(0))
        browser.run(WATCH)
        times = []
        for number in range(1, ROUNDS + 1):
            start = save(stage, book(number))
            browser.until("painted.length >= arguments[0]", number, what=f"edit {number} painted")
            times.append(browser.run("return painted.at(-1).time") - start)
        static = static_times(stage, browser)
    extra = [each - statistics.median(static) for each in times]
    return [
        ("saving the script → visible pages repainted", times, "ms", ""),
        ("the same pictures as static files", static, "ms", ""),
        ("beyond the static pictures", extra, "ms", "median ≤ 150, p99 ≤ 500"),
    ]


def static_times(stage, browser):
    """Paints the pictures on screen as files, as often as the pages were painted."""
    shown = browser.run("""
        const main = document.querySelector('#outputs').getBoundingClientRect();
        return [...document.querySelectorAll('.frame img')].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.bottom > main.top && box.top < main.bottom;
        }).map((each) => [each.closest('li').ariaPosInSet, each.clientWidth, each.clientHeight])""")
    keys = {str(page["number"]): page["key"] for page in state(stage)["outputs"][0]["pages"]}
    pictures = []
    for number, width, height in shown:
        name = f"{number}.picture"
        answer = request(stage, f"picture/{keys[number]}?width={width}&height={height}")
        with open(f"{stage.folder}/{name}", "wb") as file:
            file.write(answer)
        pictures.append({"name": name, "width": width, "height": height})
    check(pictures, "no page is on screen")
    with open(f"{stage.folder}/static.html", "w", encoding="utf-8") as file:
        file.write(STATIC)
    browser.load(f"file://{stage.folder}/static.html")
    return [browser.wait_in_page(SHOW_STATIC, pictures, number) for number in range(ROUNDS)]


def slider(program, browser):
    """Measures a dragged slider, and its single steps, with one photograph of 12 megapixels on screen."""
    photo = sorted(os.listdir(PHOTOS))[0]
    with Stage(program, browser) as stage:
        stage.open(HEAD + f"""
local amount = img.setting("amount", {{ type = "float", minimum = 0, maximum = 2, step = 0.001, default = 0.5 }})
img.open("{PHOTOS}/{photo}"):sharpen{{ amount = amount }}:modulate{{ saturation = 1 + amount }}:save("out.jpg")
""")
        browser.run(WATCH)
        browser.click(".tile")
        browser.until("document.querySelector('.layer img')", what="the large picture")
        browser.wait_in_page(DRAG, 1)
        dragged = browser.wait_in_page(DRAG, max(1, ROUNDS // 20))
        times = browser.wait_in_page(SLIDE, min(ROUNDS, 99))
    return [("a frame of a dragged slider, one picture of 12 MP on screen", dragged, "ms", "≤ 50"),
            ("one step of the slider, from the input until it is painted", times, "ms", "")]


def new_script(program, browser):
    """Measures from saving another script, whose pictures nothing has seen yet, until the first and all on screen."""
    first, every = [], []
    for number in range(max(3, ROUNDS // 5)):
        with Stage(program, browser) as stage:
            stage.write('local img = require "imghost"\n')
            stage.start()
            browser.load(stage.address)
            browser.until("document.documentElement.dataset.version && "
                          "document.documentElement.dataset.status !== 'evaluating'", what="the empty script")
            browser.run(WATCH + FIRST)
            start = save(stage, book(number))
            browser.until("painted.length > 0 && firstPicture > 0", what="the new script's pages")
            first.append(browser.run("return firstPicture") - start)
            every.append(browser.run("return painted.at(-1).time") - start)
    return [("first picture of a new script", first, "ms", "≤ 400"),
            ("all pictures on screen of a new script", every, "ms", "")]


def memory(program, browser):
    """Scrolls through 500 pictures of photographs, and looks at the memory of the program and of the page."""
    with Stage(program, browser) as stage:
        stage.open(HEAD + """
for i = 1, 500 do
  photos[(i - 1) % #photos + 1]:fill(1500, 1000):sharpen{ amount = 0.1 + i / 1000 }:save("out/" .. i .. ".jpg")
end
""")
        for step in range(41):
            stage.scroll(step / 40)
            stage.settled()
        now, most = stage.memory()
        elements = browser.count("*")
        metrics = {each["name"]: each["value"] for each in metrics_of(browser)}
    return [("memory with 500 pictures, most", [most], "MB", "≤ 150"),
            ("memory with 500 pictures, at the end", [now], "MB", ""),
            ("JavaScript's memory in the page", [metrics["JSHeapUsedSize"] / 1e6], "MB", ""),
            ("elements in the page", [elements], "", "")]


def idle(program, browser):
    """Waits with an open page, and looks at the processor time of the program."""
    with Stage(program, browser) as stage:
        stage.open(book(0))
        until_quiet(stage)
        before = stage.processor_time()
        time.sleep(IDLE)
        used = stage.processor_time() - before
    return [(f"processor time in {IDLE} s without an edit", [used * 1000], "ms", "0")]


def until_quiet(stage):
    """Waits until the pictures that are made ahead are done: a second without processor time."""
    used, since = stage.processor_time(), time.monotonic()
    end = since + 120
    while time.monotonic() < end and time.monotonic() - since < 1:
        time.sleep(0.05)
        now = stage.processor_time()
        if now != used:
            used, since = now, time.monotonic()


def save(stage, text):
    """Writes the script. Returns the moment before, in milliseconds of the clock that the page reads, too."""
    with open(f"{stage.script}.new", "w", encoding="utf-8") as file:
        file.write(text)
    start = time.time() * 1000
    os.rename(f"{stage.script}.new", stage.script)
    return start


def state(stage):
    return json.loads(request(stage, "state"))


def request(stage, path):
    parts = urllib.parse.urlsplit(stage.address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection.request("GET", f"{parts.path}{path}")
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    check(answer.status == 200, f"{path}: {answer.status}")
    return body


def metrics_of(browser):
    browser.cdp("Performance.enable")
    return browser.cdp("Performance.getMetrics")["metrics"]


SUBJECTS = {"edit": edit, "slider": slider, "new": new_script, "memory": memory, "idle": idle}


def all_of(program, names):
    """Measures the subjects and prints a table. Returns 0."""
    unknown = [name for name in names if name not in SUBJECTS]
    check(not unknown, f"unknown subject '{unknown and unknown[0]}': there are {', '.join(SUBJECTS)}")
    if not os.path.isdir(PHOTOS) or len(os.listdir(PHOTOS)) < 48:
        subprocess.run([f"{ROOT}/Scripts/dev/bench-photos", PHOTOS], check=True)
    print("| measured | n | median | p99 | most | bar |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    for name in names or SUBJECTS:
        with Browser() as browser:
            for what, values, unit, bar in SUBJECTS[name](program, browser):
                print(line(what, values, unit, bar), flush=True)
    return 0


def line(what, values, unit, bar):
    values = sorted(values)
    p99 = values[min(len(values) - 1, round(0.99 * (len(values) - 1)))]
    numbers = [f"{each:.0f} {unit}".strip() for each in (statistics.median(values), p99, values[-1])]
    return f"| {what} | {len(values)} | {' | '.join(numbers)} | {bar} |"
