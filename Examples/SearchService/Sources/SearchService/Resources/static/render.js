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

/** Shows results. Those that are already shown stay, so that a click or the focus on them isn't lost. */
export function renderResults({ hits, next }, parameters) {
    const list = document.getElementById("results");
    const shown = [...list.children];
    const focused = document.activeElement;
    setChildren(list, hits.map(hit).map((item) => shown.find((old) => old.isEqualNode(item)) ?? item));
    if (list.contains(focused)) focused.focus();
    const more = next && element("a", { rel: "next", href: `/?${parameters}&after=${next}` }, "More results");
    document.getElementById("next").replaceChildren(...(more ? [more] : []));
}

/** Replaces children, but not by themselves: an element that is being clicked has to stay where it is. */
function setChildren(parent, children) {
    const old = [...parent.children];
    const isSame = old.length === children.length && children.every((child, index) => child === old[index]);
    if (!isSame) parent.replaceChildren(...children);
    return parent;
}

export function renderCount({ value, isMinimum }) {
    const number = value.toLocaleString("en-US");
    const text = isMinimum ? `more than ${number} results` : value === 1 ? "1 result" : `${number} results`;
    const count = document.getElementById("count");
    if (count.textContent !== text) count.textContent = text;
}

function facet({ name, values }) {
    const old = [...document.querySelectorAll("#facets fieldset")].find((node) => node.dataset.facet === name);
    const fieldset = old ?? element("fieldset", {}, element("legend", {}, name));
    fieldset.dataset.facet = name;
    const legend = fieldset.querySelector("legend");
    return setChildren(fieldset, [legend, ...values.map((value) => choice(fieldset, name, value))]);
}

function choice(fieldset, name, { value, count, isChosen }) {
    const old = [...fieldset.querySelectorAll("input")].find((box) => box.value === value);
    const label = old?.closest("label") ?? newChoice(name, value);
    label.querySelector("input").checked = isChosen;
    label.querySelector(".number").textContent = count;
    return label;
}

function newChoice(name, value) {
    const box = element("input", { type: "checkbox", name: `facet.${name}`, value });
    box.setAttribute("form", "search");
    return element("label", {},
        box, " ", element("span", { dir: "auto" }, value), " ", element("span", { className: "number" }));
}

/** Updates facets and suggestions. */
export function renderContext({ facets, isSampled, didYouMean, completions }, parameters) {
    const note = element("p", { className: "note" }, "Counted in the first 20,000 results.");
    const focused = document.activeElement;
    setChildren(document.getElementById("facets"), [...facets.map(facet), ...(isSampled ? [note] : [])]);
    if (focused?.isConnected) focused.focus();
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
