"""A browser driven by chromedriver's WebDriver protocol (https://www.w3.org/TR/webdriver2/), plain JSON over HTTP."""

import base64
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds that a condition may take on a slow and busy machine; conditions return as soon as they hold


class BrowserError(Exception):
    """A command that the browser refused, or a condition that did not come true."""


class Browser:
    """A headless Chromium with one window. A context manager: the end closes it."""

    def __init__(self, width=1280, height=800, dark=False, arguments=()):
        self.profile = tempfile.mkdtemp(prefix="imghost-chromium-")
        self.driver, port = start_driver(self.profile)
        self.port = port
        flags = ["--headless=new", "--no-first-run", "--disable-gpu", "--force-device-scale-factor=1",
                 f"--user-data-dir={self.profile}/data", f"--window-size={width},{height}", *arguments]
        if os.geteuid() == 0:
            flags += ["--no-sandbox", "--disable-dev-shm-usage"]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        options = {"args": flags, "binary": shutil.which("chromium")}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                  "timeouts": {"script": PATIENCE * 1000}}
        try:
            answer = self.command("POST", "/session", {"capabilities": {"alwaysMatch": wanted}}, session=False)
            self.session = answer["sessionId"]
            self.resize(width, height)
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.command("DELETE", "")
        except (OSError, BrowserError, http.client.HTTPException):
            pass
        self.end()

    def end(self):
        """Ends the driver and the browser it started, which form a process group of their own."""
        try:
            os.killpg(self.driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, method, path, body=None, session=True):
        """Sends a command. Returns its value; raises BrowserError if the driver refuses."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2 * PATIENCE)
        address = f"/session/{self.session}{path}" if session else path
        data = None if method in ("GET", "DELETE") else json.dumps(body or {})
        connection.request(method, address, data, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(answer, dict) and answer.get("error"):
            raise BrowserError(f"{answer['error']}: {answer['message'].splitlines()[0]}")
        return answer

    def load(self, address):
        self.command("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs JavaScript in the page, where `arguments` are the values. Returns what it returns."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_in_page(self, script, *arguments):
        """Runs JavaScript whose last argument is a function that it calls with the result, sooner or later."""
        return self.command("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments, what=None, patience=PATIENCE):
        """Waits until an expression in the page is true, and returns its value."""
        end = time.monotonic() + patience
        while True:
            value = self.run(f"return ({script})", *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise BrowserError(f"after {patience} s still not: {what or script}")
            time.sleep(0.02)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def click(self, selector):
        """Clicks as a user does: the element must be visible."""
        self.command("POST", f"/element/{self.find(selector)}/click")

    def find(self, selector):
        answer = self.command("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(answer.values()))

    def keys(self, *names):
        """Presses keys one after the other, at the element with the focus. Names are those of KEYS, or characters."""
        actions = []
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.command("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def pointer(self, *moves):
        """Moves the mouse: each move is (x, y) in the window, "down" or "up"."""
        actions = []
        for move in moves:
            if move == "down" or move == "up":
                actions.append({"type": f"pointer{move.capitalize()}", "button": 0})
            else:
                actions.append({"type": "pointerMove", "duration": 0, "x": round(move[0]), "y": round(move[1])})
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.command("POST", "/actions", {"actions": [pointer]})

    def box(self, selector):
        """Returns x, y, width, height of an element in the window."""
        return self.run("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.x, b.y, b.width, b.height]", selector)

    def resize(self, width, height):
        """Gives the page this size: the window's frame is taken off."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def cdp(self, name, **parameters):
        """Sends a command of the DevTools protocol."""
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def colors(self, scheme):
        """Chooses 'dark' or 'light'."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("GET", "/screenshot")))

    def log(self):
        """Returns what the page's console got since the last call, as (level, message)."""
        entries = self.command("POST", "/se/log", {"type": "browser"})
        return [(entry["level"], entry["message"]) for entry in entries]


KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010",
    "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}


def start_driver(folder):
    """Starts chromedriver on a port that it chooses itself. Returns the process and the port."""
    with open(f"{folder}/driver.log", "wb") as log:
        process = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with open(f"{folder}/driver.log", encoding="utf-8", errors="replace") as text:
            for line in text:
                if "started successfully on port" in line:
                    return process, int(line.rstrip().rstrip(".").split()[-1])
        time.sleep(0.02)
    raise BrowserError("chromedriver does not start")
