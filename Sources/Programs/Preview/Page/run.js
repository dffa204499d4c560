// The run of the whole script: its button, progress, result and timeline.

import { announce, byId, make, setText } from "./elements.js";
import { post, reachable } from "./connection.js";
import { messageItems } from "./messages.js";

export class Run {
    #button = byId("run"); #cancel = byId("cancel"); #progress = byId("progress"); #text = byId("run-text");
    #result = byId("run-result"); #timeline = byId("timeline"); #messages; #running = false; #allowed = false;
    #summary = "";

    /** `messages` is the panel that shows the result. */
    constructor(messages) {
        this.#messages = messages;
        this.#button.addEventListener("click", () => this.#start());
        this.#cancel.addEventListener("click", () => this.#stop());
        byId("timeline-close").addEventListener("click", () => this.#timeline.close());
    }

    show(state) {
        this.#allowed = state.status === "ok" || state.status === "evaluating";
        this.#setRunning(state.running);
        if (state.timeline && this.#result.hidden) this.#showResult({ summary: "", messages: [], timeline: true });
    }

    progress({ done, total, text }) {
        this.#setRunning(true);
        if (total > 0) {
            this.#progress.max = total;
            this.#progress.value = done;
        }
        setText(this.#text, text ?? (total > 0 ? `${done} of ${total}` : ""));
    }

    finished({ status, summary, messages, timeline }) {
        const focused = document.activeElement === this.#cancel;
        this.#setRunning(false);
        if (focused) this.#button.focus();
        this.#showResult({ status, summary, messages: messages ?? [], timeline });
        announce(summary || (status === 0 ? "The run has finished" : "The run has failed"));
    }

    async #start() {
        this.#setRunning(true);
        this.#cancel.focus();
        announce("The run has started");
        try {
            const answer = await post("./run");
            if (answer.ok || answer.status === 409) return;
            this.#refuse(`The run did not start: ${await reasonOf(answer)}`);
        } catch {
            this.#refuse("The run did not start: imghost cannot be reached");
        }
    }

    async #stop() {
        this.#cancel.disabled = true;
        setText(this.#text, "Cancelling");
        try {
            await post("./cancel");
        } catch { /* The connection's banner shows this. */ }
    }

    #refuse(text) {
        this.#setRunning(false);
        this.#button.focus();
        this.#showResult({ status: 1, summary: text, messages: [], timeline: false });
        announce(text);
    }

    #setRunning(running) {
        if (running !== this.#running) {
            this.#running = running;
            this.#cancel.disabled = false;
            this.#progress.removeAttribute("value");
            setText(this.#text, running ? "Starting" : "");
        }
        this.#button.hidden = running;
        this.#button.disabled = !this.#allowed;
        this.#cancel.hidden = this.#progress.hidden = this.#text.hidden = !running;
    }

    #showResult({ status = 0, summary, messages, timeline }) {
        this.#summary = summary || (status === 0 ? "Last run" : "The run failed");
        const open = () => this.#openTimeline();
        const button = timeline ? make("button", { type: "button", onclick: open }, "Show the timeline") : "";
        this.#result.hidden = false;
        this.#result.classList.toggle("bad", status !== 0);
        this.#result.replaceChildren(
            make("div", { class: "run-line" }, make("p", { class: "run-summary" }, this.#summary), button),
            messages.length ? make("ol", { class: "message-list" }, ...messageItems(messages)) : "");
        this.#messages.hasRunResult = true;
    }

    #openTimeline() {
        if (!reachable()) return;
        // A query makes the address new, so that the browser does not show the timeline of a former run.
        const image = make("img", { src: `./timeline.svg?${Date.now()}`, alt: `Timeline. ${this.#summary}` });
        this.#timeline.querySelector(".timeline-body").replaceChildren(image);
        this.#timeline.showModal();
    }
}

async function reasonOf(answer) {
    return await answer.text().catch(() => "") || `imghost answered ${answer.status}`;
}
