// The search page: results while the user types, and while documents change. Without this script, the form still works.
import { search, context } from "./api.js";
import { renderResults, renderCount, renderContext } from "./render.js";
import { follow } from "./live.js";
import { useKeyboard } from "./keyboard.js";

const form = document.getElementById("search");
const input = document.getElementById("q");
const pauseBeforeContext = 150;

let latest = 0;
let contextTimer = 0;
let stopFollowing = () => {};

/** The parameters of the form, without empty ones. */
function parameters() {
    const all = new URLSearchParams(new FormData(form));
    if (!all.get("q")) all.delete("q");
    if (all.get("sort") === "relevance") all.delete("sort");
    return all;
}

/** Searches. A slow answer to an earlier search is dropped. */
async function update(isTyping) {
    const number = ++latest;
    const current = parameters();
    stopFollowing();
    clearTimeout(contextTimer);
    history.replaceState(null, "", current.size ? `/?${current}` : "/");
    try {
        const result = await search(current, isTyping);
        if (number !== latest) return;
        show(result, current);
        contextTimer = setTimeout(() => updateContext(number, current, isTyping), pauseBeforeContext);
    } catch (error) {
        if (number === latest) document.getElementById("count").textContent = error.message;
    }
}

function showResult(result, current) {
    renderCount(result.count);
    renderResults(result, current);
}

function show(result, current) {
    showResult(result, current);
    document.getElementById("plan").replaceChildren();
    document.getElementById("plan-link").href = `/?${current}&plan=1`;
}

/** Facets and suggestions take longer than results, so they follow when the user pauses. */
async function updateContext(number, current, isTyping) {
    try {
        const answer = await context(current, isTyping);
        if (number !== latest) return;
        renderContext(answer, current);
        startFollowing(current);
    } catch {
        // The results stay without facets. The next search tries again.
    }
}

function startFollowing(current) {
    stopFollowing();
    stopFollowing = follow(current, (result) => showResult(result, current));
}

input.addEventListener("input", () => update(true));
form.addEventListener("submit", (event) => {
    event.preventDefault();
    update(false);
});
document.addEventListener("change", (event) => {
    if (event.target.form === form && event.target !== input) update(false);
});
useKeyboard(input);
if (form.dataset.live === "true") startFollowing(parameters());
