// Requests to the JSON API.

async function get(path) {
    const response = await fetch(path, { headers: { Accept: "application/json" } });
    const value = await response.json();
    if (!response.ok) throw new Error(value.error.message);
    return value;
}

function query(parameters, isTyping) {
    const all = new URLSearchParams(parameters);
    if (isTyping) all.set("typing", "1");
    return all;
}

export function search(parameters, isTyping) {
    return get(`/api/search?${query(parameters, isTyping)}`);
}

export function context(parameters, isTyping) {
    return get(`/api/context?${query(parameters, isTyping)}`);
}
