// The search: it runs in the browser, over the list in search-index.js, so that the site needs no server.
"use strict";

// Each entry: [title, address, kind, summary, words].
const entries = window.searchIndex.map(([title, address, kind, summary, words]) => ({
    title, address, kind, summary,
    name: title.toLowerCase(),
    text: (summary + " " + words).toLowerCase(),
}));

// Words of questions, which say nothing about the subject.
const stopWords = new Set(("a an and any are as at be by can could did do does for from had has have how i if in is it its me my of on or "
    + "should so some than that the their them then there these they this those to was we were what when where which who why will "
    + "with would you your").split(" "));

/** The words to look for. A query of stop words alone looks for them. */
function wordsOf(query) {
    const words = [...new Set(query.toLowerCase().split(/[^\p{L}\p{N}_#@]+/u).filter((word) => word))];
    const telling = words.filter((word) => !stopWords.has(word));
    return telling.length > 0 ? telling : words;
}

/** How well an entry fits a word: 0 if it lacks the word. Names count more than texts. */
function fit(entry, word) {
    if (entry.name === word) return 100;
    if (entry.name.startsWith(word)) return 40;
    if (entry.name.includes(word)) return 20;
    return entry.text.includes(word) ? 3 : 0;
}

/** The same, if few entries have all words: the more of its name a word is, the better. Texts of articles count nearly as much,
 * if they have the word itself, or a form of it: “important” is not about imports. */
function looseFit(entry, word) {
    if (entry.name.includes(word)) return 20 + 80 * word.length / entry.name.length;
    if (!entry.text.includes(word)) return 0;
    if (!new RegExp(`(?<![\\p{L}\\p{N}_])${word}(s|ed|ing)?(?![\\p{L}\\p{N}_])`, "u").test(entry.text)) return 0;
    return entry.kind === "Article" || entry.kind === "Section" ? 30 : 3;
}

/** The rows in their order: articles count more than symbols. */
function sorted(rows, weights) {
    const value = ({ entry, fits }) => fits.reduce((sum, one, index) => sum + one * weights[index], 0)
        + (entry.kind === "Article" ? 15 : entry.kind === "Section" ? 8 : 0) - entry.name.length / 100;
    return rows.map((row) => [value(row), row.entry]).sort((a, b) => b[0] - a[0]).map(([, entry]) => entry);
}

/** The entries with all words, and those with some of them if the former are few. A rare word counts more in the latter. */
function search(query) {
    const words = wordsOf(query);
    if (words.length === 0) return { complete: [], partial: [] };
    const isComplete = ({ fits }) => fits.every((value) => value > 0);
    const rowsBy = (fit) => entries.map((entry) => ({ entry, fits: words.map((word) => fit(entry, word)) }));
    const complete = sorted(rowsBy(fit).filter(isComplete), words.map(() => 1));
    if (complete.length >= 5) return { complete, partial: [] };
    const rows = rowsBy(looseFit);
    const rarity = words.map((_, index) => Math.log(entries.length / (1 + rows.filter(({ fits }) => fits[index] > 0).length)));
    const partial = sorted(rows.filter((row) => !isComplete(row) && row.fits.some((value) => value > 0)), rarity);
    return { complete, partial };
}

/** What the list shows, in words. */
function summary(query, { complete, partial }, shown) {
    if (query.trim() === "") return "";
    const pages = (count) => count === 1 ? "1 page" : `${count} pages`;
    if (complete.length === 0 && partial.length === 0) return `Nothing has a word of “${query}”: try other words.`;
    if (complete.length === 0) return `No page has all words of “${query}”. ${pages(partial.length)} with some of them:`;
    if (partial.length > 0) return `${pages(complete.length)} with all words, then ${pages(partial.length)} with some of them:`;
    return complete.length > shown.length ? `${shown.length} of ${pages(complete.length)}` : pages(complete.length);
}

function show(query) {
    const found = search(query);
    const shown = [...found.complete, ...found.partial].slice(0, 50);
    document.getElementById("count").textContent = summary(query, found, shown);
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
