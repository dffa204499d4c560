// The page of 'imghost preview': it loads the state of the script, and passes its parts to the objects that show them.

import { announce, byId, counted, setText } from "./elements.js";
import { coalesced, connect, get } from "./connection.js";
import { isMistake, Messages } from "./messages.js";
import { Outputs } from "./outputs.js";
import { PictureLoader } from "./pictures.js";
import { Run } from "./run.js";
import { Settings } from "./settings.js";
import { Viewer } from "./viewer.js";

const longestFrame = 400;  // milliseconds that a moving slider waits for the pictures of its last value
const statusDelay = 300;   // milliseconds until "Running the script" is worth saying

const main = byId("outputs"), status = byId("status");
const loader = new PictureLoader();
const messages = new Messages();
const run = new Run(messages);
const outputs = new Outputs(loader, (section, item) => viewer.open(section, item));
const viewer = new Viewer(loader, outputs);
outputs.onjump = () => viewer.close();
const settings = new Settings(nextFrame, announce);

let state = null, stale = false, instance = null, connected = true, ended = false, statusTimer = 0;
const frames = new Set();  // promises that wait for the pictures of a later state, see `nextFrame`

const load = coalesced(async () => {
    try {
        show(await get("./state"));
    } catch { /* Without imghost, the connection's banner shows this; the next 'hello' loads again. */ }
});

function show(next) {
    // Version 0 comes from a preview that has just started and has no state yet. It sends an event when it has one.
    if (next.version === 0 && state) return;
    // A later state arrived while this answer was on its way.
    if (state && !stale && next.version < state.version) return;
    const same = (name) => state?.[name] === next[name];
    if (!stale && same("version") && same("running") && same("timeline")) return;
    // A preview that restarted because its script hung has no pictures, so those on the page stay.
    if (next.status !== "ok" && next.outputs.length === 0 && state) next.outputs = state.outputs;
    state = next;
    stale = false;
    document.documentElement.dataset.version = state.version;
    setText(byId("script"), state.script ?? "");
    showStatus();
    messages.show(state.messages);
    settings.show(state.settings);
    run.show(state);
    outputs.show(state.outputs, state.status);
    viewer.update();
    showTitle();
    pictureChanged();
}

function showStatus() {
    clearTimeout(statusTimer);
    const mistakes = state.messages.filter(isMistake).length;
    const text = {
        ok: "Up to date",
        mistakes: mistakes ? counted(mistakes, "mistake") : "The script has mistakes",
        missing: "The script is missing",
        stuck: "The script does not end",
        evaluating: "Running the script",
    }[state.status] ?? state.status;
    document.documentElement.dataset.status = state.status;
    const tell = () => setText(status, text);
    if (state.status === "evaluating") statusTimer = setTimeout(tell, statusDelay);
    else tell();
    banner("script-banner", {
        missing: `${state.script} is missing. These are its last pictures; it continues when the file is back.`,
        stuck: `${state.script} did not end in time and was stopped. These are the pictures of its last good version.`,
    }[state.status]);
}

function showTitle() {
    const mistakes = state.messages.filter(isMistake).length;
    const script = state.script ? `${state.script} · ` : "";
    document.title = `${mistakes ? `(${mistakes}) ` : ""}${script}imghost preview`;
}

function banner(id, text) {
    const element = byId(id);
    element.hidden = !text;
    setText(element, text ?? "");
}

// Returns a promise that resolves when imghost has sent the pictures of a later state, or after `longestFrame`.
function nextFrame() {
    return new Promise((resolve) => {
        const frame = { after: state?.version ?? 0, resolve };
        frame.timer = setTimeout(() => endFrame(frame), longestFrame);
        frames.add(frame);
    });
}

function endFrame(frame) {
    clearTimeout(frame.timer);
    frames.delete(frame);
    frame.resolve();
}

function pictureChanged() {
    const busy = String(!loader.settled);
    if (main.getAttribute("aria-busy") !== busy) main.setAttribute("aria-busy", busy);
    // A slider sends its next value while the browser decodes the pictures of the last one.
    if (!loader.answered) return;
    for (const frame of [...frames]) if (state.version > frame.after) endFrame(frame);
}

loader.onchange = pictureChanged;

connect({
    hello(data) {
        const restarted = instance !== null && data.instance !== instance;
        instance = data.instance;
        // A preview that was restarted counts its versions from the beginning.
        if (restarted || !connected) stale = true;
        if (!connected) announce(restarted ? "imghost was started again" : "Connected again");
        connected = true;
        ended = false;
        banner("connection-banner", null);
        document.documentElement.dataset.connection = "open";
        load();
    },
    // The event contains the state only if that is small; otherwise, the state is loaded.
    state: (data) => data.outputs ? show(data) : load(),
    progress: (data) => run.progress(data),
    finished(data) {
        run.finished(data);
        load();
    },
    ended() { ended = true; },
    lost(who) {
        connected = false;
        document.documentElement.dataset.connection = "lost";
        banner("connection-banner", {
            restarted: "The preview was started again, and has a new address. Open the one that imghost has printed in "
                + "the terminal.",
            other: "Another program answers at this address. Start the preview again, and open the address that imghost "
                + "prints in the terminal.",
        }[who] ?? (ended
            ? "The preview was ended. Start it again, and open the address that it prints in the terminal."
            : "The connection to imghost is lost. The pictures are the last ones. If the preview was started again, open "
                + "the address that it has printed in the terminal."));
    },
});
load();
