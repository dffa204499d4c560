"""Faults around a preview: each one must be shown as a message on the page, and the preview must continue."""

import http.client
import os
import shutil
import signal
import subprocess
import urllib.parse

from scenarios import HEAD, solid
from stage import check
from webdriver import PATIENCE

BANNER = "!document.querySelector('#script-banner').hidden"


def restart(stage):
    """Kills the program: the page says so, and where to look when it is started again, with another word."""
    stage.open(HEAD + solid("#c03020"))
    stage.end(signal.SIGKILL)
    stage.expect("!document.querySelector('#connection-banner').hidden", what="the lost connection")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.write(HEAD + solid("#20c030"))
    stage.start()
    stage.expect("/started again/.test(document.querySelector('#connection-banner').textContent)", what="the new address")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.browser.load(stage.address)
    stage.expect_color(0, (0x20, 0xC0, 0x30))
    stage.edit(HEAD + solid("#2030c0"))
    stage.expect_color(0, (0x20, 0x30, 0xC0))


def deleted(stage):
    """Deletes the script: the page says so with the last pictures, and continues when it is back."""
    stage.open(HEAD + solid("#c03020"))
    os.remove(stage.script)
    stage.expect(BANNER, what="the missing script")
    check("missing" in stage.browser.text("#script-banner"), stage.browser.text("#script-banner"))
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.write(HEAD + solid("#20c030"))
    stage.expect_color(0, (0x20, 0xC0, 0x30))
    stage.expect(f"!({BANNER})", what="no message any more")


def endless(stage):
    """Writes a script that never ends: the page says so, and a correction is shown."""
    stage.open(HEAD + solid("#c03020"))
    stage.write(HEAD + "while true do end\n")
    stage.expect("/longer than/.test(document.querySelector('.message.mistake')?.textContent)", what="a loop's message")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    # A script that hangs inside a function of Lua cannot be interrupted, so imghost has to restart.
    stage.write(HEAD + 'string.find(("a"):rep(40), ("a?"):rep(40) .. ("a"):rep(40))\n')
    stage.expect(BANNER, what="the script that hangs")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.write(HEAD + solid("#20c030"))
    stage.expect_color(0, (0x20, 0xC0, 0x30))
    # A correction that is saved while the script still runs takes effect at once.
    stage.write(HEAD + "while true do end\n")
    stage.write(HEAD + solid("#2030c0"))
    stage.expect_color(0, (0x20, 0x30, 0xC0))


def replaced(stage):
    """Replaces, breaks and removes a source picture."""
    script = HEAD + 'img.open("photo.png"):save("out.png")\n'
    make = lambda color: (  # noqa: E731
        stage.write(HEAD + solid(color, "photo.png"), f"{stage.folder}/make.lua"), stage.make("make.lua"))
    make("#c03020")
    stage.open(script)
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    make("#20c030")
    stage.expect_color(0, (0x20, 0xC0, 0x30))
    os.remove(f"{stage.folder}/photo.png")
    stage.expect("document.querySelector('.message.mistake, .message.failure, .frame-message')", what="a message")
    make("#2030c0")
    stage.expect_color(0, (0x20, 0x30, 0xC0))
    stage.expect("!document.querySelector('.message.mistake, .message.failure, .frame-message')", what="no message")


def truncated(stage):
    """Shows the reason in the place of a picture that cannot be decoded; the others appear."""
    stage.write(HEAD + solid("#c03020", "photo.jpg"), f"{stage.folder}/make.lua")
    stage.make("make.lua")
    with open(f"{stage.folder}/photo.jpg", "r+b") as file:
        file.truncate(os.path.getsize(f"{stage.folder}/photo.jpg") // 2)
    stage.open(HEAD + 'img.open("photo.jpg"):save("out.png")\n' + solid("#20c030", "b.png"))
    stage.expect("/photo.jpg/.test(document.querySelector('.frame-message, .message')?.textContent)", what="the reason")
    stage.expect("document.querySelectorAll('.frame img').length >= 1", what="the other picture")


def hanging_plugin(stage):
    """Calls a plugin that hangs: its picture's place shows the reason, and the others appear."""
    check(stage.call("new", "plugin", "hang", "--lang", "c").returncode == 0, "the plugin was not made")
    source = f"{stage.folder}/hang/Hang.c"
    with open(source, encoding="utf-8") as file:
        text = file.read()
    check("return IMGHOST_OK;" in text, "the plugin has nothing to replace")
    stage.write(text.replace("return IMGHOST_OK;", "for (;;) {}", 1), source)
    os.mkdir(f"{stage.folder}/plugins")
    compiler = ["cc", "-shared", "-fPIC", "-o", f"{stage.folder}/plugins/libhangPlugin.so", source]
    check(subprocess.run(compiler, check=False).returncode == 0, "the plugin cannot be compiled")
    shutil.rmtree(f"{stage.folder}/hang")
    stage.environment["IMGHOST_PLUGIN_PATH"] = f"{stage.folder}/plugins"
    picture = 'img.canvas(600, 400, { background = "#204060" })'
    stage.write(HEAD + solid("#c03020") + f'{picture}:plugin("hang"):save("b.png")\n')
    stage.start()
    stage.browser.load(stage.address)
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    # A call may take 30 s, and is tried twice.
    reason = "/hang/.test(document.querySelector('.frame-message')?.textContent)"
    stage.expect(reason, what="the reason", patience=60 + PATIENCE)
    stage.edit(HEAD + solid("#20c030"))
    stage.expect_color(0, (0x20, 0xC0, 0x30))


def hostile(stage):
    """Shows markup in names, prints and mistakes as text."""
    code = "<img src=x onerror=alert(1)><b>"
    stage.open(f'{HEAD}print("{code}")\nimg.setting("x", {{ type = "string", default = "{code}", help = "{code}" }})\n'
               + solid("#c03020", "<b>&amp; ünï.png"))
    browser = stage.browser
    check(browser.count("main b, aside b, #messages b, img[src='x']") == 0, "a text became markup")
    check(browser.text(".tile-name") == "<b>&amp; ünï.png", f"the name is {browser.text('.tile-name')}")
    check(any(code in text for _, _, text in stage.messages()), "the print is not shown literally")
    stage.expect_color(0, (0xC0, 0x30, 0x20))
    stage.write(f'{HEAD}error("{code}")\n')
    stage.expect("document.querySelector('.message.mistake, .message.failure')", what="the error")
    check(browser.count("#messages b, #messages img") == 0, "an error became markup")


def closed(stage):
    """Closes the browser's page and opens it again."""
    stage.open(HEAD + solid("#c03020"))
    for color in ("#20c030", "#2030c0"):
        stage.browser.load("about:blank")
        stage.write(HEAD + solid(color))
        stage.browser.load(stage.address)
        stage.expect_color(0, tuple(bytes.fromhex(color[1:])))


def foreign(stage):
    """Refuses requests of other pages and programs, and answers nothing but the script's outputs."""
    stage.open(HEAD + solid("#c03020"))
    parts = urllib.parse.urlsplit(stage.address)
    own, path = f"{parts.hostname}:{parts.port}", parts.path

    def status(method, target, headers=None, body=None):
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse().status
        connection.close()
        return answer

    check(status("GET", f"{path}state") == 200, "the page's own request is refused")
    inside = [f"{path}{name}" for name in ("../../etc/passwd", "script.lua", "picture/%2e%2e")]
    for target in ("/", "/state", "/wrong/state", *inside):
        check(status("GET", target) >= 400, f"{target} is answered")
    check(status("GET", f"{path}state", {"Host": "evil.example"}) >= 400, "a foreign host name is answered")
    page = {"Content-Type": "application/json", "X-Imghost": "preview"}
    check(status("POST", f"{path}cancel", page, "{}") in (204, 409), "the page's own command is refused")
    for headers in ({}, {**page, "Origin": "http://evil.example"}, {**page, "Host": "evil.example"}):
        check(status("POST", f"{path}run", headers, "{}") >= 400, f"a run was started with {headers}")
    check(status("POST", f"{path}settings", page, "[" * 100_000) >= 400, "nested brackets are taken for settings")
    check(status("GET", f"{path}picture/x?width=-1&height=999999999999") >= 400, "senseless sizes are answered")
    stage.edit(HEAD + solid("#20c030"))
    stage.expect_color(0, (0x20, 0xC0, 0x30))
    check(stage.files() == ["script.lua"], f"a foreign request has written {stage.files()}")
    check(own in stage.address, "the address names another host")


def port_taken(stage):
    """Says that a port is taken, in one line, and ends."""
    stage.open(HEAD + solid("#c03020"))
    port = str(urllib.parse.urlsplit(stage.address).port)
    result = stage.call("preview", "--no-browser", "--port", port, "script.lua")
    check(result.returncode != 0 and port in result.stderr, f"status {result.returncode}: {result.stderr}")
    check(len(result.stderr.strip().splitlines()) == 1, f"more than a line: {result.stderr}")


ALL = [restart, deleted, endless, replaced, truncated, hanging_plugin, hostile, closed, foreign, port_taken]
