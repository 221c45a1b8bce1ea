// Results that change when documents do, by server-sent events.

/**
 * Calls a function with the results of a search, each time they change. A page in the background doesn't follow: browsers
 * allow few connections. Returns a function that stops it.
 */
export function follow(parameters, onResult) {
    let source = null;
    let shown = null;

    function open() {
        source = new EventSource(`/api/live?${parameters}`);
        source.addEventListener("results", (event) => {
            if (shown !== event.data) onResult(JSON.parse(event.data));
            shown = event.data;
        });
        source.addEventListener("status", (event) => showStatus(JSON.parse(event.data)));
        source.addEventListener("ended", (event) => {
            stop();
            document.getElementById("indexing").textContent = JSON.parse(event.data).reason;
        });
    }

    function changeVisibility() {
        source?.close();
        if (!document.hidden) open();
    }

    function stop() {
        document.removeEventListener("visibilitychange", changeVisibility);
        source?.close();
    }

    document.addEventListener("visibilitychange", changeVisibility);
    if (!document.hidden) open();
    return stop;
}

function showStatus({ isIndexing, done, total, problem }) {
    const text = problem ?? (isIndexing ? `Indexing: ${done} of ${total}` : "");
    document.getElementById("indexing").textContent = text;
}
