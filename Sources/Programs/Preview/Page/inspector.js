// Pixel values and the histogram of the picture under the pointer.

import { make, makeSVG, setText } from "./elements.js";
import { coalesced, get } from "./connection.js";
import { pictureAddress } from "./pictures.js";

const histogramDelay = 200;  // milliseconds to wait for another picture, because a moving slider needs no histogram
const height = 64;

export class Inspector {
    #canvas; #pictureAt; #timer = 0; #parts = {};
    #pointer = null; #place = null;  // a place is in fractions of the picture's width and height
    #values = new Set();             // the values of the pixel, which the histogram marks
    #askPixel = coalesced(() => this.#readPixel());
    #askHistogram = coalesced(() => this.#readHistogram());

    /** `pictureAt(clientX)` returns the picture at a horizontal position, or null. */
    constructor(canvas, pictureAt) {
        this.#canvas = canvas;
        this.#pictureAt = pictureAt;
        this.#build();
        for (const name of ["pointermove", "pointerdown"]) canvas.addEventListener(name, (event) => this.#point(event));
    }

    get element() { return this.#parts.root; }

    /** Reads the values again. Called when another picture is shown. */
    changed() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#askHistogram();
            // The pointer may have rested on the canvas before the picture arrived.
            if (this.#place) this.#askPixel();
            else if (this.#pointer) this.#point(this.#pointer);
        }, histogramDelay);
    }

    clear() {
        clearTimeout(this.#timer);
        this.#place = this.#pointer = null;
        this.#values.clear();
        this.#parts.marker.hidden = true;
        this.#parts.graph.replaceChildren();
        for (const part of ["values", "hex", "summary"]) setText(this.#parts[part], "");
        this.#parts.swatch.hidden = true;
    }

    #build() {
        const p = this.#parts;
        const field = (name) => make("input", {
            type: "number", min: 0, step: 1, inputmode: "numeric", "aria-label": `${name} of the pixel`,
            onchange: () => this.#typed(),
        });
        p.x = field("x");
        p.y = field("y");
        p.swatch = make("span", { class: "swatch", hidden: true });
        p.values = make("output", { class: "pixel-values" });
        p.hex = make("output", { class: "pixel-hex" });
        p.graph = makeSVG("svg", {
            class: "histogram", viewBox: `0 0 256 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true",
        });
        p.summary = make("p", { class: "histogram-summary" });
        p.marker = make("span", { class: "marker", hidden: true });
        this.#canvas.append(p.marker);
        p.root = make("div", { class: "inspector", role: "group", "aria-label": "Pixel values and histogram" },
            make("div", { class: "pixel" },
                make("div", { class: "pixel-place" }, make("span", { class: "word" }, "Pixel"), p.x, p.y),
                make("div", { class: "pixel-color" }, p.swatch, p.values, p.hex)),
            make("div", { class: "histogram-box" }, p.graph, p.summary));
    }

    #point({ clientX, clientY }) {
        this.#pointer = { clientX, clientY };
        const picture = this.#pictureAt(clientX);
        if (!picture) return;
        const bounds = picture.image.getBoundingClientRect();
        const x = (clientX - bounds.left) / bounds.width, y = (clientY - bounds.top) / bounds.height;
        if (x < 0 || y < 0 || x >= 1 || y >= 1) return;
        this.#parts.marker.hidden = true;
        this.#place = { clientX, x, y };
        this.#askPixel();
    }

    #typed() {
        const { x, y, marker } = this.#parts;
        const bounds = this.#canvas.getBoundingClientRect();
        const picture = this.#pictureAt(bounds.right - 1);
        if (!picture || x.value === "" || y.value === "") return;
        const { naturalWidth, naturalHeight } = picture.image;
        const full = picture.item.page ? { width: naturalWidth, height: naturalHeight } : picture.item;
        const part = (value, size) => (Math.min(size - 1, Math.max(0, Math.floor(value))) + 0.5) / size;
        this.#place = {
            clientX: bounds.right - 1, x: part(Number(x.value), full.width), y: part(Number(y.value), full.height),
        };
        marker.hidden = false;
        marker.style.left = `${this.#place.x * 100}%`;
        marker.style.top = `${this.#place.y * 100}%`;
        this.#askPixel();
    }

    async #readPixel() {
        if (!this.#place) return;
        const { clientX } = this.#place;
        const picture = this.#pictureAt(clientX);
        if (!picture) return;
        const { image, key, width, height: pictureHeight } = picture;
        const x = Math.floor(this.#place.x * image.naturalWidth), y = Math.floor(this.#place.y * image.naturalHeight);
        try {
            const pixel = await get(`${pictureAddress("pixel", key, width, pictureHeight)}&x=${x}&y=${y}`);
            if (this.#place) this.#showPixel(pixel);
        } catch { /* The picture has changed meanwhile; the next picture causes another request. */ }
    }

    #showPixel({ x, y, values, maximum }) {
        const p = this.#parts;
        if (document.activeElement !== p.x && document.activeElement !== p.y) [p.x.value, p.y.value] = [x, y];
        const bytes = values.map((value) => Math.round(value / maximum * 255));
        const color = bytes.length < 3 ? [bytes[0], bytes[0], bytes[0]] : bytes.slice(0, 3);
        p.swatch.hidden = false;
        p.swatch.style.backgroundColor = `rgb(${color.join(" ")})`;
        setText(p.values, values.join("  "));
        setText(p.hex, `#${color.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`);
        this.#values = new Set(color);
        this.#mark();
    }

    #mark() {
        const { graph } = this.#parts;
        graph.querySelectorAll(".mark").forEach((each) => each.remove());
        for (const byte of this.#values) {
            const x = byte + 0.5;
            graph.append(makeSVG("line", { class: "mark", x1: x, x2: x, y1: 0, y2: height }));
        }
    }

    async #readHistogram() {
        const picture = this.#pictureAt(this.#canvas.getBoundingClientRect().right - 1);
        if (!picture) return;
        try {
            this.#showHistogram(await get(pictureAddress("histogram", picture.key, picture.width, picture.height)));
        } catch { /* The picture has changed meanwhile; the next picture causes another request. */ }
    }

    #showHistogram({ bands, bins }) {
        // The first and the last bin often have most of the pixels, so they do not count for the scale.
        const highest = Math.max(1, ...bins.flatMap((each) => each.slice(1, -1)));
        this.#parts.graph.replaceChildren(...bins.map((counts, index) => makeSVG("path", {
            class: `band ${/^(red|green|blue)$/.test(bands[index]) ? bands[index] : "grey"}`,
            d: `M0 ${height}${counts.map((count, value) => {
                const y = height - Math.min(1, count / highest) * (height - 2);
                return `L${value} ${y.toFixed(1)}H${value + 1}`;
            }).join("")}V${height}Z`,
        })));
        this.#mark();
        setText(this.#parts.summary, summaryOf(bins));
    }
}

// Returns the mean and the shares at both ends, over all bands, in words: the main facts of the drawing.
function summaryOf(bins) {
    let total = 0, sum = 0, black = 0, white = 0;
    for (const counts of bins) {
        counts.forEach((count, value) => { total += count; sum += count * value; });
        black += counts[0];
        white += counts.at(-1);
    }
    if (total === 0) return "";
    const percent = (count) => `${(count / total * 100).toFixed(1)} %`;
    return `mean ${Math.round(sum / total)} · ${percent(black)} at 0 · ${percent(white)} at 255`;
}
