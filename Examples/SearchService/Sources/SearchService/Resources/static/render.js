// Builds the parts of the search page that change. Text becomes text nodes, never HTML.

/** Returns an element with properties and children. */
function element(name, properties, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
}

function marked(segments) {
    return segments.map(({ text, isMarked }) => (isMarked ? element("mark", {}, text) : text));
}

function hit({ id, path, modified, title, snippet }) {
    return element("li", {},
        element("a", { href: `/documents/${id}`, dir: "auto" }, ...marked(title)),
        element("p", { className: "where" },
            element("span", { dir: "auto" }, path), " · ", element("time", {}, modified.slice(0, 10))),
        element("p", { className: "snippet", dir: "auto" }, ...marked(snippet)));
}

/** Replaces the results. The focus stays on the same document. */
export function renderResults({ hits, next }, parameters) {
    const focused = document.activeElement?.closest("#results a")?.getAttribute("href");
    document.getElementById("results").replaceChildren(...hits.map(hit));
    const more = next && element("a", { rel: "next", href: `/?${parameters}&after=${next}` }, "More results");
    document.getElementById("next").replaceChildren(...(more ? [more] : []));
    if (focused) document.querySelector(`#results a[href="${CSS.escape(focused)}"]`)?.focus();
}

export function renderCount({ value, isMinimum }) {
    const number = value.toLocaleString("en-US");
    const text = isMinimum ? `more than ${number} results` : value === 1 ? "1 result" : `${number} results`;
    const count = document.getElementById("count");
    if (count.textContent !== text) count.textContent = text;
}

function facet({ name, values }) {
    return element("fieldset", {}, element("legend", {}, name), ...values.map((value) => choice(name, value)));
}

function choice(name, { value, count, isChosen }) {
    const box = element("input", { type: "checkbox", name: `facet.${name}`, value, checked: isChosen });
    box.setAttribute("form", "search");
    return element("label", {},
        box, " ", element("span", { dir: "auto" }, value), " ", element("span", { className: "number" }, String(count)));
}

/** Replaces facets and suggestions. The focus stays on the same choice. */
export function renderContext({ facets, isSampled, didYouMean, completions }, parameters) {
    const { name, value } = document.activeElement ?? {};
    const note = element("p", { className: "note" }, "Counted in the first 20,000 results.");
    const parts = [...facets.map(facet), ...(isSampled ? [note] : [])];
    document.getElementById("facets").replaceChildren(...parts);
    const boxes = [...document.querySelectorAll("#facets input")];
    boxes.find((box) => box.name === name && box.value === value)?.focus();
    renderCorrection(didYouMean, parameters);
    const options = completions.map((completion) => element("option", { value: completion }));
    document.getElementById("completions").replaceChildren(...options);
}

function renderCorrection(text, parameters) {
    const corrected = new URLSearchParams(parameters);
    corrected.set("q", text ?? "");
    const link = element("a", { href: `/?${corrected}`, dir: "auto" }, text ?? "");
    document.getElementById("did-you-mean").replaceChildren(...(text ? ["Did you mean ", link, "?"] : []));
}
