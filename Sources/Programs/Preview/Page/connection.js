// Talks with imghost: events, requests, and what to do when it is gone.

const firstDelay = 250, longestDelay = 2000;  // milliseconds
const word = location.pathname.split("/")[1];

// Whether imghost is known to listen. Every address below has the word in it, which no other program is to learn: once
// the connection is lost, nothing is asked until imghost has proved that it knows the word.
let trusted = true;

/** Says whether imghost can be asked now. */
export function reachable() {
    return trusted;
}

/** Sends a request to imghost. Throws when it cannot be reached, or may be another program. */
export function ask(address, options) {
    return trusted ? fetch(address, options) : Promise.reject(new Error("imghost cannot be reached"));
}

/** Sends JSON. Returns the answer; throws when imghost cannot be reached. */
export function post(address, value = {}) {
    return ask(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Imghost": "preview" },
        body: JSON.stringify(value),
    });
}

/** Reads JSON. Throws when imghost cannot be reached or refuses. */
export async function get(address, signal) {
    const answer = await ask(address, { signal });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
}

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// Returns what imghost answers to a random number: HMAC-SHA256 with the word as the key.
async function proofOf(nonce) {
    const text = new TextEncoder(), kind = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", text.encode(word), kind, false, ["sign"]);
    return hexadecimal(new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(nonce))));
}

// Asks who listens, without the word: "known" for the preview of this page, "restarted" for one with another word,
// "other" for another program, null for nobody.
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
 * The stream of events. After a loss it opens itself again when the preview of this page listens. `handlers`: hello,
 * state, progress, finished, ended (with their data), and lost(who), where `who` is what `listener` returns.
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
 * Runs a task for the last request only: while it runs, requests are counted as one, and it runs once more at the end.
 * Returns the function that requests it.
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
