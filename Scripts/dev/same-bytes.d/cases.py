"""The cases: the project's scripts, the examples in its documentation, the files in `cases`, and generated scripts."""

import os
import re
import shlex
import shutil
import subprocess

import generator

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PHOTOS = f"{ROOT}/Scripts/photos"
FIXTURES = f"{ROOT}/Tests/PluginHostTests/Fixtures/Codecs"
# Every file of a case has this date.
DATE = 1_600_000_000

# Pictures of every format, and their names in the folder 'samples'.
SAMPLES = {
    "alpha.webp": "webp/alpha.webp",
    "animated.webp": "webp/animated.webp",
    "lossy.webp": "webp/lossy.webp",
    "metadata.webp": "webp/metadata.webp",
    "turned.webp": "webp/hopper_orientation_6.webp",
    "alpha.avif": "avif/alpha.avif",
    "lossy.avif": "avif/lossy.avif",
    "p3.avif": "avif/display-p3.avif",
    "frames.gif": "gif/disposal-5.gif",
    "still.gif": "gif/still.gif",
    "apple.heic": "heif/apple.heic",
    "two.heic": "heif/two.heic",
    "lossy.jp2": "jpeg2000/lossy.jp2",
    "deep.jp2": "jpeg2000/16bit.cropped.jp2",
    "lossy.jxl": "jpegxl/lossy.jxl",
    "gray.jxl": "jpegxl/grayscale.jxl",
    "bits16.tif": "tiff/bits16_big_endian.tif",
    "cmyk.tif": "tiff/cmyk.tif",
    "pages.tif": "tiff/pages.tif",
    "pyramid.tif": "tiff/pyramid.tif",
    "bayer.dng": "raw/bayer.dng",
    "shapes.svg": "svg/shapes.svg",
    "two.pdf": "pdf/two.pdf",
}
DAMAGED = {
    "cut.webp": "webp/truncated.webp",
    "cut.avif": "avif/truncated.avif",
    "cut.gif": "gif/truncated.gif",
    "cut.heic": "heif/truncated.heic",
    "cut.jxl": "jpegxl/truncated.jxl",
    "cut.dng": "raw/cut.dng",
}


class Case:
    """A shell script, and the files that it finds."""

    def __init__(self, name, script, *folders):
        self.name, self.script, self.folders = name, script, folders
        self.has_callbacks = "on_done" in script

    def provide(self, here):
        """Copies the files of the case, and returns them with their facts."""
        for folder in self.folders:
            folder(here)
        inputs = {}
        for path, _, files in os.walk(here):
            for name in files:
                full = f"{path}/{name}"
                os.utime(full, (DATE, DATE))
                status = os.lstat(full)
                inputs[full] = (status.st_size, status.st_mtime_ns, status.st_mode)
        return inputs


# Files for cases


def photos(here):
    """Provides the sample photographs."""
    os.makedirs(f"{here}/photos")
    for name in os.listdir(PHOTOS):
        if not name.endswith(".md"):
            shutil.copy(f"{PHOTOS}/{name}", f"{here}/photos/{name}")


def page_files(here):
    """Provides what Scripts/dev/check-docs puts into the folder of a page."""
    os.makedirs(f"{here}/scans")
    for source, target in (("astronaut.png", "scans"), ("rocket.jpg", "scans"), ("chelsea.png", "logo.png")):
        shutil.copy(f"{PHOTOS}/{source}", f"{here}/{target}")


def samples(here):
    """Provides a picture of each format, and damaged ones."""
    for folder, names in (("samples", SAMPLES), ("damaged", DAMAGED)):
        os.makedirs(f"{here}/{folder}")
        for name, source in names.items():
            shutil.copy(f"{FIXTURES}/{source}", f"{here}/{folder}/{name}")
    with open(f"{PHOTOS}/rocket.jpg", "rb") as whole, open(f"{here}/damaged/cut.jpg", "wb") as cut:
        cut.write(whole.read()[:60_000])
    with open(f"{PHOTOS}/chelsea.png", "rb") as whole, open(f"{here}/damaged/cut.png", "wb") as cut:
        cut.write(whole.read()[:100_000])
    with open(f"{here}/damaged/text.jpg", "w", encoding="utf-8") as file:
        file.write("This is no picture.\n")


def scripts(here):
    """Provides the project's scripts with their plugins."""
    ignore = shutil.ignore_patterns("dev", "photos")
    shutil.copytree(f"{ROOT}/Scripts", f"{here}/Scripts", ignore=ignore)
    shutil.copytree(f"{ROOT}/Scripts/dev/reference.d", f"{here}/Scripts/dev/reference.d")
    shutil.copytree(
        f"{ROOT}/Scripts/dev/slurm.d", f"{here}/Scripts/dev/slurm.d", ignore=shutil.ignore_patterns("*.py", "__*")
    )
    shutil.copytree(PHOTOS, f"{here}/Scripts/photos", ignore=shutil.ignore_patterns("*.md"))


# Kinds of case


def of_scripts():
    """Yields the scripts of the folder Scripts, each as its first lines show it, and in shards."""
    for name in sorted(os.listdir(f"{ROOT}/Scripts")):
        if not name.endswith(".lua"):
            continue
        path = f"Scripts/{name}"
        calls = shown_calls(path)
        lines = [f"run imghost check --json {path} photos", f"run imghost help {path}"]
        for number, call in enumerate(calls):
            lines += [
                f"run imghost run --dry-run --out out-{number} {call}",
                f"run imghost run -v --out out-{number} {call}",
            ]
        yield Case(f"script-{name[:-4]}", "\n".join(lines) + "\n", scripts, photos)
        # A shard refuses to wait for results, and the amount of work that it has begun by then varies.
        with open(f"{ROOT}/{path}", encoding="utf-8") as file:
            shards = [] if ":await()" in file.read() else [f"shards 3 far {path} photos"]
        lines = [
            *shards,
            f"run imghost run --json --out out --manifest out.json --report out.html --trace trace.json"
            f" --timeline time.svg {path} photos",
        ]
        yield Case(f"script-{name[:-4]}-shards", "\n".join(lines) + "\n", scripts, photos)
    for name in ("pictures", "layouts"):
        script = f"run imghost run -v --out out Scripts/dev/reference.d/{name}.lua\n"
        yield Case(f"script-reference-{name}", script, scripts)
    script = "run imghost run --out pictures Scripts/dev/slurm.d/pictures.lua Scripts/photos\n"
    script += "".join(f"shards 2 {name} Scripts/dev/slurm.d/{name}.lua pictures\n" for name in ("book", "web"))
    yield Case("script-slurm", script, scripts)


def shown_calls(path):
    """Returns the arguments of 'imghost run' in the first lines of a script, with the photographs' folder as FOLDER."""
    calls = []
    with open(f"{ROOT}/{path}", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("--"):
                break
            if found := re.match(r"--   imghost run (.*?)(?:\s+-- .*)?$", line.rstrip()):
                words = shlex.split(re.sub(r"\[?\bFOLDER\]?", "photos", found[1]))
                calls.append(shlex.join(word for word in words if not word.startswith("[")))
    return calls


# Pages that compile plugins, which takes long.
SLOW_PAGES = ("Docs-HowTo-PluginInSwift", "Docs-HowTo-CodecInC", "Docs-HowTo-PluginInC")


def of_pages(folder):
    """Yields the scripts and commands of the pages."""
    pages = subprocess.run(
        ["git", "ls-files", "README.md", "Docs/*.md", "Plugins/*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    os.mkdir(f"{folder}/pages")
    subprocess.run(
        ["lua5.4", "Scripts/dev/check-docs.lua", "--extract", f"{folder}/pages", *pages], cwd=ROOT, check=True
    )
    for name in sorted(os.listdir(f"{folder}/pages")):
        if name.removesuffix(".sh") not in SLOW_PAGES:
            with open(f"{folder}/pages/{name}", encoding="utf-8") as file:
                yield Case(f"page-{name.removesuffix('.sh')}", file.read(), photos, page_files)


def of_files():
    """Yields the shell scripts beside this file."""
    for name in sorted(os.listdir(f"{HERE}/cases")):
        with open(f"{HERE}/cases/{name}", encoding="utf-8") as file:
            yield Case(name.removesuffix(".sh"), file.read(), photos, samples)


def of_generator(programs, seed, count):
    """Yields generated scripts."""
    facts = subprocess.run([f"{programs}/imghost", "ops", "--json"], check=True, capture_output=True, text=True).stdout
    for number in range(count):
        script = generator.case(facts, seed, number, sorted(SAMPLES), sorted(DAMAGED))
        yield Case(f"generated-{number:03}", script, photos, samples)


def every(programs, folder, seed, count):
    """Returns all cases. The folder takes what they are made from."""
    return [*of_scripts(), *of_pages(folder), *of_files(), *of_generator(programs, seed, count)]
