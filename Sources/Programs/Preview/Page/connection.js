// The connection to imghost: events, requests, and reconnecting after a loss.

const firstDelay = 250, longestDelay = 2000;  // milliseconds
const word = location.pathname.split("/")[1];

// Whether imghost is known to be listening. Every address below contains the secret word, which no other program must
// learn. So after the connection is lost, nothing is requested until imghost has proved that it knows the word.
let trusted = true;

/** Returns whether requests can be sent to imghost now. */
export function reachable() {
    return trusted;
}

/** Sends a request to imghost. Throws an error if imghost cannot be reached, or if another program may be listening. */
export function ask(address, options) {
    return trusted ? fetch(address, options) : Promise.reject(new Error("imghost cannot be reached"));
}

/** Sends JSON. Returns the answer; throws an error if imghost cannot be reached. */
export function post(address, value = {}) {
    return ask(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Imghost": "preview" },
        body: JSON.stringify(value),
    });
}

/** Reads JSON. Throws an error if imghost cannot be reached or refuses the request. */
export async function get(address, signal) {
    const answer = await ask(address, { signal });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
}

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// Returns the answer that imghost must give to a random number: its HMAC-SHA256 with the word as the key.
async function proofOf(nonce) {
    const text = new TextEncoder(), kind = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", text.encode(word), kind, false, ["sign"]);
    return hexadecimal(new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(nonce))));
}

// Finds out which program is listening, without sending the word: "known" for the preview of this page, "restarted" for
// one with another word, "other" for another program, null for none.
async function listener() {
    const nonce = hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
    let answer;
    try {
        answer = await fetch(`/proof?nonce=${nonce}`, { cache: "no-store", redirect: "error" });
    } catch {
        return null;
    }
    const { program, proof } = await answer.json().catch(() => ({}));
    if (proof && proof === await proofOf(nonce)) return "known";
    return program === "imghost preview" ? "restarted" : "other";
}

/**
 * Opens the stream of events, and opens it again after a loss when the preview of this page is listening. `handlers`
 * has the functions hello, state, progress, finished and ended, which get the data of the event, and lost(who), which
 * gets the result of `listener`.
 */
export function connect(handlers) {
    let attempts = 0;
    const open = () => {
        const source = new EventSource("./events");
        const listen = (name, before) => source.addEventListener(name, (event) => {
            before?.();
            handlers[name](JSON.parse(event.data));
        });
        listen("hello", () => { attempts = 0; });
        listen("state");
        listen("progress");
        listen("finished");
        listen("ended");
        source.addEventListener("error", () => {
            source.close();
            trusted = false;
            handlers.lost(null);
            retry();
        });
    };
    const retry = () => {
        attempts += 1;
        setTimeout(async () => {
            const who = await listener();
            trusted = who === "known";
            if (trusted) return open();
            handlers.lost(who);
            retry();
        }, Math.min(longestDelay, firstDelay * 2 ** (attempts - 1)));
    };
    open();
}

/**
 * Returns a function that requests a run of a task. However often it is called during a run, the task then runs only
 * once more.
 */
export function coalesced(task) {
    let running = false, again = false;
    return async function request() {
        again = true;
        if (running) return;
        running = true;
        while (again) {
            again = false;
            await task();
        }
        running = false;
    };
}
