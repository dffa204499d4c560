// Talks with imghost: events, requests, and what to do when it is gone.

const firstDelay = 250, longestDelay = 2000;  // milliseconds

/** Sends JSON. Returns the answer; throws when imghost cannot be reached. */
export function post(address, value = {}) {
    return fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Imghost": "preview" },
        body: JSON.stringify(value),
    });
}

/** Reads JSON. Throws when imghost cannot be reached or refuses. */
export async function get(address, signal) {
    const answer = await fetch(address, { signal });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
}

/**
 * The stream of events. It opens itself again after each loss; the browser's own way waits longer, and gives up when
 * something else answers at the address. `handlers`: hello, state, progress, finished, ended (with their data), and
 * lost(known), where `known` is false if another program, or a preview with another address, answers.
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
            // CLOSED means that an answer came, but none of imghost.
            const known = source.readyState !== EventSource.CLOSED;
            source.close();
            attempts += 1;
            handlers.lost(known);
            setTimeout(open, Math.min(longestDelay, firstDelay * 2 ** (attempts - 1)));
        });
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
