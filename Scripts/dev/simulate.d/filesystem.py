"""The file operations of a run, as recorded by strace, and the states that a crash may leave.

The model is that of ALICE (Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014): writes to a file and
changes of folders reach the disk in any order that no sync forbids, and a write may reach it in part.
"""

import os
import re

LINE = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+= (-?\d+)(.*)$", re.S)
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(r"^(-?\d+|AT_FDCWD)<([^>]*)>")
CALLS = (
    "open,openat,openat2,creat,write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile,ftruncate,truncate,"
    "rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,fsync,fdatasync,syncfs,sync,lseek")


class Node:
    """A file or a folder, independent of its names."""

    def __init__(self, is_folder, data=b"", status=None):
        self.is_folder = is_folder
        self.data = bytearray(data)
        self.entries = {}
        # The status of the file, because records contain its inode and times.
        self.status = status


def copied(root):
    """Returns a deep copy of a tree, and a table of the copies by their originals."""
    copies = {}

    def copy(node):
        made = copies[node] = Node(node.is_folder, node.data, node.status)
        made.entries = {name: copies.get(entry) or copy(entry) for name, entry in node.entries.items()}
        return made

    return copy(root), copies


def read_tree(path):
    """Returns the tree of what is on the disk."""
    if os.path.isdir(path):
        node = Node(True)
        node.entries = {name: read_tree(os.path.join(path, name)) for name in os.listdir(path)}
        return node
    with open(path, "rb") as file:
        return Node(False, file.read(), os.stat(path))


def write_tree(node, path, made):
    """Writes a tree to the disk. A file with a status gets its times. Adds the path and the status of each written file
    to `made`."""
    if node.is_folder:
        os.makedirs(path, exist_ok=True)
        for name, entry in node.entries.items():
            write_tree(entry, os.path.join(path, name), made)
    elif node in made:
        # A second name of the file.
        os.link(made[node][0], path)
    else:
        with open(path, "wb") as file:
            file.write(node.data)
        if node.status is not None:
            os.utime(path, ns=(node.status.st_atime_ns, node.status.st_mtime_ns))
        made[node] = path, os.stat(path)


def is_equal(one, two):
    if one.is_folder != two.is_folder or set(one.entries) != set(two.entries) or one.data != two.data:
        return False
    return all(is_equal(entry, two.entries[name]) for name, entry in one.entries.items())


class Recording:
    """The operations of a run below a folder, on nodes, in their order."""

    def __init__(self, root, base, log):
        self.root, self.base = os.path.realpath(root), base
        # The tree as it changes while the log is read. Its nodes are those that the operations name.
        self.live, self.start = copied(base)
        self.operations = []
        self.places = {}
        begun = {}
        for line in open(log, errors="replace"):
            line = line.rstrip("\n")
            if line.endswith("<unfinished ...>"):
                head = line[: -len(" <unfinished ...>")].rstrip()
                begun[head.split(None, 1)[0]] = head
                continue
            resumed = re.match(r"^(\d+)\s+<\.\.\. \w+ resumed>(.*)$", line, re.S)
            if resumed and resumed.group(1) in begun:
                line = begun.pop(resumed.group(1)) + resumed.group(2)
            match = LINE.match(line)
            if match and int(match.group(4)) >= 0:
                self.add(match.group(2), match.group(3), int(match.group(4)), match.group(5))

    # MARK: Paths

    def absolute(self, words, name):
        folder = DESCRIPTOR.match(words)
        return os.path.normpath(os.path.join(text(folder.group(2)) if folder else self.root, name))

    def parts(self, path):
        """Returns the parts of a path below the root; None for one elsewhere."""
        if path != self.root and not path.startswith(self.root + "/"):
            return None
        return [part for part in path[len(self.root):].split("/") if part]

    def node(self, path):
        parts = self.parts(path)
        if parts is None:
            return None
        node = self.live
        for part in parts:
            node = node.entries.get(part) if node else None
        return node

    def folder(self, path):
        return self.node(os.path.dirname(path)), os.path.basename(path)

    # MARK: Operations

    def do(self, *operation):
        apply(operation, lambda node: node)
        self.operations.append(operation)

    def add(self, call, words, result, rest):
        names = [text(name) for name in STRING.findall(words)]
        if call in ("open", "openat", "openat2", "creat"):
            opened = DESCRIPTOR.match("%d%s" % (result, rest.strip()))
            path = text(opened.group(2)) if opened else self.absolute(words, names[0])
            self.places[path] = 0
            if self.parts(path) is None or "O_CREAT" not in words and call != "creat":
                return
            node = self.node(path)
            folder, name = self.folder(path)
            if node is None and folder is not None:
                self.do("link", folder, name, Node(False))
            elif node is not None and "O_TRUNC" in words:
                self.do("truncate", node, 0)
        elif call in ("mkdir", "mkdirat"):
            folder, name = self.folder(self.absolute(words, names[0]))
            if folder is not None:
                self.do("link", folder, name, Node(True))
        elif call in ("rename", "renameat", "renameat2"):
            second = words.split(", ")[2] if call != "rename" else words
            one, two = self.folder(self.absolute(words, names[0])), self.folder(self.absolute(second, names[1]))
            if one[0] is not None and two[0] is not None:
                kind = "exchange" if "RENAME_EXCHANGE" in words else "rename"
                self.do(kind, *one, *two, one[0].entries[one[1]], two[0].entries.get(two[1]))
        elif call in ("link", "linkat"):
            second = words.split(", ")[2] if call == "linkat" else words
            one, two = self.folder(self.absolute(words, names[0])), self.folder(self.absolute(second, names[1]))
            if one[0] is not None and two[0] is not None:
                self.do("link", *two, one[0].entries[one[1]])
        elif call in ("unlink", "unlinkat", "rmdir"):
            folder, name = self.folder(self.absolute(words, names[0]))
            if folder is not None:
                self.do("unlink", folder, name, folder.entries[name])
        elif call in ("fsync", "fdatasync"):
            node = self.node(self.absolute(words, ""))
            if node is not None:
                self.do("sync", node)
        elif call in ("sync", "syncfs"):
            self.do("sync", None)
        elif call == "lseek":
            path = self.absolute(words, "")
            self.places[path] = self.places["node", id(self.node(path))] = result
        else:
            self.add_data(call, words, names, result)

    def add_data(self, call, words, names, result):
        place = self.absolute(words, "")
        if call == "copy_file_range":
            source, target = re.findall(r"\d+<[^>]*>, [^,]*", words)[:2]
            place = self.absolute(target, "")
            with open(self.absolute(source, ""), "rb") as file:
                data = file.read()
            offset = re.search(r"\[(\d+)\]", source)
            start = int(offset.group(1)) if offset else self.places.get(self.absolute(source, ""), 0)
            self.places[self.absolute(source, "")] = start + result
            data = data[start:start + result]
        else:
            data = b"".join(bytes.fromhex(part.replace("\\x", "")) for part in STRING.findall(words))[:result]
        node = self.node(place)
        if node is None:
            return
        if call == "ftruncate":
            return self.do("truncate", node, int(words.rsplit(", ", 1)[1]))
        if call in ("pwrite64", "pwritev", "pwritev2"):
            offset = int(words.rsplit(", ", 1)[1])
        else:
            # A journal is opened for appending; all other files are written from their start.
            key = ("node", id(node))
            offset = len(node.data) if "/.imghost/" in place else self.places.get(key, 0)
            self.places[key] = offset + result
        self.do("write", node, offset, data)


def text(hexadecimal):
    return bytes.fromhex(hexadecimal.replace("\\x", "")).decode("utf-8", "replace") if "\\x" in hexadecimal else hexadecimal


def apply(operation, real, how=None):
    """Applies an operation to the copies of its nodes.

    how: the part of a write that reaches the disk: None for all, "zeros" for only its length, or the number of bytes.
    """
    kind = operation[0]
    if kind == "write":
        node, offset, data = real(operation[1]), operation[2], operation[3]
        if how == "zeros":
            data = bytes(len(data))
        elif how is not None:
            data = data[:how]
        if len(node.data) < offset:
            node.data += bytes(offset - len(node.data))
        node.data[offset:offset + len(data)] = data
    elif kind == "truncate":
        node, length = real(operation[1]), operation[2]
        del node.data[length:]
        node.data += bytes(length - len(node.data))
    elif kind == "link":
        real(operation[1]).entries[operation[2]] = real(operation[3])
    elif kind == "unlink":
        folder, name = real(operation[1]), operation[2]
        if folder.entries.get(name) is real(operation[3]):
            del folder.entries[name]
    elif kind in ("rename", "exchange"):
        one, first, two, second, node, replaced = operation[1:]
        one, two, node = real(one), real(two), real(node)
        if kind == "rename":
            if one.entries.get(first) is node:
                del one.entries[first]
        elif one.entries.get(first) is node or replaced is not None:
            one.entries[first] = real(replaced)
        two.entries[second] = node


def sealed(operations, end):
    """Returns the indices of those of the first `end` operations that a sync has brought to the disk before the end."""
    safe = set()
    synced = set()
    for index in range(end - 1, -1, -1):
        operation = operations[index]
        if operation[0] == "sync":
            if operation[1] is None:
                return safe | set(range(index))
            synced.add(operation[1])
        elif operation[0] in ("write", "truncate", "link", "unlink"):
            if operation[1] in synced:
                safe.add(index)
        elif operation[1] in synced and operation[3] in synced:
            safe.add(index)
    return safe
