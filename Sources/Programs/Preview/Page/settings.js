// The settings that the script declares, as controls.

import { byId, icon, make, setText } from "./elements.js";
import { coalesced, post } from "./connection.js";

// A control keeps the value that it has sent until a state with this value arrives, because late states contain older
// values. After this many milliseconds without such a state, it shows the value of the last state.
const patience = 5000;

// The fields that determine a control. If only the value or the line in the script changes, the control stays.
const declared = ["name", "type", "minimum", "maximum", "step", "default", "choices", "label", "group", "help"];

export class Settings {
    #panel = byId("settings"); #form = byId("settings-form");
    #button = byId("settings-button"); #reset = byId("settings-reset");
    #rows = new Map(); #pending = new Map(); #shape = ""; #shown = false; #afterSending; #refused;
    #send = coalesced(() => this.#post());

    /**
     * `afterSending()` returns a promise, after which the next values are sent. `refused(text)` reports that imghost
     * refused a value.
     */
    constructor(afterSending, refused) {
        this.#afterSending = afterSending;
        this.#refused = refused;
        this.#form.addEventListener("submit", (event) => event.preventDefault());
        this.#button.addEventListener("click", () => this.#toggle(this.#panel.hidden));
        this.#reset.addEventListener("click", () => {
            for (const row of this.#rows.values()) if (row.changed) this.#restore(row);
        });
    }

    /** Shows the settings of a state. The rows are only created again if the declarations have changed. */
    show(state) {
        const settings = state.map((each) => ({ ...each, value: flat(each.value), default: flat(each.default) }));
        const shape = JSON.stringify(settings.map((each) => declared.map((name) => each[name])));
        if (shape !== this.#shape) {
            this.#shape = shape;
            this.#build(settings);
        }
        for (const setting of settings) {
            this.#take(this.#rows.get(setting.name), setting.value);
        }
        this.#button.hidden = settings.length === 0;
        if (settings.length === 0) this.#panel.hidden = true;
        else if (!this.#shown) {
            this.#shown = true;
            this.#toggle(matchMedia("(min-width: 900px)").matches);
        }
    }

    #toggle(open) {
        this.#panel.hidden = !open;
        this.#button.setAttribute("aria-expanded", String(open));
    }

    #build(settings) {
        const focused = document.activeElement?.dataset?.setting;
        this.#rows.clear();
        this.#form.replaceChildren(...[...groupsOf(settings)].map(([group, members]) => {
            const rows = members.map((each) => this.#makeRow(each));
            if (!group) return make("div", { class: "ungrouped" }, ...rows);
            return make("fieldset", {}, make("legend", {}, group), ...rows);
        }));
        if (focused) this.#rows.get(focused)?.focus();
    }

    #makeRow(setting) {
        const id = `setting-${setting.name}`, helpId = setting.help ? `${id}-help` : null;
        const attributes = { id, "data-setting": setting.name, "aria-describedby": helpId };
        const control = makeControl(setting, attributes, (value) => this.#change(row, value));
        const label = setting.label ?? setting.name;
        const reset = make("button", {
            type: "button", class: "icon reset", "aria-label": `Reset ${label} to ${textOf(setting.default)}`,
            title: `Reset to ${textOf(setting.default)}`, onclick: () => { this.#restore(row); control.focus(); },
        }, icon("reset"));
        const { value } = setting;
        const row = { setting, reset, value, told: value, timer: 0, changed: false, focus: control.focus };
        row.show = (value) => { row.value = value; control.show(value); };
        this.#rows.set(setting.name, row);
        return make("div", { class: `setting ${control.kind}` },
            make("div", { class: "setting-head" },
                make("label", { for: id, title: setting.label ? setting.name : null },
                    label, setting.unit ? make("span", { class: "setting-unit" }, ` ${setting.unit}`) : ""), reset),
            control.element, helpId ? make("p", { class: "setting-help", id: helpId }, setting.help) : "");
    }

    #change(row, value, sent = value) {
        row.value = value;
        clearTimeout(row.timer);
        row.timer = setTimeout(() => {
            row.timer = 0;
            this.#take(row, row.told);
        }, patience);
        this.#pending.set(row.setting.name, sent);
        this.#mark(row);
        this.#send();
    }

    #restore(row) {
        row.show(row.setting.default);
        this.#change(row, row.setting.default, null);
    }

    // Shows the value of a state, unless the control waits for another one.
    #take(row, value) {
        row.told = value;
        if (row.timer && value !== row.value) return;
        clearTimeout(row.timer);
        row.timer = 0;
        row.show(value);
        this.#mark(row);
    }

    #mark(row) {
        row.changed = row.setting.default !== undefined && row.value !== row.setting.default;
        row.reset.disabled = !row.changed;
        this.#reset.hidden = ![...this.#rows.values()].some((each) => each.changed);
    }

    async #post() {
        if (this.#pending.size === 0) return;
        const values = Object.fromEntries(this.#pending);
        this.#pending.clear();
        const done = this.#afterSending();
        try {
            const answer = await post("./settings", values);
            if (answer.ok) await done;
            else this.#refused(`imghost refused the value of ${Object.keys(values).join(", ")}`);
        } catch { /* The connection's banner shows this; the state has the values that apply. */ }
    }
}

function groupsOf(settings) {
    const groups = new Map();
    for (const each of settings) groups.set(each.group ?? "", [...groups.get(each.group ?? "") ?? [], each]);
    return groups;
}

// Returns a list in the form of its text field and of `--set`, so that equal values compare equal.
function flat(value) {
    return Array.isArray(value) ? value.join(",") : value;
}

function textOf(value) {
    if (typeof value === "boolean") return value ? "on" : "off";
    return value === null || value === undefined || value === "" ? "nothing" : String(value);
}

// Returns a control { element, kind, show(value), focus() }. The element with the attributes is the one that the label
// names.

function makeControl(setting, attributes, changed) {
    const ranged = Number.isFinite(setting.minimum) && Number.isFinite(setting.maximum);
    switch (setting.type) {
    case "integer": case "number": return (ranged ? slider : numberField)(setting, attributes, changed);
    case "boolean": return switchControl(attributes, changed);
    case "choice": return selectControl(setting, attributes, changed);
    case "colour": return colorControl(setting, attributes, changed);
    default: return textField(attributes, changed);
    }
}

function slider(setting, attributes, changed) {
    const step = setting.step ?? (setting.type === "integer" ? 1 : fineStep(setting.maximum - setting.minimum));
    const limits = { min: setting.minimum, max: setting.maximum, step };
    const range = make("input", { type: "range", ...attributes, ...limits });
    // The field accepts any number between the limits; only the slider moves in steps.
    const field = make("input", {
        type: "number", class: "setting-number", "aria-label": `${setting.label ?? setting.name}, exact value`,
        ...limits, step: setting.type === "integer" ? 1 : "any",
    });
    const paint = () => fillTrack(range);
    range.addEventListener("input", () => {
        field.value = range.value;
        paint();
        changed(Number(range.value));
    });
    field.addEventListener("change", () => {
        if (field.value === "" || !field.checkValidity()) return field.reportValidity();
        range.value = field.value;
        paint();
        changed(Number(field.value));
    });
    const show = (value) => {
        range.value = value;
        if (document.activeElement !== field) field.value = value ?? "";
        paint();
    };
    const element = make("div", { class: "setting-range" }, range, field);
    return { element, kind: "wide", show, focus: () => range.focus() };
}

// Returns a round step of about a two-hundredth of the range.
function fineStep(range) {
    const power = 10 ** Math.floor(Math.log10(range / 200));
    return [5, 2, 1].map((each) => each * power).find((each) => range / each >= 100) ?? power;
}

function numberField(setting, attributes, changed) {
    const field = make("input", {
        type: "number", ...attributes, min: setting.minimum, max: setting.maximum,
        step: setting.step ?? (setting.type === "integer" ? 1 : "any"),
    });
    field.addEventListener("input", () => {
        if (field.value !== "" && field.checkValidity()) changed(Number(field.value));
    });
    field.addEventListener("change", () => field.reportValidity());
    return simple(field, "short", (value) => {
        if (document.activeElement !== field) field.value = value ?? "";
    });
}

function switchControl(attributes, changed) {
    const box = make("input", { type: "checkbox", role: "switch", ...attributes });
    box.addEventListener("change", () => changed(box.checked));
    return simple(box, "short", (value) => { box.checked = Boolean(value); });
}

function selectControl(setting, attributes, changed) {
    const choices = setting.choices ?? [];
    const options = choices.map((each, index) => make("option", { value: index }, String(each)));
    const select = make("select", attributes, ...options);
    select.addEventListener("change", () => changed(choices[Number(select.value)]));
    return simple(select, "short", (value) => { select.value = choices.indexOf(value); });
}

function textField(attributes, changed) {
    const field = make("input", { type: "text", ...attributes, autocomplete: "off", spellcheck: "false" });
    field.addEventListener("change", () => changed(field.value));
    return simple(field, "wide", (value) => {
        if (document.activeElement !== field) field.value = value ?? "";
    });
}

// The browser's colour field does not support opacity, so a colour with eight digits gets a slider for it.
function colorControl(setting, attributes, changed) {
    const picker = make("input", { type: "color", ...attributes });
    const label = setting.label ?? setting.name;
    const text = make("input", {
        type: "text", class: "setting-hex", "aria-label": `${label} as text`, size: 9, spellcheck: "false",
    });
    const opacity = make("input", { type: "range", min: 0, max: 255, step: 1, "aria-label": `${label}, opacity` });
    const withOpacity = () => String(setting.default).length === 9 || text.value.length === 9;
    const compose = () => picker.value + (withOpacity() ? Number(opacity.value).toString(16).padStart(2, "0") : "");
    const tell = () => {
        text.value = compose();
        opacity.setAttribute("aria-valuetext", `${Math.round(opacity.value / 255 * 100)} %`);
        changed(text.value);
    };
    const show = (value) => {
        const hex = expanded(String(value ?? ""));
        if (document.activeElement !== text) text.value = value ?? "";
        if (hex) picker.value = hex.slice(0, 7);
        opacity.value = hex?.length === 9 ? parseInt(hex.slice(7), 16) : 255;
        fillTrack(opacity);
        opacity.hidden = !withOpacity();
    };
    picker.addEventListener("input", tell);
    opacity.addEventListener("input", () => { fillTrack(opacity); tell(); });
    text.addEventListener("change", () => {
        const value = text.value.trim();
        if (expanded(value)) show(value);
        changed(value);
    });
    const element = make("div", { class: "setting-color" }, picker, text, opacity);
    return { element, kind: "wide", show, focus: () => picker.focus() };
}

// Returns "#rrggbb" or "#rrggbbaa", or null for other texts, such as names of colours.
function expanded(value) {
    if (/^#[0-9a-f]{3,4}$/i.test(value)) return value.replace(/[0-9a-f]/gi, "$&$&").toLowerCase();
    return /^#([0-9a-f]{6}|[0-9a-f]{8})$/i.test(value) ? value.toLowerCase() : null;
}

// Colours the part of a slider's track before its thumb; style sheets cannot know the value.
function fillTrack(range) {
    range.style.setProperty("--filled", `${(range.value - range.min) / (range.max - range.min) * 100}%`);
}

function simple(element, kind, show) {
    return { element, kind, show, focus: () => element.focus() };
}
