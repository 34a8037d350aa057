// The search: it runs in the browser, over the list in search-index.js, so that the site needs no server.
"use strict";

// Each entry: [title, address, kind, summary, words].
const entries = window.searchIndex.map(([title, address, kind, summary, words]) => ({
    title, address, kind, summary,
    name: title.toLowerCase(),
    text: (summary + " " + words).toLowerCase(),
}));

/** How well an entry fits: 0 if a word is missing. Names count more than texts, and articles more than symbols. */
function score(entry, words) {
    let sum = 0;
    for (const word of words) {
        if (entry.name === word) sum += 100;
        else if (entry.name.startsWith(word)) sum += 40;
        else if (entry.name.includes(word)) sum += 20;
        else if (entry.text.includes(word)) sum += 3;
        else return 0;
    }
    return sum + (entry.kind === "Article" ? 15 : entry.kind === "Section" ? 8 : 0) - entry.name.length / 100;
}

/** The entries that have all words of a query, the best ones first. */
function search(query) {
    const words = query.toLowerCase().split(/[^\p{L}\p{N}_#@]+/u).filter((word) => word);
    if (words.length === 0) return [];
    return entries.map((entry) => [score(entry, words), entry]).filter(([value]) => value > 0)
        .sort((a, b) => b[0] - a[0]).map(([, entry]) => entry);
}

function show(query) {
    const found = search(query);
    const shown = found.slice(0, 50);
    document.getElementById("count").textContent = query.trim() === "" ? ""
        : found.length === 0 ? `Nothing has all words of “${query}”: try fewer ones.`
        : found.length > shown.length ? `${shown.length} of ${found.length} pages` : `${found.length} pages`;
    document.getElementById("results").replaceChildren(...shown.map((entry) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = entry.address;
        link.textContent = entry.title;
        const kind = document.createElement("span");
        kind.className = "kind";
        kind.textContent = ` ${entry.kind}`;
        const summary = document.createElement("p");
        summary.className = "summary";
        summary.textContent = entry.summary;
        item.append(link, kind, summary);
        return item;
    }));
}

const input = document.getElementById("query");
input.value = new URLSearchParams(location.search).get("q") ?? "";
show(input.value);
input.addEventListener("input", () => show(input.value));
document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", "?q=" + encodeURIComponent(input.value));
    show(input.value);
});
