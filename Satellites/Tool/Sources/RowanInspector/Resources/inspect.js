// What a page of rowan inspect does beyond its links and forms: changes as they are committed, and keys.

const rows = document.getElementById("rows");
const live = document.getElementById("live");
const news = document.getElementById("news");
const pause = live.querySelector("button");

let isPaused = false;
let isLoading = false;
let isStale = false;

/** The number of commits before a page was made. */
const commitOf = (page) => Number(page.documentElement.dataset.commit);
let shown = commitOf(document);

/** What stands in a page for each key, or for each row without one. */
function parts(root) {
    const found = new Map();
    for (const part of root.querySelectorAll("[data-key], tbody tr:not([data-key])")) {
        const base = part.dataset.key ?? part.textContent;
        let key = base;
        for (let count = 1; found.has(key); count++) key = `${base} ${count}`;
        found.set(key, part);
    }
    return found;
}

/** The texts of a part: its places may look different because of another row. */
function texts(part) {
    return part && [...part.children].map((child) => child.textContent).join("\u0000");
}

/** Replaces the content of a part by that of another page. */
function replace(present, next) {
    if (!present || !next || present.innerHTML === next.innerHTML) return;
    const focus = present.contains(document.activeElement) && document.activeElement.closest("a")?.getAttribute("href");
    present.replaceChildren(...document.importNode(next, true).childNodes);
    if (focus) present.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus();
}

/** Replaces the rows by those of the same address, marks what has changed, and replaces the list of tables. */
async function refresh() {
    if (isLoading) { isStale = true; return; }
    isLoading = true;
    try {
        do {
            isStale = false;
            // A page without rows isn't made again: it may be a query.
            const response = await fetch(rows ? location.href : "/tables", { headers: { accept: "text/html" } });
            const page = new DOMParser().parseFromString(await response.text(), "text/html");
            shown = commitOf(page);
            for (const id of ["count", "pages", "tables"]) replace(document.getElementById(id), page.getElementById(id));
            if (!rows) { news.textContent = "The data has changed"; continue; }
            const next = page.getElementById("rows");
            if (!next) { news.textContent = page.querySelector("[role=alert]")?.textContent ?? "The page has changed"; continue; }
            const [old, present] = [parts(rows), parts(next)];
            let count = 0;
            for (const [key, part] of present) {
                if (texts(old.get(key)) !== texts(part)) { part.classList.add("changed"); count += 1; }
            }
            const gone = [...old.keys()].filter((key) => !present.has(key)).length;
            if (count + gone > 0) {
                replace(rows, next);
                const changes = [];
                if (count > 0) changes.push(count === 1 ? "1 row changed" : `${count} rows changed`);
                if (gone > 0) changes.push(gone === 1 ? "1 row gone" : `${gone} rows gone`);
                news.textContent = changes.join(", ");
            }
        } while (isStale);
    } catch {
        news.textContent = "The server does not respond";
    } finally {
        isLoading = false;
    }
}

let events;

/** Listens while the page is seen: browsers have few connections for all pages of a server. */
function listen() {
    events?.close();
    if (document.hidden) return;
    events = new EventSource("/live");
    events.addEventListener("hello", (event) => {
        live.hidden = false;
        if (!isPaused) news.textContent = "Live";
        // Commits since the page was made, or since the connection was lost, have had no event.
        if (JSON.parse(event.data).commit !== shown) changed();
    });
    events.addEventListener("commit", changed);
    events.addEventListener("error", () => { news.textContent = "Not connected"; });
}

function changed() {
    if (isPaused) isStale = true; else refresh();
}

listen();
document.addEventListener("visibilitychange", () => {
    listen();
});
addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
addEventListener("pagehide", () => events?.close());

pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    news.textContent = isPaused ? "Paused" : "Live";
    if (!isPaused && isStale) { isStale = false; refresh(); }
});

/** Moves the focus along the first links of the rows. */
function move(step) {
    const links = [...document.querySelectorAll("#rows tbody tr")].map((row) => row.querySelector("a")).filter(Boolean);
    if (links.length === 0) return;
    const index = links.indexOf(document.activeElement);
    links[index < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, index + step))].focus();
}

addEventListener("keydown", (event) => {
    if (event.target.matches("textarea") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.target.form.requestSubmit();
        return;
    }
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
    case "/": document.querySelector("main select, main textarea, main input")?.focus(); break;
    case "j": move(1); break;
    case "k": move(-1); break;
    case "n": document.querySelector("a[rel=next]")?.click(); break;
    case "p": pause.click(); break;
    default: return;
    }
    event.preventDefault();
});
