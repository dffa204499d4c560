// The mistakes, notes and printed lines of the script, with their positions.

import { announce, byId, counted, make, setText } from "./elements.js";

// The maximum number of messages that are shown, because a script may print in a loop.
const mostShown = 300;
const kinds = new Map([
    ["mistake", "Mistake"], ["failure", "Failure"], ["note", "Note"], ["print", "Print"],
]);

export class Messages {
    #panel = byId("messages"); #button = byId("messages-button"); #badge = byId("badge"); #list = byId("message-list");
    #closed = false; #text = ""; #mistakes = 0; #filled = { list: false, run: false };

    constructor() {
        this.#button.addEventListener("click", () => {
            this.#closed = !this.#panel.hidden;
            this.#update();
        });
        byId("messages-close").addEventListener("click", () => {
            this.#closed = true;
            this.#update();
            this.#button.focus();
        });
    }

    show(messages) {
        const mistakes = messages.filter(isMistake).length;
        // A closed panel opens again when the script gets its first mistake.
        if (mistakes > 0 && this.#mistakes === 0) this.#closed = false;
        this.#mistakes = mistakes;
        const text = JSON.stringify(messages);
        if (text !== this.#text) {
            this.#text = text;
            this.#list.replaceChildren(...messageItems(messages));
            const first = messages.find(isMistake);
            if (first) announce(`${placeOf(first)}: ${textOf(first)}`);
        }
        this.#filled.list = messages.length > 0;
        setText(this.#badge, String(mistakes || messages.length));
        this.#badge.classList.toggle("bad", mistakes > 0);
        const label = mistakes ? counted(mistakes, "mistake") : counted(messages.length, "message");
        this.#button.setAttribute("aria-label", `Messages: ${label}`);
        this.#update();
    }

    /** Whether the result of a run is shown above the messages. */
    set hasRunResult(value) {
        this.#filled.run = value;
        if (value) this.#closed = false;
        this.#update();
    }

    #update() {
        const any = this.#filled.list || this.#filled.run;
        this.#button.hidden = !any;
        this.#badge.hidden = !this.#filled.list;
        this.#panel.hidden = !any || this.#closed;
        this.#button.setAttribute("aria-expanded", String(!this.#panel.hidden));
    }
}

export function isMistake({ kind }) {
    return kind === "mistake" || kind === "failure";
}

function placeOf({ file, line }) {
    return file ? `${file}${line ? `:${line}` : ""}` : "";
}

// Returns a message without its place, which has a column of its own.
function textOf(message) {
    const place = `${placeOf(message)}: `;
    return message.text.startsWith(place) ? message.text.slice(place.length) : message.text;
}

/** Returns the items of a list of messages. */
export function messageItems(messages) {
    const shown = messages.length > mostShown ? messages.slice(0, mostShown) : messages;
    const items = shown.map((each) => make("li", { class: `message ${each.kind}` },
        make("span", { class: "message-kind" }, kinds.get(each.kind) ?? each.kind),
        make("span", { class: "message-place" }, placeOf(each)),
        make("span", { class: "message-text" }, textOf(each))));
    const rest = messages.length - shown.length;
    if (rest > 0) items.push(make("li", { class: "message more" }, `and ${counted(rest, "more message")}`));
    return items;
}
