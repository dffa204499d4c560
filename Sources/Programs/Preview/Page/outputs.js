// The outputs of the script: a section for the pictures of each folder, and one for each book.

import { byId, counted, make, remembered, setText } from "./elements.js";
import { coalesced, post } from "./connection.js";
import { gridLayout, gridSizes, spreadLayout, zooms } from "./layouts.js";
import { TileList } from "./tiles.js";

// With more folders than this, all pictures form one section.
const mostFolders = 12;
const resizeDelay = 120;  // milliseconds without another change of size until pictures are requested

export class Outputs {
    #main = byId("outputs"); #nav = byId("sections"); #messages = byId("messages"); #banners = byId("banners");
    #loader; #open;
    #sections = new Map();  // by id
    #empty = make("div", { class: "empty" });
    #hint = null; #lastHint = ""; #frame = 0; #paused = false; #room = { width: 0, height: 0 };
    #sendHint = coalesced(async () => {
        try { await post("./view", this.#hint); } catch { /* The connection's banner shows this. */ }
    });

    /** Called before the page jumps to another output. */
    onjump = () => {};

    /** `open(section, item)` shows an item large. */
    constructor(loader, open) {
        this.#loader = loader;
        this.#open = open;
        this.#main.addEventListener("scroll", () => this.refresh(), { passive: true });
        let timer = 0;
        new ResizeObserver(() => {
            clearTimeout(timer);
            const first = this.#room.width === 0;
            timer = setTimeout(() => this.#resized(), first ? 0 : resizeDelay);
        }).observe(this.#main);
    }

    /** Shows the outputs of a state. Sections that stay keep their elements and pictures. */
    show(outputs, status) {
        const wanted = sectionsOf(outputs);
        for (const [id, section] of this.#sections) {
            if (!wanted.has(id)) section.remove(), this.#sections.delete(id);
        }
        let previous = null;
        for (const [id, content] of wanted) {
            let section = this.#sections.get(id);
            if (!section) {
                section = new OutputSection(id, content, this.#main, this.#loader, this.#open, {
                    changed: () => this.refresh(), jump: () => this.onjump(),
                });
                this.#sections.set(id, section);
            }
            const place = previous ? previous.nextSibling : this.#main.firstChild;
            if (place !== section.element) this.#main.insertBefore(section.element, place);
            previous = section.element;
            section.show(content, this.#measure());
        }
        this.#showEmpty(wanted.size === 0 ? status : null);
        this.#showNav();
        this.#draw();
    }

    /** Determines in the next frame which tiles are on screen. */
    refresh() {
        if (this.#frame) return;
        this.#frame = requestAnimationFrame(() => this.#draw());
    }

    /** Whether the large view covers the outputs, so that no pictures are requested for them. */
    set paused(paused) {
        this.#paused = paused;
        this.#main.inert = paused;
        for (const section of this.#sections.values()) section.tiles.paused = paused;
        this.#draw();
    }

    /** Returns the items of a section, in their order; none if there is no such section. */
    items(id) { return this.#sections.get(id)?.tiles.items ?? []; }

    focus(id, item) { this.#sections.get(id)?.tiles.focus(item); }

    #draw() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        const sections = [...this.#sections.values()];
        // imghost renders pictures in advance at a single size. So only the section with the most tiles on screen sends
        // its pictures and their size.
        const main = sections.reduce((best, each) => !best || each.tiles.seen > best.tiles.seen ? each : best, null);
        for (const section of sections) {
            const hint = section.tiles.refresh(section === main);
            if (section === main && !this.#paused) this.hint(hint);
        }
        this.#markSection();
    }

    /**
     * Tells imghost what is on screen and what comes next: { visible, next, width, height } are two lists of keys, and
     * a size in device pixels.
     */
    hint(hint) {
        if (!(hint.width > 0 && hint.height > 0)) return;
        const text = JSON.stringify(hint);
        if (text === this.#lastHint) return;
        this.#lastHint = text;
        this.#hint = hint;
        // The timeout lets the pictures on screen be requested first.
        setTimeout(this.#sendHint, 0);
    }

    #resized() {
        const room = this.#measure();
        if (room.width !== this.#room.width || room.height !== this.#room.height) {
            this.#room = room;
            for (const section of this.#sections.values()) section.lay(room, true);
        }
        this.#draw();
    }

    #measure() {
        const style = getComputedStyle(this.#main);
        const width = this.#main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        const head = this.#main.querySelector(".section-head")?.offsetHeight ?? 52;
        // The height includes the messages, which come and go with every mistake, so that pages that fit the screen
        // keep their size.
        const column = [this.#main, this.#messages, this.#banners];
        const whole = column.reduce((sum, each) => sum + each.getBoundingClientRect().height, 0);
        const height = Math.round(whole) - head - parseFloat(style.paddingBottom);
        return { width: Math.max(100, width), height: Math.max(100, height) };
    }

    #showEmpty(status) {
        if (status === null) return this.#empty.remove();
        const texts = {
            evaluating: ["Running the script", "Its pictures appear here."],
            mistakes: ["No pictures yet", "The script has mistakes. Correct them, and its pictures appear here."],
            missing: ["No script", "Its pictures appear here as soon as the file exists."],
            stuck: ["No pictures yet", "The script did not end, so it has no outputs."],
        }[status] ?? ["No outputs", "The script saves no picture and makes no book. Add save or img.book to it."];
        this.#empty.replaceChildren(make("p", { class: "empty-title" }, texts[0]), make("p", {}, texts[1]));
        this.#main.append(this.#empty);
    }

    #showNav() {
        const sections = [...this.#sections.values()];
        this.#nav.hidden = sections.length < 2;
        if (this.#nav.hidden) return;
        const ids = sections.map((each) => each.id).join("\n");
        if (this.#nav.dataset.ids !== ids) {
            this.#nav.dataset.ids = ids;
            this.#nav.replaceChildren(make("ul", {}, ...sections.map((each) => make("li", {}, each.link))));
        }
    }

    #markSection() {
        if (this.#nav.hidden) return;
        const middle = this.#main.scrollTop + Math.min(160, this.#main.clientHeight / 3);
        let current = null;
        for (const section of this.#sections.values()) {
            if (!current || section.element.offsetTop <= middle) current = section;
        }
        for (const section of this.#sections.values()) {
            if (section === current) section.link.setAttribute("aria-current", "true");
            else section.link.removeAttribute("aria-current");
        }
    }
}

/** A section of outputs: a heading with a choice of sizes, and the tiles. */
class OutputSection {
    #content; #room; #main; #title; #count; #choice; #pageField; #name; #linkCount;

    constructor(id, content, main, loader, open, { changed, jump }) {
        this.id = id;
        this.#main = main;
        this.#name = content.book ? "zoom" : "size";
        this.tiles = new TileList(main, loader, content.title, (item) => open(id, item));
        this.#title = make("h2", { tabindex: "-1" });
        this.#count = make("span", { class: "section-count" });
        this.#choice = choiceOf(content.book ? zooms : gridSizes, remembered.get(this.#name));
        this.#choice.addEventListener("change", () => {
            remembered.set(this.#name, this.#choice.value);
            this.lay(this.#room, true);
            changed();
        });
        const label = make("label", {}, make("span", { class: "word" }, content.book ? "Zoom" : "Size"), this.#choice);
        this.#pageField = content.book ? this.#makePageField() : null;
        const head = make("div", { class: "section-head" },
            make("div", { class: "section-title" }, this.#title, this.#count), this.#pageField ?? "", label);
        this.element = make("section", { class: content.book ? "output book" : "output" }, head, this.tiles.element);
        this.#linkCount = make("span", { class: "section-count" });
        this.link = make("a", { href: `#${encodeURIComponent(id)}`, onclick: (event) => {
            event.preventDefault();
            jump();
            this.#jump();
        } });
    }

    show(content, room) {
        this.#content = content;
        setText(this.#title, content.title);
        setText(this.#count, content.count);
        this.element.setAttribute("aria-label", `${content.title}, ${content.count}`);
        setText(this.#linkCount, content.items.length.toLocaleString("en"));
        this.link.replaceChildren(content.title, this.#linkCount);
        this.link.setAttribute("aria-label", `${content.title}, ${content.count}`);
        if (this.#pageField) {
            this.#pageField.hidden = content.items.length < 8;
            this.#pageField.querySelector("input").max = content.items.length;
        }
        this.lay(room, false);
    }

    lay(room, anchor) {
        this.#room = room;
        const { items, book } = this.#content;
        const layout = (book ? spreadLayout : gridLayout)(items, room, this.#choice.value);
        this.tiles.set(items, layout, anchor);
    }

    remove() {
        this.tiles.remove();
        this.element.remove();
    }

    #jump() {
        this.#main.scrollTop = this.element.offsetTop;
        this.#title.focus({ preventScroll: true });
    }

    #makePageField() {
        const input = make("input", { type: "number", min: 1, inputmode: "numeric", placeholder: "Page" });
        const label = make("label", {}, make("span", { class: "word" }, "Go to page"), input);
        const form = make("form", { class: "page-field" }, label);
        form.addEventListener("submit", (event) => event.preventDefault());
        input.addEventListener("change", () => {
            const number = Number(input.value);
            const index = this.#content.items.findIndex((each) => each.number === number);
            this.tiles.reveal(index);
        });
        return form;
    }
}

function choiceOf(entries, value) {
    const select = make("select", {}, ...[...entries].map(([key, name]) => make("option", { value: key }, name)));
    select.value = entries.has(value) ? value : entries.keys().next().value;
    return select;
}

// Returns a map from the id of each section to { title, count, book, items }, in the order of the outputs.
function sectionsOf(outputs) {
    const folders = new Set(outputs.filter((each) => each.kind === "save").map((each) => folderOf(each.path)));
    const sections = new Map(), used = new Map();
    for (const output of outputs) {
        if (output.kind === "book") {
            const id = `book:${output.path}`;
            const items = output.pages.map((page) => pageItem(page, output));
            sections.set(id, { title: output.path, book: true, items });
        } else {
            const folder = folders.size > mostFolders ? "" : folderOf(output.path);
            const id = `save:${folder}`;
            if (!sections.has(id)) sections.set(id, { title: folder || "Pictures", book: false, items: [] });
            sections.get(id).items.push(saveItem(output, folder, used));
        }
    }
    for (const section of sections.values()) {
        section.count = counted(section.items.length, section.book ? "page" : "picture");
    }
    return sections;
}

function folderOf(path) {
    return path.slice(0, path.lastIndexOf("/") + 1);
}

function saveItem(output, folder, used) {
    // Two outputs with one path are a mistake of the script; both are shown.
    const times = (used.get(output.path) ?? 0) + 1;
    used.set(output.path, times);
    const name = output.path.slice(folder.length), detail = sizeText(output);
    return {
        id: `${output.path}\n${times}`, key: output.key, sourceKey: output.sourceKey,
        width: output.width, height: output.height, name, detail,
        label: `${name}, ${detail}`, title: sourceText(output),
    };
}

function pageItem(page, book) {
    const side = page.side === "single" ? "" : `, ${page.side}`;
    return {
        ...page, id: String(page.number), page: true, name: String(page.number), detail: "",
        label: `Page ${page.number}${side}`, longName: `${book.path}, page ${page.number}`,
    };
}

function sizeText({ width, height }) {
    return width > 0 && height > 0 ? `${width} × ${height}` : "";
}

function sourceText({ source, line }) {
    return [source && `from ${source}`, line && `line ${line}`].filter(Boolean).join(", ");
}
