"""Writes the list of what a portable file or a package contains: SPDX 2.3, https://spdx.github.io/spdx-spec/v2.3/.

  contents.py NAME FOLDER VERSION TARGET.spdx.json     for a Debian package, whose files are in FOLDER
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time

from libraries import SWIFT, output

# Debian's short names of licences; SPDX's are those of https://spdx.org/licenses/.
LICENCES = {
    "0bsd": "0BSD", "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "bsd-2": "BSD-2-Clause",
    "bsd-2-clause": "BSD-2-Clause", "bsd-3": "BSD-3-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-3-clause-google": "BSD-3-Clause", "cc0-1.0": "CC0-1.0", "expat": "MIT", "ftl": "FTL", "gpl-2": "GPL-2.0-only",
    "gpl-2+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later", "isc": "ISC",
    "lgpl-2": "LGPL-2.0-only", "lgpl-2+": "LGPL-2.0-or-later", "lgpl-2.1": "LGPL-2.1-only",
    "lgpl-2.1+": "LGPL-2.1-or-later", "lgpl-3": "LGPL-3.0-only", "lgpl-3+": "LGPL-3.0-or-later",
    "lgplv2.1+": "LGPL-2.1-or-later", "libpng": "libpng-2.0", "libpng-2.0": "libpng-2.0", "mit": "MIT",
    "mpl-1.1": "MPL-1.1", "mpl-2.0": "MPL-2.0", "cddl-1.0": "CDDL-1.0", "zlib": "Zlib", "x11": "X11",
    "bitstream-vera": "Bitstream-Vera", "pd": "LicenseRef-public-domain",
}
# Licences by source package, if the copyright file is not machine-readable, or also names licences of programs that are
# not included.
STATED = {
    "cairo": "LGPL-2.1-only OR MPL-1.1", "fontconfig": "HPND", "fonts-dejavu": "Bitstream-Vera",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "glib2.0": "LGPL-2.1-or-later",
    "gnutls28": "LGPL-2.1-or-later", "harfbuzz": "MIT", "icu": "Unicode-3.0",
    "libbsd": "BSD-4-Clause AND BSD-3-Clause AND BSD-2-Clause AND ISC AND MIT AND Beerware",
    "libmd": "BSD-3-Clause AND BSD-2-Clause AND ISC AND Beerware AND LicenseRef-public-domain",
    "libidn2": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libjpeg-turbo": "BSD-3-Clause AND IJG AND Zlib",
    "libselinux": "libselinux-1.0", "libtasn1-6": "LGPL-2.1-or-later", "libthai": "LGPL-2.1-or-later",
    "libwebp": "BSD-3-Clause", "libx11": "MIT", "libxau": "MIT-open-group", "libxcb": "MIT",
    "libxdmcp": "MIT-open-group", "libxext": "MIT", "libxml2": "MIT", "libxrender": "HPND-sell-variant",
    "numactl": "LGPL-2.1-only", "openjpeg2": "BSD-2-Clause", "pcre2": "BSD-3-Clause", "pixman": "MIT", "tiff": "libtiff",
    "util-linux": "LGPL-2.1-or-later",
}
# Debian 12 has a liblzma whose files are in the public domain; later ones are under 0BSD.
PUBLIC_DOMAIN = {
    "licenseId": "LicenseRef-public-domain",
    "name": "Public domain",
    "extractedText": "This file has been put in the public domain. You can do whatever you want with this file.",
}
OWN = "SPDXRef-Package-imghost"


def identifier(kind, text):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def digest(path, algorithm):
    with open(path, "rb") as file:
        return hashlib.new(algorithm, file.read()).hexdigest()


def licence(package, source):
    """Returns the licence of a Debian package's files, if its copyright file declares one for all of them."""
    if source in STATED:
        return STATED[source]
    with open(f"/usr/share/doc/{package}/copyright", errors="replace") as file:
        text = file.read()
    found = re.search(r"^Files: *\*\s*$.*?^License: *(.+?)$", text, re.M | re.S)
    if not found:
        return "NOASSERTION"
    words = re.split(r" +(or|and|OR|AND) +", found[1].strip())
    names = [LICENCES.get(word.lower()) if index % 2 == 0 else word.upper() for index, word in enumerate(words)]
    return " ".join(names) if all(names) else "NOASSERTION"


def without_files(package):
    """The entry of a package that is linked into others, and has no files of its own."""
    del package["packageVerificationCode"]
    return {**package, "filesAnalyzed": False}


def linked_packages():
    """The packages whose libraries are linked into imghost's programs: those of Swift and C++."""
    library = os.path.realpath(output("g++", "-print-file-name=libstdc++.a").strip())
    name = output("dpkg-query", "-S", library).split(":")[0]
    return [without_files(swift_package([])), without_files(debian_package(name, []))]


def verification_code(files):
    """Package verification code, section 7.9 of the specification."""
    sums = sorted(digest(path, "sha1") for path in files)
    return {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()}


def debian_package(name, files):
    fields = "${Version}\t${source:Package}\t${source:Version}\t${Architecture}\t${Homepage}"
    query = subprocess.run(["dpkg-query", "-W", "-f", fields, name], check=True, stdout=subprocess.PIPE, text=True).stdout
    version, source, source_version, architecture, homepage = query.split("\t")
    package = {
        "SPDXID": identifier("Package", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": f"https://snapshot.debian.org/package/{source}/{source_version}/",
        "filesAnalyzed": True,
        "packageVerificationCode": verification_code(files),
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence(name, source),
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}",
            }
        ],
    }
    if homepage:
        package["homepage"] = homepage
    return package


def swift_package(files):
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return {
        "SPDXID": identifier("Package", SWIFT),
        "name": SWIFT,
        "versionInfo": version,
        "supplier": "Organization: Swift.org",
        "downloadLocation": f"https://github.com/swiftlang/swift/tree/swift-{version}-RELEASE",
        "filesAnalyzed": True,
        "packageVerificationCode": verification_code(files),
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "Apache-2.0 WITH Swift-exception",
        "copyrightText": "NOASSERTION",
    }


def package_entry(name, tree, version, files):
    """The entry of a package whose files a tree has; ours has no name."""
    if name == SWIFT:
        return swift_package(files)
    return debian_package(name, files) if name else own_package(tree, version, files)


def own_package(tree, version, files):
    is_gpl = tree.name.endswith("-gpl") or tree.name == "imghost-verify"
    return {
        "SPDXID": OWN,
        "name": tree.name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True,
        "packageVerificationCode": verification_code(files),
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "GPL-2.0-or-later" if is_gpl else "MIT",
        "copyrightText": "NOASSERTION",
    }


def file_entry(tree, file):
    entry = {
        "SPDXID": identifier("File", file),
        "fileName": "./" + file,
        "checksums": [
            {"algorithm": kind, "checksumValue": digest(tree.path(file), kind.lower())} for kind in ("SHA1", "SHA256")
        ],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }
    if file in tree.remade:
        entry["comment"] = tree.remade[file]
    return entry


def relationship(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def write(tree, version, target):
    """Writes the list of a tree's files. Only those of `tree.debian` are not ours."""
    names = sorted(
        os.path.relpath(os.path.join(place, name), tree.folder) for place, _, found in os.walk(tree.folder) for name in found)
    by_package = {}
    for name in names:
        by_package.setdefault(tree.debian.get(name, ""), []).append(name)
    packages, relationships = [], [relationship("SPDXRef-DOCUMENT", "DESCRIBES", OWN)]
    for package, files in sorted(by_package.items()):
        paths = [tree.path(file) for file in files]
        packages.append(package_entry(package, tree, version, paths))
        here = packages[-1]["SPDXID"]
        if package:
            relationships.append(relationship(OWN, "CONTAINS", here))
        relationships += [relationship(here, "CONTAINS", identifier("File", file)) for file in files]
    for package in tree.linked:
        packages.append(package)
        relationships.append(relationship(OWN, "STATIC_LINK", package["SPDXID"]))
    entries = [file_entry(tree, file) for file in names]
    whole = hashlib.sha256(json.dumps([packages, entries], sort_keys=True).encode()).hexdigest()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{tree.name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{tree.name}-{version}-{whole}",
        "creationInfo": {"created": created, "creators": ["Tool: imghost-package"]},
        "packages": packages,
        "hasExtractedLicensingInfos": [PUBLIC_DOMAIN],
        "files": entries,
        "relationships": relationships,
    }
    with open(target, "w") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")


class Package:
    """The files of a Debian package. All of them are ours."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.debian, self.remade = {}, {}
        self.linked = linked_packages() if name in ("imghost", "imghost-verify") else []

    def path(self, *parts):
        return os.path.join(self.folder, *parts)


if __name__ == "__main__":
    name, folder, version, target = sys.argv[1:]
    write(Package(name, folder), version, target)
