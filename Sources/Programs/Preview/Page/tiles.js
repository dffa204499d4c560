// The tiles of one section of outputs. Elements exist only near the screen, so that 1,000 pages cost as much as ten.

import { make, setText } from "./elements.js";
import { PictureSlot } from "./pictures.js";
import { fitted, tileInNextRow, tilesBetween } from "./layouts.js";

// Tiles within this fraction of the screen's height above and below exist, too, and load after those on screen.
const ahead = 0.75;

/**
 * A list of tiles, each a button with a picture and a caption. Items are { id, key, width, height, page, name, detail,
 * label }. Tab reaches one tile, and arrow keys the others.
 */
export class TileList {
    #scroller; #loader; #open; #list; #items = []; #layout = { width: 0, height: 0, tiles: [], rows: [] };
    #tiles = new Map();  // by item id
    #current = 0;        // the tile that Tab reaches
    #paused = false;

    /** `scroller` is the element that scrolls; `open(item)` shows an item large. */
    constructor(scroller, loader, label, open) {
        this.#scroller = scroller;
        this.#loader = loader;
        this.#open = open;
        this.#list = make("ul", { class: "tiles", "aria-label": label });
        this.#list.addEventListener("keydown", (event) => this.#key(event));
        this.#list.addEventListener("focusin", (event) => this.#focused(event));
    }

    get element() { return this.#list; }
    get items() { return this.#items; }

    /** Shows items at the places of a layout. With `anchor`, what is at the top of the screen stays there. */
    set(items, layout, anchor = false) {
        const held = anchor ? this.#anchor() : null;
        this.#items = items;
        this.#layout = layout;
        this.#current = Math.max(0, Math.min(this.#current, items.length - 1));
        this.#list.style.height = `${layout.height}px`;
        this.#list.style.width = `${layout.width}px`;
        if (held) this.#restore(held);
    }

    /** Whether something covers the tiles, so that no pictures are requested. */
    set paused(paused) { this.#paused = paused; }

    /** The number of tiles on screen. */
    get seen() {
        const range = this.#range(0);
        return range ? range.last - range.first + 1 : 0;
    }

    /**
     * Creates the tiles near the screen, and removes the others. With `looksAhead`, tiles that are not on screen yet
     * also get their pictures. Returns the argument of Outputs.hint.
     */
    refresh(looksAhead = true) {
        const near = this.#range(ahead), seen = this.#range(0);
        const kept = this.#keep(near);
        const hint = { visible: [], next: [], width: 0, height: 0 };
        let previous = null;
        for (const index of kept) {
            const item = this.#items[index];
            const tile = this.#tiles.get(item.id) ?? this.#make(item);
            this.#place(tile, item, index, previous);
            previous = tile.element;
            const visible = seen !== null && index >= seen.first && index <= seen.last && !this.#paused;
            const size = this.#request(tile, item, index, visible, looksAhead);
            if (item.key) hint[visible ? "visible" : "next"].push(item.key);
            if (visible || !hint.width) Object.assign(hint, size);
        }
        return hint;
    }

    /** Scrolls to an item, and moves the focus there. */
    focus(id) {
        const index = this.#items.findIndex((each) => each.id === id);
        if (index >= 0) this.#moveTo(index);
    }

    /** Scrolls to the item at an index, and leaves the focus where it is. Returns whether there is such an item. */
    reveal(index) {
        const rect = this.#layout.tiles[index];
        if (!rect) return false;
        this.#scroller.scrollTop = this.#list.offsetTop + rect.y - this.#headRoom();
        this.#current = index;
        this.refresh();
        return true;
    }

    remove() {
        for (const tile of this.#tiles.values()) tile.slot.cancel();
        this.#list.remove();
    }

    #make(item) {
        const frame = make("span", { class: "frame" });
        const name = make("span", { class: "tile-name" }), detail = make("span", { class: "tile-detail" });
        const caption = make("span", { class: "caption" }, name, detail);
        const button = make("button", { type: "button", class: "tile", tabindex: "-1" }, frame, caption);
        const element = make("li", {}, button);
        const tile = { element, button, frame, name, detail, slot: new PictureSlot(frame, this.#loader), id: item.id };
        button.addEventListener("click", () => {
            const current = this.#items.find((each) => each.id === tile.id);
            if (current) this.#open(current);
        });
        this.#tiles.set(item.id, tile);
        return tile;
    }

    #place(tile, item, index, previous) {
        const rect = this.#layout.tiles[index], { element, frame } = tile;
        element.style.transform = `translate(${rect.x}px, ${rect.y}px)`;
        element.style.width = `${rect.width}px`;
        frame.style.height = `${rect.frameHeight}px`;
        const size = fitted(item, rect.width, rect.frameHeight, devicePixelRatio);
        frame.style.setProperty("--picture-width", `${size.width}px`);
        frame.style.setProperty("--picture-height", `${size.height}px`);
        element.dataset.side = rect.side ?? "";
        element.setAttribute("aria-posinset", index + 1);
        element.setAttribute("aria-setsize", this.#items.length);
        setText(tile.name, item.name);
        setText(tile.detail, item.detail);
        tile.button.title = item.title ?? "";
        tile.button.setAttribute("aria-label", item.label);
        tile.button.tabIndex = index === this.#current ? 0 : -1;
        const place = previous ? previous.nextSibling : this.#list.firstChild;
        if (place !== element) this.#list.insertBefore(element, place);
    }

    // Returns the first and the last tile on screen, and within a fraction of the screen's height above and below.
    #range(part) {
        const top = this.#scroller.scrollTop - this.#list.offsetTop;
        const height = this.#scroller.clientHeight;
        return tilesBetween(this.#layout, top - height * part, top + height * (1 + part));
    }

    #request(tile, item, index, visible, looksAhead) {
        const rect = this.#layout.tiles[index];
        const size = { width: devicePixels(rect.width), height: devicePixels(rect.frameHeight) };
        if (!item.key) tile.slot.clear();
        else if (this.#paused || !visible && !looksAhead) tile.slot.cancel();
        else tile.slot.want({ key: item.key, ...size, next: !visible, order: index });
        return size;
    }

    // Returns the indices of all tiles that should exist, in order, and removes the others. The tile that Tab reaches
    // stays, because it may have the focus.
    #keep(near) {
        const kept = new Set();
        if (near) for (let index = near.first; index <= near.last; index += 1) kept.add(index);
        if (this.#items.length) kept.add(this.#current);
        const ids = new Set([...kept].map((index) => this.#items[index].id));
        for (const [id, tile] of this.#tiles) {
            if (ids.has(id)) continue;
            tile.slot.cancel();
            tile.element.remove();
            this.#tiles.delete(id);
        }
        return [...kept].sort((a, b) => a - b);
    }

    #key(event) {
        if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        const last = this.#items.length - 1;
        const target = {
            ArrowLeft: () => Math.max(0, this.#current - 1),
            ArrowRight: () => Math.min(last, this.#current + 1),
            ArrowUp: () => tileInNextRow(this.#layout, this.#current, -1),
            ArrowDown: () => tileInNextRow(this.#layout, this.#current, 1),
            Home: () => 0,
            End: () => last,
        }[event.key];
        if (!target) return;
        event.preventDefault();
        this.#moveTo(target());
    }

    #focused(event) {
        const tile = [...this.#tiles.values()].find((each) => each.button === event.target);
        if (tile) this.#setCurrent(this.#items.findIndex((each) => each.id === tile.id));
    }

    #moveTo(index) {
        this.#setCurrent(index);
        const rect = this.#layout.tiles[index], head = this.#headRoom();
        const top = this.#list.offsetTop + rect.y, bottom = top + rect.height;
        const scroller = this.#scroller;
        if (top - head < scroller.scrollTop) scroller.scrollTop = top - head;
        else if (bottom + 8 > scroller.scrollTop + scroller.clientHeight) {
            scroller.scrollTop = Math.min(top - head, bottom + 8 - scroller.clientHeight);
        }
        this.refresh();
        this.#tiles.get(this.#items[index].id)?.button.focus({ preventScroll: true });
    }

    #setCurrent(index) {
        const before = this.#tiles.get(this.#items[this.#current]?.id);
        if (before) before.button.tabIndex = -1;
        this.#current = index;
        const now = this.#tiles.get(this.#items[index]?.id);
        if (now) now.button.tabIndex = 0;
    }

    // The height that the section's sticky head covers.
    #headRoom() {
        return (this.#list.previousElementSibling?.offsetHeight ?? 0) + 8;
    }

    #anchor() {
        const top = this.#scroller.scrollTop - this.#list.offsetTop;
        const bottom = top + this.#scroller.clientHeight;
        const range = top > 0 ? tilesBetween(this.#layout, top + this.#headRoom(), bottom) : null;
        if (!range) return null;
        const rect = this.#layout.tiles[range.first];
        return { id: this.#items[range.first].id, part: (top - rect.y) / rect.height };
    }

    #restore({ id, part }) {
        const index = this.#items.findIndex((each) => each.id === id);
        const rect = this.#layout.tiles[index];
        if (rect) this.#scroller.scrollTop = this.#list.offsetTop + rect.y + part * rect.height;
    }
}

export function devicePixels(length) {
    return Math.max(1, Math.round(length * devicePixelRatio));
}
