// Creates elements. Texts of scripts and files are passed as strings, which become text nodes and never markup.

const svgNamespace = "http://www.w3.org/2000/svg";

/** Returns an element with attributes, listeners ("onclick": function) and children (elements or strings). */
export function make(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** Returns an SVG element. */
export function makeSVG(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

/** Returns one of the icons that preview.html defines. */
export function icon(name) {
    return makeSVG("svg", { "aria-hidden": "true" }, makeSVG("use", { href: `#icon-${name}` }));
}

/** Returns a button that shows an icon and has a name for screen readers. */
export function iconButton(name, label, onclick) {
    return make("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick }, icon(name));
}

export function byId(id) {
    return document.getElementById(id);
}

/** Sets a text only if it differs, so that a screen reader does not repeat a live region. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Announces something to screen readers that is visible elsewhere on the page. */
export function announce(text) {
    setText(byId("announcement"), text);
}

/** Returns "1 picture" or "5 pictures". */
export function counted(count, singular, plural = `${singular}s`) {
    return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;
}

/** Values that survive a reload of the page. */
export const remembered = {
    get(name) {
        try { return sessionStorage.getItem(name); } catch { return null; }
    },
    set(name, value) {
        try { sessionStorage.setItem(name, value); } catch { /* Storage is off: the choice lasts until a reload. */ }
    },
};

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === false || value === null || value === undefined) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
}
