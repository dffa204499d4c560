"""Writes a wheel of a portable tree: https://packaging.python.org/specifications/binary-distribution-format/."""

import base64
import hashlib
import os
import stat
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
DESCRIPTIONS = {
    "imghost": "picture pipelines and PDF photo books from Lua scripts",
    "imghost-gpl": "proof of PDF photo books, PDF pages and HEIC for imghost, with libraries under the GPL",
}
# A program that a user starts. pip writes the path of its Python into the first line.
SCRIPT = """#!python
from imghost import __main__
"""


def tag():
    """The oldest glibc that the files run with: that of this system."""
    major, minor = os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2]
    return f"py3-none-manylinux_{major}_{minor}_x86_64"


def metadata(tree, version):
    is_gpl = tree.name.endswith("-gpl")
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {tree.name}",
        f"Version: {version}",
        f"Summary: {DESCRIPTIONS[tree.name]}",
        f"License: {'GPL-2.0-or-later' if is_gpl else 'MIT'}",
        "Requires-Python: >=3.8",
    ]
    if is_gpl:
        lines.append(f"Requires-Dist: imghost (=={version})")
    return "\n".join(lines) + "\n"


class Writer:
    """A zip file whose bytes depend on its contents alone, with the list that a wheel ends with."""

    def __init__(self, path):
        moment = max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800)  # 1980, where the dates of zip files begin
        self.date = time.gmtime(moment)[:6]
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.records = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, self.date)
        entry.create_system = 3
        entry.external_attr = (stat.S_IFREG | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data, compresslevel=9)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, record):
        text = "".join(self.records) + f"{record},,\n"
        self.add(record, text.encode())
        self.zip.close()


def place(tree, file, info):
    """Returns where a file of the tree lies in the wheel: licences and the list of contents beside the metadata."""
    document = f"share/doc/{tree.name}/"
    if file.startswith(document + "licences/") or file in (document + "LICENSE", document + "copyright"):
        return f"{info}/licenses/{file[len(document):]}"
    if file.endswith(".spdx.json"):
        return f"{info}/sboms/{os.path.basename(file)}"
    return f"imghost/{file}"


def write(tree, version, out):
    name = tree.name.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    writer = Writer(os.path.join(out, f"{name}-{version}-{tag()}.whl"))
    files = {}
    for folder, _, names in os.walk(tree.folder):
        for file in names:
            path = os.path.join(folder, file)
            files[place(tree, os.path.relpath(path, tree.folder), info)] = path
    for target, path in sorted(files.items()):
        with open(path, "rb") as file:
            writer.add(target, file.read(), stat.S_IMODE(os.stat(path).st_mode))
    if tree.name == "imghost":
        for module in ("__init__.py", "__main__.py"):
            with open(os.path.join(HERE, "python", module)) as file:
                writer.add(f"imghost/{module}", file.read().replace("@VERSION@", version).encode())
        writer.add(f"{name}-{version}.data/scripts/imghost", SCRIPT.encode(), 0o755)
    writer.add(f"{info}/METADATA", metadata(tree, version).encode())
    writer.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: imghost\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
    writer.close(f"{info}/RECORD")
