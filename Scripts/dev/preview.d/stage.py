"""A script under preview: its folder, the program that serves it, and the page in the browser."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from webdriver import PATIENCE, BrowserError


class Failure(Exception):
    """The failure of a scenario."""


SETTLED = """document.documentElement.dataset.version > arguments[0]
    && document.documentElement.dataset.status !== 'evaluating'
    && document.querySelector('#outputs').getAttribute('aria-busy') === 'false'"""
MEAN_COLOR = """
const image = document.querySelectorAll(arguments[0])[arguments[1]];
if (!image || !image.naturalWidth) return null;
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 8;
const context = canvas.getContext('2d', { willReadFrequently: true });
context.drawImage(image, 0, 0, 8, 8);
const data = context.getImageData(0, 0, 8, 8).data, sums = [0, 0, 0];
for (let at = 0; at < data.length; at += 4) for (let band = 0; band < 3; band += 1) sums[band] += data[at + band] / 64;
return sums.map(Math.round);
"""


class Stage:
    """One script in a folder of its own. A context manager: the end stops the program and removes the folder."""

    def __init__(self, program, browser, pictures=None, name="script.lua"):
        self.program = program
        self.browser = browser
        self.folder = tempfile.mkdtemp(prefix="imghost-preview-")
        self.script = f"{self.folder}/{name}"
        self.pictures = pictures
        self.process = None
        # The addresses of previews are kept there.
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": f"{self.folder}.run"}
        os.mkdir(self.environment["XDG_RUNTIME_DIR"], 0o700)
        self.address = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.browser.load("about:blank")
        self.end(signal.SIGTERM)
        for folder in (self.folder, self.environment["XDG_RUNTIME_DIR"]):
            shutil.rmtree(folder, ignore_errors=True)

    # Files

    def write(self, text, path=None):
        """Replaces a file as most editors do: a new one takes its name."""
        path = path or self.script
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(f"{path}.new", path)

    def write_in_place(self, text):
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(text)

    def files(self):
        """Returns all files below the script's folder, relative to it."""
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [os.path.relpath(f"{folder}/{name}", self.folder) for name in names]
        return sorted(found)

    # The program

    def start(self, *options):
        """Starts the preview. Its address is what it prints; a preview that is started again keeps it."""
        self.log = open(f"{self.folder}.log", "ab")
        self.process = subprocess.Popen(
            [self.program, "preview", *options, "--no-browser", os.path.basename(self.script)], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=self.log, text=True, start_new_session=True, env=self.environment)
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                self.address = found[0]
                return self.address
        raise Failure(f"the preview ended with status {self.process.wait()}: {self.errors()}")

    def call(self, *arguments):
        """Runs the program to its end."""
        command = [self.program, *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              env=self.environment)

    def make(self, script):
        """Runs a script that makes source pictures, and removes it."""
        result = self.call("run", script)
        os.remove(f"{self.folder}/{script}")
        check(result.returncode == 0, f"{script}: {result.stderr}")

    def errors(self):
        with open(f"{self.folder}.log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self, number=signal.SIGKILL):
        """Ends the program with a signal, and all that it started."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        if self.process:
            self.process.stdout.close()
            self.log.close()
            if os.path.exists(f"{self.folder}.log"):
                os.remove(f"{self.folder}.log")

    def memory(self):
        """Returns the resident memory of the program in megabytes, now and at most."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as file:
            facts = dict(line.split(":", 1) for line in file)
        return int(facts["VmRSS"].split()[0]) / 1024, int(facts["VmHWM"].split()[0]) / 1024

    def processor_time(self):
        """Returns the seconds of processor time that the program and its children have used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    # The page

    def open(self, script, *options):
        """Writes the script, starts the preview and waits for its first pictures."""
        self.write(script)
        self.start(*options)
        self.browser.load(self.address)
        self.settled()

    def scroll(self, part):
        """Scrolls to a part of the outputs' height, 0 to 1, and waits until the page has looked at its tiles again."""
        self.browser.wait_in_page("""
            const main = document.querySelector('#outputs');
            main.scrollTop = main.scrollHeight * arguments[0];
            requestAnimationFrame(() => requestAnimationFrame(arguments[1]))""", part)

    def version(self):
        return int(self.browser.run("return document.documentElement.dataset.version ?? 0"))

    def settled(self, after=0):
        """Waits until a version after this one is shown with all its pictures on screen."""
        self.browser.until(SETTLED, after, what=f"settled after version {after}")

    def edit(self, script, write=None):
        """Saves another text of the script, and waits until its pictures are on screen."""
        before = self.version()
        (write or self.write)(script)
        self.settled(before)

    def color(self, index, selector=".frame img"):
        """Returns the mean colour of a picture on the page, or None if there is none."""
        return self.browser.run(MEAN_COLOR, selector, index)

    def expect_color(self, index, wanted, selector=".frame img"):
        """Waits until a picture has a colour, to within what JPEG changes."""
        end = time.monotonic() + PATIENCE
        while True:
            color = self.color(index, selector)
            if color and all(abs(got - should) <= 4 for got, should in zip(color, wanted)):
                return
            if time.monotonic() > end:
                raise Failure(f"picture {index} has the colour {color} instead of {wanted}")
            time.sleep(0.02)

    def expect(self, script, *arguments, what, patience=PATIENCE):
        """Waits until an expression in the page is true."""
        try:
            return self.browser.until(script, *arguments, what=what, patience=patience)
        except BrowserError as error:
            raise Failure(str(error)) from None

    def expect_quiet_console(self):
        """The console must hold no error: no script of the page failed, and no policy was broken."""
        bad = [message for level, message in self.browser.log() if level == "SEVERE"]
        if bad:
            raise Failure(f"the console says: {bad[0]}")

    def unnamed(self):
        """Returns the controls on the page that a screen reader cannot name."""
        nodes = self.browser.cdp("Accessibility.getFullAXTree")["nodes"]
        roles = "button checkbox combobox image link region slider spinbutton switch textbox".split()
        found = []
        for node in nodes:
            role, name = (node.get(each, {}).get("value", "") for each in ("role", "name"))
            if not node.get("ignored") and role in roles and not name.strip():
                described = self.browser.cdp("DOM.describeNode", backendNodeId=node["backendDOMNodeId"])["node"]
                found.append(" ".join([role, described["nodeName"], *described.get("attributes", [])]))
        return found

    def picture(self, name):
        """Keeps a picture of the page for people, if they want some."""
        if self.pictures:
            self.browser.screenshot(f"{self.pictures}/{name}.png")

    def messages(self):
        """Returns the messages on the page as (kind, place, text)."""
        return [tuple(each) for each in self.browser.run("""
            return [...document.querySelectorAll('#message-list > li')].map((item) =>
                [...item.children].map((each) => each.textContent))""")]


def check(condition, text):
    if not condition:
        raise Failure(text)
