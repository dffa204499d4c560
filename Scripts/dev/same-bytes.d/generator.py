"""Generates scripts from the tables of operations, outputs and options that 'imghost ops --json' prints.

A script depends only on the seed and its number. Most scripts are valid; the others have mistakes of known kinds.
"""

import json
import random

import vocabulary
from masks import PASSWORD


class Code(str):
    """A Lua expression, which is written unchanged."""


def lua(value):
    """Returns a value as Lua writes it."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {lua(one)}" for key, one in value.items()) + " }" if value else "{}"
    return "{ " + ", ".join(lua(one) for one in value) + " }"


class Script:
    """A script in the making."""

    def __init__(self, tables, chance, samples, damaged, in_shards):
        self.tables, self.chance, self.samples, self.damaged = tables, chance, samples, damaged
        self.in_shards, self.waits, self.fails = in_shards, False, False
        self.lines = []
        self.pictures, self.lists, self.jobs = [], [], []
        self.names = 0

    def add(self, line):
        """Appends a line."""
        self.lines.append(line)

    def name(self, kind):
        """Returns a new name."""
        self.names += 1
        return f"{kind}{self.names}"

    # Values

    def value(self, owner, parameter):
        """Returns a value that an argument takes."""
        name, kind, chance = parameter["name"], parameter["type"], self.chance
        shapes = vocabulary.SHAPES.get((owner, name)) or vocabulary.SHAPES.get((owner, "*"))
        if shapes:
            return chance.choice(shapes)
        if kind in ("choice", "choice_or_list"):
            if parameter.get("lists") and chance.random() < 0.3:
                key, words = chance.choice(sorted(parameter["lists"].items()))
                return {key: chance.sample(words, 2)}
            return chance.choice(parameter["choices"])
        if kind == "boolean_or_integer":
            return chance.choice([True, False, 16, 200])
        if kind == "boolean":
            return chance.random() < 0.6
        if kind in ("integer", "number", "side"):
            return self.number(parameter)
        return {
            "colour": lambda: chance.choice(vocabulary.OPAQUE if name.endswith("colour") else vocabulary.COLOURS),
            "lengths": lambda: chance.choice(
                vocabulary.MARGINS if name == "margin" else vocabulary.WORDS.get(name, vocabulary.LENGTHS)
            ),
            "number_or_share": lambda: chance.choice([14, "6%", 20, "10%"]),
            "bytes": lambda: chance.choice(["20k", 9000, "60k"]),
            "text_list": lambda: chance.choice(["Zoë", ["a", "b c"]]),
            "texts": lambda: ["one", "two {stem}"] if name != "allow" else ["print"],
            "fields": lambda: {"coffee": "A cup", "Department": "Books"},
            "data": lambda: chance.choice(["a note", 7, {"a": 1, "b": ["x", True]}]),
            "picture": lambda: Code(self.picture()),
            "jobs": lambda: Code(chance.choice(self.jobs)) if self.jobs else Code("nil"),
            "numbers": lambda: [1, 2, 3],
        }.get(kind, lambda: self.text(name))()

    def number(self, parameter):
        """Returns a number in the range of an argument, sometimes one of its ends."""
        name, chance = parameter["name"], self.chance
        low = parameter.get("minimum", 0)
        high = min(
            parameter.get("maximum", 100), vocabulary.MODEST.get(name, 400 if parameter["unit"] == "px" else 100)
        )
        if parameter["type"] == "side" and chance.random() < 0.2:
            return chance.choice(["50%", "33%"])
        if chance.random() < 0.1:
            return chance.choice([low, high])
        low = max(low, 16 if name in ("width", "height") else 60 if name == "upper" else -high)
        if name in ("dpi", "max_dpi"):
            return chance.choice([72, 150, 300])
        if name in ("rows", "columns", "page_multiple", "pages", "caption_lines"):
            return chance.randint(1, 4)
        if parameter["type"] == "number":
            return round(chance.uniform(low, max(low, min(high, 3 * abs(parameter.get("default") or 10)))), 2)
        return chance.randint(int(low), max(int(low), int(high)))

    def text(self, name):
        """Returns a text for an argument."""
        for key, words in vocabulary.WORDS.items():
            if name == key or name.endswith("_" + key):
                return self.chance.choice(words)
        return self.chance.choice(vocabulary.TEXTS)

    def options(self, owner, names, share=0.4):
        """Returns values for some arguments by their names."""
        known = {parameter["name"]: parameter for parameter in self.tables[owner]["parameters"]}
        chosen = [name for name in names if name in known and self.chance.random() < share]
        return self.completed(owner, {name: self.value(owner, known[name]) for name in chosen})

    def completed(self, owner, values):
        """Returns values together with those that they require: a 'caption_size' requires a 'caption'."""
        known = {parameter["name"]: parameter for parameter in self.tables[owner]["parameters"]}
        for name in list(values):
            for base in known:
                if name.startswith(base + "_") and base not in values and base != "cell":
                    values[base] = self.value(owner, known[base])
        if "padding" in values:
            values.setdefault("background", "white")
        return values

    # Pictures

    def source(self):
        """Appends a source: a picture, or a list."""
        chance = self.chance
        kind = chance.choices(["photo", "sample", "glob", "pages", "canvas", "text", "card"], [5, 4, 4, 1, 2, 1, 1])[0]
        if kind in ("glob", "pages"):
            name = self.name("list")
            self.add(f"local {name} = img.{kind}({lua(chance.choice(vocabulary.LISTS[kind]))})")
            self.lists.append(name)
            return
        name = self.name("picture")
        if kind == "photo":
            call = f"img.open({lua('photos/' + chance.choice(vocabulary.PHOTOS))})"
        elif kind == "sample":
            options = self.options("open", ["orient", "sidecar"], 0.2)
            call = f"img.open({lua('samples/' + chance.choice(self.samples))}, {lua(options)})"
        elif kind == "canvas":
            options = self.options("canvas", ["background"])
            call = f"img.canvas({chance.randint(20, 300)}, {chance.randint(20, 300)}, {lua(options)})"
        elif kind == "text":
            options = self.options(
                "img.text", ["size", "width", "font", "colour", "alignment", "shadow", "background", "padding"]
            )
            text = chance.choice(["imghost", "two\nlines", "Zoë"])
            call = f"img.text({lua(text)}, {lua(options)})"
        else:
            call = (
                f'img.plugin("test_card", {{ width = {chance.randint(40, 300)}, height = {chance.randint(40, 200)} }})'
            )
        self.add(f"local {name} = {call}")
        self.pictures.append(name)

    def picture(self):
        """Returns an expression for a picture."""
        if self.lists and (not self.pictures or self.chance.random() < 0.3):
            return f"{self.chance.choice(self.lists)}[1]"
        return self.chance.choice(self.pictures)

    def operation(self, on):
        """Returns the call of an operation, without the picture."""
        chance = self.chance
        if chance.random() < 0.08:
            return chance.choice(vocabulary.PLUGINS)
        families = ("conversion", "resample", "colour", "convolution", "arithmetic")
        name = chance.choice([name for name, table in self.tables.items() if table["family"] in families])
        if name == "crop":
            return f"crop({on}.width // 8, {on}.height // 8, {on}.width // 2 + 1, {on}.height // 2 + 1)"
        table = self.tables[name]
        values = {}
        for parameter in table["parameters"]:
            if parameter["required"] or chance.random() < 0.25:
                values[parameter["name"]] = self.value(name, parameter)
        if name == "draw" and not set(values) & {"line", "box", "circle", "ellipse", "polygon"}:
            values["box"] = [4, 4, 30, 20]
        if name == "composite":
            fix_place(values, "gravity")
        if name == "text":
            fix_place(values, "position")
        if name == "convolve":
            values.pop("width", None), values.pop("height", None)
        if name == "resize" and not values.keys() & {"width", "height"}:
            values["width"] = chance.randint(20, 400)
        if name == "curves":
            values = {"points": self.value(name, {"name": "points", "type": "numbers"})}
        self.completed(name, values)
        return f"{name}{self.arguments(table, values)}"

    def arguments(self, table, values):
        """Returns the arguments of a call, by position where that is usual."""
        first = [parameter["name"] for parameter in table["parameters"]][: table["positional"]]
        if first and all(name in values for name in first) and self.chance.random() < 0.7:
            rest = {name: value for name, value in values.items() if name not in first}
            return "(" + ", ".join([lua(values[name]) for name in first] + ([lua(rest)] if rest else [])) + ")"
        return lua(values) if values else "()"

    def change(self):
        """Appends a chain of operations on a picture or a list."""
        chance = self.chance
        count = chance.randint(1, 3)
        if self.lists and chance.random() < 0.6:
            source, name = chance.choice(self.lists), self.name("list")
            steps = "".join(":" + self.operation("p") for _ in range(count))
            self.add(f"local {name} = {source}:map(function(p) return p{steps} end)")
            self.lists.append(name)
        else:
            source, name = self.picture(), self.name("picture")
            self.add(f"local {name} = {source}")
            for _ in range(count):
                self.add(f"{name} = {name}:{self.operation(name)}")
            self.pictures.append(name)

    def select(self):
        """Appends a choice from a list, or a look at pictures."""
        chance = self.chance
        if self.lists and chance.random() < 0.6:
            source, name = chance.choice(self.lists), self.name("list")
            call = chance.choice(
                [
                    'filter(function(p) return p.width > 200 end, "narrow")',
                    "sort_by(function(p) return -p.width * p.height end)",
                    'sort_by("date")',
                    "take(2)",
                    "filter(function(p) return p.sharpness > 0.1 end)",
                    "filter(function(p) return p.width > 50 end)",
                ]
            )
            self.add(f"local {name} = {source}:{call}")
            self.lists.append(name)
            return
        picture = self.picture()
        self.add(
            chance.choice(
                [
                    f"print({picture}.width, {picture}.height, {picture}.bands, {picture}.bits, {picture}.format)",
                    f"print({picture}:stats().mean[1], {picture}:hash())",
                    f"print({picture}:dominant_colours(3)[1].colour, {picture}:placeholder())",
                    f"print({picture}.sharpness, {picture}.exposure, {picture}.contrast, {picture}.score)",
                    f"print({picture}.attention.x, {picture}.horizon)",
                    f"{picture} = {picture}:trim(20)" if picture in self.pictures else f"print({picture}.dpi)",
                    f"img.hint({picture}, {lua(self.options('hint', 'hero keep caption score page'.split(), 0.5))})",
                    f"for key, value in pairs({picture}.exif) do print(key, value) end",
                    f"print({picture}.path, {picture}.name, {picture}.has_alpha, {picture}.dpi)",
                ]
            )
        )

    # Outputs

    def common(self, owner):
        """Returns options that every output takes."""
        options = self.options(owner, ["qos", "after", "note"] if self.jobs else ["qos", "note"], 0.12)
        # Work of the lowest classes waits for all other programs of the machine, so it is mostly avoided.
        if options.get("qos") in ("background", "utility") and self.chance.random() < 0.8:
            options["qos"] = "default"
        return options

    def sink(self):
        """Appends an output."""
        chance = self.chance
        kinds = {"save": 6, "book": 4, "animation": 1, "multipage": 1, "tiles": 1, "contact_sheet": 1}
        kind = chance.choices(list(kinds), list(kinds.values()))[0]
        job = self.name("job")
        getattr(self, kind)(job)
        self.jobs.append(job)

    def save(self, job):
        """Appends a 'save' of a picture or a list."""
        chance = self.chance
        ending = chance.choice(vocabulary.FREQUENT if chance.random() < 0.8 else list(vocabulary.SAVE))
        options = {**self.options("save", vocabulary.SAVE[ending], 0.25), **self.common("save")}
        if "max_bytes" in options and chance.random() < 0.6:
            del options["max_bytes"]
        tail = f", {lua(options)}" if options else ""
        if self.lists and chance.random() < 0.5:
            name = chance.choice(["{index:3}", "{stem}-{index}", "{index}-{width}x{height}", "{ext}/{stem}-{index}"])
            self.add(f'local {job} = {chance.choice(self.lists)}:save("{job}/{name}.{ending}"{tail})')
        else:
            self.add(f'local {job} = {self.picture()}:save("{chance.choice(["", "deep/er/"])}{job}.{ending}"{tail})')

    def book(self, job):
        """Appends a book."""
        chance = self.chance
        layout = chance.choices(list(vocabulary.LAYOUTS), [4, 4, 2, 2, 1, 3, 1])[0]
        options = {
            "layout": layout,
            **self.options("book", vocabulary.BOOK, 0.12),
            **self.options("book", vocabulary.LAYOUTS[layout], 0.4),
        }
        options.update(self.common("book"))
        if options.get("paper", "picture") == "picture" and (layout != "single" or chance.random() < 0.8):
            options["paper"] = chance.choice(["a6", "10x15", "100mm x 80mm"])
        if "paper" not in options:
            options.pop("orientation", None)
        if "position" in options:
            options["fit"] = "cover"
        if "conformance" in options:
            options["title"] = "A title"
            options.pop("pdf_version", None)
        if layout == "justified":
            options.setdefault("row_height", "30mm")
        if layout == "cover":
            options.update({"cover_thickness": "3mm", "cover_pages": 40, "paper_thickness": "0.1mm"})
            for name in ("page_multiple", "title_page", "colophon", "caption", "margin"):
                options.pop(name, None)
        if chance.random() < 0.04:
            options["password"] = PASSWORD
        if chance.random() < 0.1:
            known = [parameter["name"] for parameter in self.tables["book"]["parameters"]]
            options.update(self.options("book", chance.sample(known, 3), 1))
        self.add(f'local {job} = img.book("{job}.pdf", {self.pages(layout)}, {lua(options)})')

    def pages(self, layout):
        """Returns an expression for what a book shows."""
        chance = self.chance
        if layout == "cover":
            return "{ " + self.picture() + " }"
        if self.lists and chance.random() < 0.6:
            chosen = chance.choice(self.lists)
            if chance.random() < 0.15:
                return f'{chosen}:group_by("{chance.choice(["folder", "month"])}")'
            if chance.random() < 0.2:
                options = self.options("page", ["title", "text", "background"], 0.7) or {"title": "A page"}
                return "{ img.page" + lua(options) + f", {chosen} }}"
            return chosen
        return "{ " + ", ".join(self.picture() for _ in range(chance.randint(1, 5))) + " }"

    def contact_sheet(self, job):
        """Appends a contact sheet."""
        options = {
            **self.options("contact_sheet", ["columns", "rows", "title", "paper", "caption", "verify"], 0.3),
            **self.common("book"),
        }
        pictures = self.chance.choice(self.lists) if self.lists else "{ " + self.picture() + " }"
        self.add(f'local {job} = img.contact_sheet("{job}.pdf", {pictures}, {lua(options)})')

    def animation(self, job):
        """Appends an animation of one size."""
        options = {**self.options("animation", ["delay", "loop", "background"], 0.4), **self.common("animation")}
        if "delay" in options:
            options["delay"] = 0.2
        frames = (
            f"{self.chance.choice(self.lists)}:take(4)"
            if self.lists
            else "img.list{ " + self.picture() + ", " + self.picture() + " }"
        )
        if self.chance.random() < 0.9:
            frames += ":map(function(p) return p:fill(90, 60) end)"
        self.add(
            f'local {job} = img.animation("{job}.{self.chance.choice(vocabulary.LIVELY)}", {frames}, {lua(options)})'
        )

    def multipage(self, job):
        """Appends a file of several pages."""
        pictures = (
            self.chance.choice(self.lists) if self.lists else "{ " + self.picture() + ", " + self.picture() + " }"
        )
        self.add(f'local {job} = img.multipage("{job}.tif", {pictures}, {lua(self.common("multipage"))})')

    def tiles(self, job):
        """Appends a pyramid of tiles."""
        options = {**self.options("tiles", ["layout", "overlap", "background", "format"], 0.3), **self.common("tiles")}
        options["size"] = self.chance.choice([64, 128, 256])
        if "overlap" in options:
            options["overlap"] = 1
        if "format" in options:
            options["format"] = self.chance.choice(["jpg", "png", "webp"])
        self.add(f'local {job} = {self.picture()}:tiles("{job}{self.chance.choice(["", ".dzi"])}", {lua(options)})')

    def wait(self):
        """Appends uses of the script's jobs. In shards, only functions that the merge calls get results."""
        chance = self.chance
        job = chance.choice(self.jobs)
        result = self.name("result")
        forms = [
            [f'{job}:on_done(function(r) print("{job}", r.ok, r.written, r.pages) end)'],
            [f'img.all{{ {", ".join(self.jobs)} }}:on_done(function(all) print("all", all.ok) end)'],
        ]
        if not self.waits:
            # At a later place it would be undetermined whether the job has already ended.
            forms.append([f"{job}:cancel()"])
        if not self.in_shards:
            forms += [
                [
                    f"local {result} = {job}:await()",
                    f"print({result}.ok, {result}.written, {result}.files and #{result}.files)",
                ],
                [f"local {result} = img.all{{ {', '.join(self.jobs)} }}:await()", f"print({result}.ok)"],
                [f"{job}:await()", f"print({job}.state)"],
            ]
            if not self.fails:
                forms.append([f'{job}:on_done(function(r) img.canvas(9, 9):save("late-{result}.png") end)'])
        chosen = chance.choice(forms)
        self.waits = self.waits or ":await()" in chosen[0]
        for line in chosen:
            self.add(line)

    # Mistakes

    def mistake(self):
        """Appends a mistake of a known kind. A mistake cancels unfinished jobs, so the script waits for them before."""
        chance = self.chance
        if self.waits:
            self.add(f"img.all{{ {', '.join(self.jobs)} }}:await()")
        line = chance.choice(vocabulary.MISTAKES).replace("PICTURE", self.picture()).replace("BAD", self.name("bad"))
        self.add(line.replace("DAMAGED", chance.choice([*self.damaged, "cut.jpg", "cut.png"])))


def fix_place(values, name):
    """Keeps one of two ways to place something."""
    if name in values:
        values.pop("left", None), values.pop("top", None)
    elif ("left" in values) != ("top" in values):
        values["left"], values["top"] = values.get("left", 5), values.get("top", 5)


def script(tables, chance, samples, damaged, in_shards):
    """Returns a script."""
    made = Script(tables, chance, samples, damaged, in_shards)
    made.add('local img = require "imghost"')
    if chance.random() < 0.15:
        made.add('local width = img.setting("width", { type = "int", minimum = 10, maximum = 900, default = 200 })')
        made.add("print(width)")
    for _ in range(chance.randint(1, 3)):
        made.source()
    if not made.pictures:
        made.add('local first = img.open("photos/chelsea.png")')
        made.pictures.append("first")
    for _ in range(chance.randint(1, 3)):
        chance.choices([made.change, made.select], [3, 1])[0]()
    count = chance.randint(1, 4)
    mistakes = {chance.randrange(count) for _ in range(2)} if chance.random() < 0.25 else set()
    made.fails = bool(mistakes)
    for number in range(count):
        made.sink()
        if chance.random() < 0.3:
            made.wait()
        if chance.random() < 0.2:
            made.change()
        if number in mistakes:
            made.mistake()
    if chance.random() < 0.3:
        made.wait()
    if chance.random() < 0.01:
        made.add("local unfinished = (")
    return "\n".join(made.lines) + "\n"


def case(facts, seed, number, samples, damaged):
    """Returns the shell script of a case: a script, and how it is run."""
    tables = {table["name"]: table for table in json.loads(facts)}
    chance = random.Random(f"{seed} {number}")
    way = vocabulary.WAYS[number % len(vocabulary.WAYS)]
    text = script(tables, chance, samples, damaged, way[0].startswith("shards"))
    lines = ["cat >script.lua <<'END OF FILE'", text + "END OF FILE"]
    lines.append(f"run imghost check {chance.choice(['--json ', ''])}script.lua")
    if chance.random() < 0.5:
        lines.append("run imghost run --dry-run --out out script.lua")
    return "\n".join([*lines, *way]) + "\n"
