// The large view of one picture: its zoom, the next and the previous picture, a comparison of before and after, and the
// plan with its steps.

import { announce, byId, icon, iconButton, make, setText } from "./elements.js";
import { fitted, naturalSize } from "./layouts.js";
import { devicePixels } from "./tiles.js";
import { Comparison } from "./comparison.js";
import { Inspector } from "./inspector.js";
import { Plan } from "./plan.js";

const zoomSteps = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 8];
const resizeDelay = 120;  // milliseconds

export class Viewer {
    #root = byId("viewer"); #outputs; #loader;
    #section = null; #item = null;   // what was opened in the list
    #step = null;                    // the step of the plan that is shown instead, or null
    #view = "picture"; #zoom = "fit";
    #comparison; #inspector; #plan; #parts = {};

    constructor(loader, outputs) {
        this.#loader = loader;
        this.#outputs = outputs;
        this.#build();
        document.addEventListener("keydown", (event) => this.#key(event));
        let timer = 0;
        new ResizeObserver(() => {
            if (this.#item === null) return;
            this.#lay();
            clearTimeout(timer);
            timer = setTimeout(() => this.#request(), resizeDelay);
        }).observe(this.#parts.stage);
    }

    get isOpen() { return this.#item !== null; }

    open(section, item) {
        this.#section = section;
        this.#item = item;
        this.#step = null;
        this.#zoom = "fit";
        this.#root.hidden = false;
        this.#outputs.paused = true;
        this.#show();
        this.#parts.stage.focus({ preventScroll: true });
    }

    close() {
        if (!this.isOpen) return;
        const section = this.#section, item = this.#item;
        this.#item = this.#step = null;
        this.#comparison.clear();
        this.#inspector.clear();
        this.#plan.clear();
        this.#root.hidden = true;
        this.#outputs.paused = false;
        this.#outputs.focus(section, item.id);
    }

    /** Shows the same output of a new state, or closes if the script no longer has it. */
    async update() {
        if (!this.isOpen) return;
        const item = this.#outputs.items(this.#section).find((each) => each.id === this.#item.id);
        if (!item) return this.close();
        const changed = item.key !== this.#item.key;
        this.#item = item;
        if (this.#step && changed) {
            const steps = await this.#plan.show(item.key);
            if (!steps || !this.#step) return;
            this.#step = steps.find((each) => each.id === this.#step.id && each.name === this.#step.name) ?? null;
            if (!this.#step) this.#view = "plan";
        }
        if (this.isOpen) this.#show();
    }

    get #shown() { return this.#step ?? this.#item; }

    #build() {
        const p = this.#parts;
        p.back = make("button", {
            type: "button", "aria-label": "Back to the plan", onclick: () => this.#backToPlan(),
        }, icon("previous"), "Plan");
        p.title = make("h2", { class: "viewer-title" });
        p.detail = make("span", { class: "viewer-detail" });
        p.position = make("span", { class: "viewer-position" });
        p.views = ["picture", "compare", "plan"].map((view) => make("button", {
            type: "button", class: "segment", "data-view": view, onclick: () => this.#setView(view),
        }, { picture: "Picture", compare: "Compare", plan: "Plan" }[view]));
        p.zoomText = make("button", {
            type: "button", class: "zoom-text", title: "Fit the picture", onclick: () => this.#setZoom("fit"),
        });
        p.zoomOut = iconButton("minus", "Zoom out", () => this.#zoomBy(-1));
        p.zoomIn = iconButton("plus", "Zoom in", () => this.#zoomBy(1));
        p.zooms = make("div", { class: "group", role: "group", "aria-label": "Zoom" }, p.zoomOut, p.zoomText, p.zoomIn);
        p.previous = iconButton("previous", "Previous", () => this.#go(-1));
        p.next = iconButton("next", "Next", () => this.#go(1));
        p.canvas = make("div", { class: "viewer-canvas" });
        p.stage = make("div", { class: "viewer-stage", tabindex: "0", role: "group" }, p.canvas);
        this.#comparison = new Comparison(p.canvas, this.#loader);
        this.#inspector = new Inspector(p.canvas, (x) => this.#comparison.pictureAt(x));
        this.#comparison.onshow = () => this.#inspector.changed();
        this.#plan = new Plan(this.#loader, (step) => this.#openStep(step));
        const close = iconButton("close", "Close the large view (Escape)", () => this.#escape());
        this.#root.append(
            make("div", { class: "viewer-head" },
                make("div", { class: "viewer-names" }, p.back, p.title, p.detail),
                make("div", { class: "group", role: "group", "aria-label": "View" }, ...p.views), p.zooms,
                make("div", { class: "viewer-moves" }, p.previous, p.position, p.next, close)),
            p.stage, this.#plan.element, this.#inspector.element);
        this.#pan(p.stage);
    }

    #show() {
        const p = this.#parts, shown = this.#shown, plan = this.#view === "plan" && !this.#step;
        const compare = this.#view === "compare" && Boolean(shown.sourceKey);
        const name = shown.longName ?? shown.name;
        p.back.hidden = !this.#step;
        setText(p.title, name);
        setText(p.detail, [shown.detail, shown.title].filter(Boolean).join(" · "));
        const list = this.#list(), index = list.findIndex((each) => each.id === shown.id);
        setText(p.position, `${index + 1} of ${list.length}`);
        announce(`${name}, ${index + 1} of ${list.length}`);
        p.previous.disabled = index <= 0;
        p.next.disabled = index >= list.length - 1;
        for (const button of p.views) {
            const view = button.dataset.view;
            button.hidden = view === "compare" && !shown.sourceKey || view === "plan" && Boolean(this.#step);
            const pressed = view === (plan ? "plan" : compare ? "compare" : "picture");
            button.setAttribute("aria-pressed", String(pressed));
        }
        p.stage.setAttribute("aria-label", `${name}. Plus and minus zoom, arrow keys go to the next and the previous.`);
        p.stage.hidden = p.zooms.hidden = plan;
        this.#plan.element.hidden = !plan;
        this.#inspector.element.hidden = plan;
        if (plan) {
            this.#comparison.clear();
            this.#plan.show(this.#item.key);
        } else {
            this.#comparison.show(shown, compare);
            this.#lay();
            this.#request();
        }
    }

    #list() {
        return this.#step ? this.#plan.steps : this.#outputs.items(this.#section);
    }

    #go(distance) {
        const list = this.#list();
        const target = list[list.findIndex((each) => each.id === this.#shown.id) + distance];
        if (!target) return;
        if (this.#step) this.#step = target;
        else this.#item = target;
        this.#comparison.clear();
        this.#show();
    }

    #setView(view) {
        this.#view = view;
        this.#show();
    }

    #openStep(step) {
        this.#step = step;
        this.#view = "picture";
        this.#zoom = "fit";
        this.#show();
        this.#parts.stage.focus({ preventScroll: true });
    }

    #backToPlan() {
        const step = this.#step;
        this.#step = null;
        this.#view = "plan";
        this.#show();
        this.#plan.focus(step.id);
    }

    #escape() {
        if (this.#step) this.#backToPlan();
        else this.close();
    }

    // Sizes

    #fitSize() {
        const { stage } = this.#parts;
        return fitted(this.#shown, stage.clientWidth - 24, stage.clientHeight - 24, devicePixelRatio);
    }

    #size() {
        if (this.#zoom === "fit") return this.#fitSize();
        const natural = naturalSize(this.#shown, devicePixelRatio);
        return { width: natural.width * this.#zoom, height: natural.height * this.#zoom };
    }

    get #scale() {
        return this.#size().width / naturalSize(this.#shown, devicePixelRatio).width;
    }

    #lay() {
        if (this.#parts.stage.hidden) return;
        const size = this.#size();
        this.#parts.canvas.style.width = `${size.width}px`;
        this.#parts.canvas.style.height = `${size.height}px`;
        this.#parts.canvas.classList.toggle("enlarged", !this.#shown.page && this.#scale >= 2);
        setText(this.#parts.zoomText, `${this.#zoom === "fit" ? "Fit · " : ""}${Math.round(this.#scale * 100)} %`);
    }

    #request() {
        if (!this.isOpen || this.#parts.stage.hidden) return;
        const size = this.#size(), shown = this.#shown;
        let width = devicePixels(size.width), height = devicePixels(size.height);
        if (!shown.page && this.#scale > 1) [width, height] = [shown.width, shown.height];
        this.#comparison.request(width, height);
        const list = this.#list(), index = list.findIndex((each) => each.id === shown.id);
        const next = [list[index + 1]?.key, list[index - 1]?.key].filter(Boolean);
        this.#outputs.hint({ visible: [shown.key].filter(Boolean), next, width, height });
    }

    #zoomBy(direction) {
        const now = this.#scale;
        const steps = direction > 0 ? zoomSteps : [...zoomSteps].reverse();
        const step = steps.find((each) => direction > 0 ? each > now * 1.01 : each < now * 0.99);
        if (step) this.#setZoom(step);
    }

    // Sets the zoom, and keeps the same point in the middle of the stage.
    #setZoom(zoom) {
        const { stage, canvas } = this.#parts;
        const middle = (scroll, room, offset, length) => (scroll + room / 2 - offset) / length;
        const x = middle(stage.scrollLeft, stage.clientWidth, canvas.offsetLeft, canvas.offsetWidth);
        const y = middle(stage.scrollTop, stage.clientHeight, canvas.offsetTop, canvas.offsetHeight);
        this.#zoom = zoom;
        this.#lay();
        stage.scrollLeft = canvas.offsetLeft + x * canvas.offsetWidth - stage.clientWidth / 2;
        stage.scrollTop = canvas.offsetTop + y * canvas.offsetHeight - stage.clientHeight / 2;
        this.#request();
    }

    // Keys and the pointer

    #key(event) {
        if (!this.isOpen || event.altKey || event.ctrlKey || event.metaKey) return;
        if (document.querySelector("dialog[open]")) return;
        const typing = event.target.closest?.("input, select, textarea");
        if (typing && event.key !== "Escape") return;
        const inside = this.#root.contains(event.target) || event.target === document.body;
        const arrows = inside && !this.#plan.element.contains(event.target);
        const overflows = this.#parts.stage.scrollWidth > this.#parts.stage.clientWidth + 1;
        const action = {
            Escape: () => this.#escape(),
            "+": () => this.#zoomBy(1),
            "=": () => this.#zoomBy(1),
            "-": () => this.#zoomBy(-1),
            0: () => this.#setZoom("fit"),
            PageDown: inside && (() => this.#go(1)),
            PageUp: inside && (() => this.#go(-1)),
            ArrowRight: arrows && !overflows && (() => this.#go(1)),
            ArrowLeft: arrows && !overflows && (() => this.#go(-1)),
        }[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }

    #pan(stage) {
        let from = null;
        stage.addEventListener("pointerdown", (event) => {
            if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest('[role="slider"]')) return;
            if (stage.scrollWidth <= stage.clientWidth && stage.scrollHeight <= stage.clientHeight) return;
            from = { x: event.clientX + stage.scrollLeft, y: event.clientY + stage.scrollTop };
            stage.setPointerCapture(event.pointerId);
            stage.classList.add("panning");
        });
        stage.addEventListener("pointermove", (event) => {
            if (!from) return;
            stage.scrollLeft = from.x - event.clientX;
            stage.scrollTop = from.y - event.clientY;
        });
        stage.addEventListener("lostpointercapture", () => {
            from = null;
            stage.classList.remove("panning");
        });
        stage.addEventListener("wheel", (event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            this.#zoomBy(event.deltaY < 0 ? 1 : -1);
        }, { passive: false });
    }
}
