"""Masks for everything that may differ between two runs of the same program; it is removed before outputs are compared.

Each mask matches one kind of difference in one place. Everything that no mask matches must be equal.
"""

import json
import re
import shutil
import subprocess

# The password of every encrypted book in the cases.
PASSWORD = "same bytes"

# Texts that depend on the machine or the run: times, names of temporary files, dates of files that the case has
# written.
EVERYWHERE = [
    (re.compile(r"(?<=\bin )\d+(\.\d+)? (s|ms|min)\b"), "TIME"),
    (re.compile(r"(?<= \()\d+(\.\d+)? (s|ms)(?=\)$)", re.MULTILINE), "TIME"),
    (re.compile(r"\.imghost-\d{21}"), ".imghost-TEMPORARY"),
    (re.compile(r'(?<="seconds":)[\d.e-]+'), "TIME"),
    (re.compile(r'(?<="modified":)\d+'), "DATE"),
    # The build, in the manifests of shards.
    (re.compile(r'(?<="version":")(\S+) \([0-9a-f]+\)'), r"\1 (BUILD)"),
]

# A report has the date, times, free memory, and the picture of the threads.
REPORT = [
    (re.compile(r"<time>[^<]*</time>"), "<time>DATE</time>"),
    (re.compile(r"<figure class=\"timeline\".*?</figure>", re.DOTALL), "TIMELINE"),
    (re.compile(r"(?<=<dt>taken</dt><dd>)[^<]*"), "TIME"),
    (re.compile(r"(?<=<dt>Free memory</dt><dd><bdi>)[^<]*"), "MEMORY"),
]

# The beginnings of records and page packs, which contain the build, times of files, and pages in the order in which they
# were made. The outputs that later runs and merges make from them are compared.
RECORDS = (b"IMGHREC", b"IMGHINP", b"imghost page pack")


class Masks:
    """The masks of a run, in which the programs lie in a folder of their own."""

    def __init__(self, programs):
        self.programs = programs

    def text(self, text):
        """Returns a text without the parts that may differ."""
        text = text.replace(self.programs, "PROGRAMS")
        for pattern, replacement in EVERYWHERE:
            text = pattern.sub(replacement, text)
        return text

    def content(self, data):
        """Returns the lines of an output, or its bytes if it is no text."""
        if data.startswith(RECORDS):
            return ["a record"]
        if is_random(data):
            return decrypted(data) if data.startswith(b"%PDF") else undated(data)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return data
        if "\0" in text:
            return data
        if text.startswith('{"format":') and '"shards":' in text:
            text = manifest(text)
        if text.startswith('{"displayTimeUnit"'):
            return trace(text)
        if "<svg" in text[:100] and "<title>" in text and 'class="row"' in text:
            # A timeline only shows threads and times. Short work is not drawn, and adjacent work is drawn as one piece,
            # so two timelines cannot be compared.
            return ["a timeline"]
        if '<meta name="generator" content="imghost">' in text:
            for pattern, replacement in REPORT:
                text = pattern.sub(replacement, text)
            text = text.replace("><", ">\n<")
        # The event `picture_done` may come at any time while the script continues, so it is sorted to the end.
        return sorted(self.text(text).split("\n"), key=lambda line: line.startswith('{"event":"picture_done"'))


def is_random(data):
    """Returns whether a file contains random keys (an encrypted book) or the time (an animation in AVIF)."""
    return (data.startswith(b"%PDF") and b"/Encrypt" in data) or data[4:12] == b"ftypavis"


def decrypted(data):
    """Returns an encrypted book without its random keys; nothing if qpdf is missing."""
    if not shutil.which("qpdf"):
        return b""
    command = ["qpdf", f"--password={PASSWORD}", "--decrypt", "--static-id", "-", "-"]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def manifest(text):
    """Returns the manifest of a shard with its packs, outputs and events sorted, because they end in any order."""
    facts = json.loads(text)
    for name in ("packs", "outputs", "events"):
        facts[name] = sorted(facts.get(name, []), key=json.dumps)
    return json.dumps(facts, separators=(",", ":"), ensure_ascii=False)


def trace(text):
    """Returns the kinds of work in a trace, without its threads, pieces and times."""
    work = [line for line in text.split("\n") if '"ph":"M"' not in line]
    return sorted({found for line in work for found in re.findall(r'"name":"[^"]*"', line)})


def undated(data):
    """Returns an AVIF animation without the dates that libavif writes into the headers of the film and its tracks."""
    dated = re.compile(rb"(mvhd|tkhd|mdhd)(\x01...).{16}", re.DOTALL)
    return dated.sub(rb"\1\2" + bytes(16), data)
