// The plan of one output as a graph: a list of steps, each with the picture that it produces, joined by lines.

import { make, makeSVG, setText } from "./elements.js";
import { get } from "./connection.js";
import { PictureSlot } from "./pictures.js";
import { devicePixels } from "./tiles.js";

const narrow = 640;  // the width below which the plan runs downwards
const wideNode = { width: 184, height: 196, frameHeight: 128, margin: 24, layers: 56, lanes: 24 };
const narrowNode = { width: 152, height: 172, frameHeight: 104, margin: 12, layers: 32, lanes: 12 };

export class Plan {
    #loader; #open; #list; #lines; #scroller; #note; #observer;
    #key = null; #steps = []; #nodes = new Map(); #request = null; #down = null; #node = wideNode;

    /** `open(step)` shows a step large. */
    constructor(loader, open) {
        this.#loader = loader;
        this.#open = open;
        this.#lines = makeSVG("svg", { class: "plan-lines", "aria-hidden": "true" });
        this.#list = make("ol", { class: "plan-steps", "aria-label": "Steps" });
        this.#note = make("p", { class: "plan-note", role: "status" });
        this.#scroller = make("div", { class: "plan", hidden: true },
            this.#note, make("div", { class: "plan-canvas" }, this.#lines, this.#list));
        this.#list.addEventListener("keydown", (event) => this.#arrows(event));
        const near = { root: this.#scroller, rootMargin: "200px" };
        this.#observer = new IntersectionObserver((entries) => this.#seen(entries), near);
        new ResizeObserver(() => this.#lay()).observe(this.#scroller);
    }

    get element() { return this.#scroller; }

    /** The steps in order, as items of the large view. */
    get steps() { return this.#steps; }

    /**
     * Loads the plan of an output; until then, the previous one stays. Returns the steps of the plan; null if another
     * plan was requested in the meantime, or if this one cannot be loaded.
     */
    async show(key) {
        if (key === this.#key) return this.#steps;
        this.#request?.abort();
        this.#request = new AbortController();
        try {
            const graph = await get(`./graph/${encodeURIComponent(key)}`, this.#request.signal);
            this.#key = key;
            this.#steps = stepsOf(graph.nodes);
            setText(this.#note, "");
            this.#draw();
            return this.#steps;
        } catch (error) {
            const failed = error.name !== "AbortError" && this.#steps.length === 0;
            if (failed) setText(this.#note, "There is no plan of this picture.");
            return null;
        }
    }

    focus(id) {
        this.#nodes.get(id)?.button.focus();
    }

    clear() {
        this.#request?.abort();
        this.#key = null;
        this.#steps = [];
        this.#draw();
    }

    #draw() {
        const ids = new Set(this.#steps.map((each) => each.id));
        for (const [id, each] of this.#nodes) {
            if (ids.has(id)) continue;
            each.slot.cancel();
            this.#observer.unobserve(each.element);
            each.element.remove();
            this.#nodes.delete(id);
        }
        for (const step of this.#steps) this.#update(this.#nodes.get(step.id) ?? this.#make(step.id), step);
        this.#list.append(...this.#steps.map((each) => this.#nodes.get(each.id).element));
        this.#lay();
    }

    #make(id) {
        const frame = make("span", { class: "frame" }), name = make("span", { class: "tile-name" });
        const detail = make("span", { class: "tile-detail" }), size = make("span", { class: "tile-detail" });
        const caption = make("span", { class: "caption" }, name, detail, size);
        const button = make("button", { type: "button", class: "tile step" }, frame, caption);
        const element = make("li", {}, button);
        const slot = new PictureSlot(frame, this.#loader);
        const made = { element, button, frame, name, detail, size, slot, step: null, seen: false };
        button.addEventListener("click", () => this.#open(made.step));
        this.#nodes.set(id, made);
        this.#observer.observe(element);
        return made;
    }

    #update(made, step) {
        made.step = step;
        setText(made.name, step.name);
        setText(made.detail, step.options);
        made.button.title = step.options;
        setText(made.size, [step.sizeText, step.line && `line ${step.line}`].filter(Boolean).join(" · "));
        const from = step.inputs.map((id) => this.#steps.findIndex((each) => each.id === id) + 1);
        const others = from.length > 8 ? " and others" : "";
        const origin = from.length ? `made of step ${from.slice(0, 8).join(", ")}${others}` : "";
        const facts = [step.label, step.options, step.sizeText, origin];
        made.button.setAttribute("aria-label", facts.filter(Boolean).join(", "));
        if (made.seen) this.#load(made);
    }

    #load(made) {
        if (!made.step.key) return;
        const width = devicePixels(this.#node.width - 18), height = devicePixels(this.#node.frameHeight);
        made.slot.want({ key: made.step.key, width, height, order: this.#steps.indexOf(made.step) });
    }

    #seen(entries) {
        for (const entry of entries) {
            const made = [...this.#nodes.values()].find((each) => each.element === entry.target);
            if (!made) continue;
            made.seen = entry.isIntersecting;
            if (made.seen) this.#load(made);
            else made.slot.cancel();
        }
    }

    // Layers run to the right, or down where the screen is narrow.
    #lay() {
        if (this.#scroller.hidden) return;
        const down = this.#scroller.clientWidth < narrow, node = down ? narrowNode : wideNode, { margin } = node;
        if (down !== this.#down) this.#scroller.scrollTo(0, 0);
        this.#down = down;
        this.#node = node;
        const along = (down ? node.height : node.width) + node.layers;
        const across = (down ? node.width : node.height) + node.lanes;
        const places = new Map(placesOf(this.#steps).map(({ id, layer, lane }) => {
            const first = margin + layer * along, second = margin + lane * across;
            return [id, down ? { x: second, y: first } : { x: first, y: second }];
        }));
        let width = 0, height = 0;
        for (const [id, { x, y }] of places) {
            const { element, frame } = this.#nodes.get(id);
            element.style.transform = `translate(${x}px, ${y}px)`;
            element.style.width = `${node.width}px`;
            element.style.height = `${node.height}px`;
            frame.style.height = `${node.frameHeight}px`;
            width = Math.max(width, x + node.width + margin);
            height = Math.max(height, y + node.height + margin);
        }
        for (const element of [this.#lines, this.#list]) {
            element.style.width = `${width}px`;
            element.style.height = `${height}px`;
        }
        const lines = this.#steps.flatMap((step) => step.inputs.map((id) =>
            makeSVG("path", { d: line(places.get(id), places.get(step.id), node, down) })));
        this.#lines.replaceChildren(...lines);
    }

    #arrows(event) {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const index = this.#steps.findIndex((each) => this.#nodes.get(each.id).button === document.activeElement);
        const target = this.#steps[index + step];
        if (target) this.focus(target.id);
    }
}

// Returns the nodes as items of the large view. A step is compared with its first input.
function stepsOf(nodes) {
    const byId = new Map(nodes.map((each) => [each.id, each]));
    return nodes.map((each, index) => {
        const sizeText = each.width > 0 && each.height > 0 ? `${each.width} × ${each.height}` : "";
        return {
            ...each, inputs: (each.inputs ?? []).filter((id) => byId.has(id)), options: each.detail ?? "", sizeText,
            label: `Step ${index + 1}, ${each.name}`, longName: `Step ${index + 1}: ${each.name}`, detail: sizeText,
            title: each.detail ?? "", sourceKey: byId.get(each.inputs?.[0])?.key,
        };
    });
}

// Returns { id, layer, lane } for each step. A step is in the last layer before all steps that use it, and in the first
// free lane, counted from the lowest lane of its inputs.
function placesOf(steps) {
    const layers = new Map();
    for (const step of steps) {
        layers.set(step.id, Math.max(0, ...step.inputs.map((id) => (layers.get(id) ?? -1) + 1)));
    }
    for (const step of [...steps].reverse()) {
        const users = steps.filter((each) => each.inputs.includes(step.id)).map((each) => layers.get(each.id));
        if (users.length) layers.set(step.id, Math.min(...users) - 1);
    }
    const lanes = new Map(), taken = new Set();
    const place = (step) => {
        const layer = layers.get(step.id);
        let lane = step.inputs.length ? Math.min(...step.inputs.map((id) => lanes.get(id) ?? 0)) : 0;
        while (taken.has(`${layer} ${lane}`)) lane += 1;
        taken.add(`${layer} ${lane}`);
        lanes.set(step.id, lane);
        return { id: step.id, layer, lane };
    };
    return steps.map(place);
}

function line(from, to, node, down) {
    if (down) {
        const x1 = from.x + node.width / 2, y1 = from.y + node.height, x2 = to.x + node.width / 2;
        const bend = (y1 + to.y) / 2;
        return `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${to.y}`;
    }
    const x1 = from.x + node.width, y1 = from.y + node.height / 2, y2 = to.y + node.height / 2;
    const bend = (x1 + to.x) / 2;
    return `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${to.x} ${y2}`;
}
