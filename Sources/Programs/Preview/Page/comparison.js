// Shows a picture, and in front of its left part the picture that it was made from, divided by a slider.

import { make } from "./elements.js";
import { PictureSlot } from "./pictures.js";

export class Comparison {
    #canvas; #after; #before; #beforeFrame; #handle; #labels; #item = null; #comparing = false; #part = 50;

    /** Called when another picture is shown. */
    onshow = () => {};

    constructor(canvas, loader) {
        this.#canvas = canvas;
        const afterFrame = make("div", { class: "layer" });
        this.#beforeFrame = make("div", { class: "layer before" });
        this.#after = new PictureSlot(afterFrame, loader);
        this.#before = new PictureSlot(this.#beforeFrame, loader);
        this.#after.onshow = this.#before.onshow = (image) => {
            this.#fit(image);
            this.onshow();
        };
        this.#handle = make("div", {
            class: "divider", role: "slider", tabindex: "0", "aria-label": "Before and after", "aria-valuemin": "0",
            "aria-valuemax": "100", "aria-orientation": "horizontal",
        });
        this.#labels = [make("span", { class: "layer-label left", "aria-hidden": "true" }, "Before"),
            make("span", { class: "layer-label right", "aria-hidden": "true" }, "After")];
        canvas.append(afterFrame, this.#beforeFrame, ...this.#labels, this.#handle);
        this.#handle.addEventListener("keydown", (event) => this.#key(event));
        this.#drag();
        this.#move(this.#part);
    }

    /** Shows an item and, if `comparing`, the picture that it was made from. `request` then loads the pictures. */
    show(item, comparing) {
        this.#item = item;
        this.#comparing = comparing;
        this.#after.alt = item.label ?? item.name;
        this.#before.alt = `${item.label ?? item.name}, before`;
        for (const element of [this.#beforeFrame, this.#handle, ...this.#labels]) element.hidden = !comparing;
        if (!comparing) this.#before.clear();
    }

    /** Requests the pictures at a size in device pixels. */
    request(width, height) {
        if (this.#item.key) this.#after.want({ key: this.#item.key, width, height });
        if (this.#comparing) this.#before.want({ key: this.#item.sourceKey, width, height, order: 1 });
    }

    clear() {
        this.#after.clear();
        this.#before.clear();
    }

    /** Returns { image, key, width, height, item } of the picture at a horizontal position of the page, or null. */
    pictureAt(clientX) {
        const bounds = this.#canvas.getBoundingClientRect();
        const before = this.#comparing && clientX < bounds.left + bounds.width * this.#part / 100;
        const { picture } = before ? this.#before : this.#after;
        return picture && { ...picture, item: this.#item };
    }

    // Gives a picture the whole canvas, or as much of it as its proportions allow. A source has other proportions than
    // the canvas if the script crops it.
    #fit(image) {
        const { offsetWidth, offsetHeight } = this.#canvas;
        const ratio = image.naturalWidth * offsetHeight / (image.naturalHeight * offsetWidth);
        const whole = Math.abs(ratio - 1) < 2 / Math.min(offsetWidth, offsetHeight);  // sizes are rounded to pixels
        image.style.width = `${whole ? 100 : Math.min(100, ratio * 100)}%`;
        image.style.height = `${whole ? 100 : Math.min(100, 100 / ratio)}%`;
    }

    #move(part) {
        this.#part = Math.min(100, Math.max(0, part));
        this.#canvas.style.setProperty("--part", `${this.#part}%`);
        this.#handle.setAttribute("aria-valuenow", Math.round(this.#part));
        this.#handle.setAttribute("aria-valuetext", `${Math.round(this.#part)} % before`);
    }

    #key(event) {
        const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
        const target = { Home: 0, End: 100 }[event.key] ?? (step && this.#part + step * (event.shiftKey ? 10 : 1));
        if (target === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.#move(target);
    }

    #drag() {
        const handle = this.#handle;
        const follow = (event) => {
            const bounds = this.#canvas.getBoundingClientRect();
            this.#move((event.clientX - bounds.left) / bounds.width * 100);
        };
        handle.addEventListener("pointerdown", (event) => {
            event.stopPropagation();
            event.preventDefault();
            handle.setPointerCapture(event.pointerId);
            handle.focus({ preventScroll: true });
        });
        handle.addEventListener("pointermove", (event) => {
            if (handle.hasPointerCapture(event.pointerId)) follow(event);
        });
    }
}
