// Loads pictures: first what is on screen, then what comes next. A picture stays until its successor is decoded.

import { ask } from "./connection.js";
import { make } from "./elements.js";

// A browser opens six connections to a host. One carries the events, one is left for state and settings.
const visibleLimit = 4, nextLimit = 2, retries = 5, retryDelay = 1000;

// The longest side, in pixels, of a picture that imghost renders for the screen.
const longestSide = 8192;

/** The queue of all pictures that slots wait for. */
export class PictureLoader {
    #waiting = new Set();
    #running = new Set();

    /** Called after pictures were requested, arrived or were given up. */
    onchange = () => {};

    /** Whether each slot on screen shows its requested picture, or has given up. */
    get settled() {
        return ![...this.#waiting, ...this.#running].some((job) => !job.next);
    }

    /** Whether imghost has answered all requests for what is on screen. The browser may still be decoding. */
    get answered() {
        return ![...this.#waiting, ...this.#running].some((job) => !job.next && !job.arrived);
    }

    enqueue(job) {
        this.#waiting.add(job);
        this.#pump();
    }

    cancel(job) {
        this.#waiting.delete(job);
        // A picture that has arrived is still shown until the next one comes, so that a moving slider shows each of its
        // values.
        if (!job.arrived) job.controller.abort();
    }

    /** Starts jobs that wait, up to the limits. */
    #pump() {
        // This waits for a microtask, so that all slots have enqueued their jobs before the first one is chosen.
        if (this.#pumping) return;
        this.#pumping = true;
        queueMicrotask(() => {
            this.#pumping = false;
            while (this.#start()) { /* until the limit */ }
            this.onchange();
        });
    }
    #pumping = false;

    #start() {
        const visible = [...this.#running].filter((job) => !job.next).length;
        const next = this.#running.size - visible;
        let best = null;
        for (const job of this.#waiting) {
            if (job.heldUntil > performance.now()) continue;
            if (!best || (best.next && !job.next) || (best.next === job.next && job.order < best.order)) best = job;
        }
        if (!best) return false;
        const wait = best.next ? visible > 0 || next >= nextLimit : visible >= visibleLimit;
        if (wait) return false;
        this.#waiting.delete(best);
        this.#running.add(best);
        this.#load(best).finally(() => {
            this.#running.delete(best);
            this.#pump();
        });
        return true;
    }

    async #load(job) {
        try {
            const address = `${job.address}${job.next ? "&class=next" : ""}`;
            const answer = await ask(address, { signal: job.controller.signal, priority: job.next ? "low" : "high" });
            if (answer.status === 422) return job.fail((await answer.json()).message);
            if (answer.ok) return await this.#decode(job, await answer.blob());
            job.failures += 1;
            // Status 404 means that the script has changed and its new state is on the way, or that imghost has dropped
            // the request in favour of more urgent pictures.
            if (job.failures > retries && answer.status === 404) return job.give(null);
            if (job.failures > retries) return job.fail(`imghost answered with status ${answer.status}`);
        } catch {
            // Without a connection the former picture stays until imghost is back.
            if (job.controller.signal.aborted) return;
        }
        this.#tryLater(job);
    }

    async #decode(job, blob) {
        job.arrived = true;
        this.onchange();
        try {
            job.give(await decoded(blob));
        } catch {
            job.fail("the browser cannot show this picture");
        }
    }

    #tryLater(job) {
        job.heldUntil = performance.now() + retryDelay;
        this.#waiting.add(job);
        setTimeout(() => this.#pump(), retryDelay + 1);
    }
}

/** The place of one picture on the page. */
export class PictureSlot {
    #loader; #frame; #alt; #request = null; #job = null; #shown = null; #image = null;
    #jobs = 0; #oldest = 0;  // the number of jobs so far, and the first whose picture may still be shown

    /** Called with the <img> that was just put into the frame. */
    onshow = () => {};

    constructor(frame, loader, alt = "") {
        this.#frame = frame;
        this.#loader = loader;
        this.#alt = alt;
    }

    /** The picture on the page as { image, key, width, height } with the requested size, or null. */
    get picture() { return this.#image && { image: this.#image, ...this.#request }; }

    /**
     * Requests a picture that fits into width × height device pixels. `next` means that it is not on screen yet;
     * `order` decides between pictures that are otherwise equal. Requesting the same picture again costs nothing.
     */
    want({ key, width, height, next = false, order = 0 }) {
        const address = pictureAddress("picture", key, width, height);
        if (this.#job?.address === address) {
            this.#job.next = next;
            this.#job.order = order;
            return;
        }
        this.cancel();
        if (this.#shown === address) return;
        const job = { address, next, order, controller: new AbortController(), failures: 0, heldUntil: 0 };
        job.number = this.#jobs++;
        job.request = { key, width, height };
        job.give = (image) => this.#finish(job, image, null);
        job.fail = (message) => this.#finish(job, null, message);
        this.#job = job;
        this.#frame.classList.add("pending");
        this.#loader.enqueue(job);
    }

    set alt(text) {
        this.#alt = text;
        if (this.#image) this.#image.alt = text;
    }

    /** Gives up the current request. The picture that is shown stays. */
    cancel() {
        if (this.#job) this.#loader.cancel(this.#job);
        this.#job = null;
        this.#frame.classList.remove("pending");
    }

    /** Empties the frame. */
    clear() {
        this.cancel();
        this.#oldest = this.#jobs;
        this.#shown = this.#image = null;
        this.#frame.replaceChildren();
    }

    #finish(job, image, message) {
        if (job.number < this.#oldest) return;
        this.#oldest = job.number + 1;
        if (this.#job === job) {
            this.#job = null;
            this.#frame.classList.remove("pending");
        }
        if (message !== null) {
            this.#shown = job.address;
            this.#image = null;
            this.#frame.replaceChildren(make("span", { class: "frame-message" }, message));
        } else if (image) {
            this.#shown = job.address;
            image.alt = this.#alt;
            image.draggable = false;
            this.#image = image;
            this.#request = job.request;
            this.#frame.replaceChildren(image);
            this.onshow(image);
        }
    }
}

/** Returns the address of a picture or of facts about it, at a size that is limited to `longestSide`. */
export function pictureAddress(kind, key, width, height) {
    const inside = (length) => Math.min(longestSide, length);
    return `./${kind}/${encodeURIComponent(key)}?width=${inside(width)}&height=${inside(height)}`;
}

async function decoded(blob) {
    const image = new Image();
    const address = URL.createObjectURL(blob);
    image.src = address;
    try {
        await image.decode();
    } finally {
        URL.revokeObjectURL(address);
    }
    return image;
}
