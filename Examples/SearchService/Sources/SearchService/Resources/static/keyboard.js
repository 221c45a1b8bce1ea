// Keys of the search page: "/" goes to the search box, the arrows go through the results.

export function useKeyboard(input) {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "/" && !isTyping(event.target)) {
            event.preventDefault();
            input.select();
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            move(event, input);
        }
    });
}

function isTyping(element) {
    return element.matches("input:not([type=checkbox]), textarea, select");
}

/** Moves from the search box to the first result, from one result to the next, and back. */
function move(event, input) {
    const links = [...document.querySelectorAll("#results a")];
    const index = links.indexOf(document.activeElement);
    if (index < 0 && document.activeElement !== input) return;
    event.preventDefault();
    const next = index + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? input : links[Math.min(next, links.length - 1)])?.focus();
}
