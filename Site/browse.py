"""The tests of the site, in a real browser: see Site/test."""
import argparse
import functools
import http.server
import json
import re
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / ".build" / "site"
PAGES = ["index.html", "guide.html", "tool.html", "tool/import.html", "tool/migrate.html", "search.html", "benchmarks.html", "reliability.html"]
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
# What docc's own frame around an article does: its rules are not ours. Headings and contrast are checked there, too.
DOCC_RULES = {"runOnly": {"type": "rule", "values": ["heading-order", "page-has-heading-one", "color-contrast"]}}
# The articles whose pages are checked by all rules. Their texts are checked on all pages.
ARTICLES = ["guide/firstprogram.html", "guide/transactions.html", "guide/handlingerrors.html"]
REFERENCE = ["docs/documentation/rowan/", "docs/documentation/rowan/transactions/", "docs/documentation/rowan/databasequeue/",
             "docs/documentation/rowan/databasequeue/inmemorycopy(frompath:configuration:)/"]
WIDTHS = [320, 390, 1400]
# Texts that are beyond the edge of the window, or of an element that cuts them off, or that has to be scrolled. docc's list
# of the symbols shortens long names.
CLIPPED = """() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.textContent.trim() || parent.closest(".navigator, script, style, noscript, .skip")) continue;
        if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        let edge = innerWidth, hidden = false;
        for (let box = parent; box; box = box.parentElement) {
            const rect = box.getBoundingClientRect(), style = getComputedStyle(box);
            // For those who hear the page.
            if (rect.width <= 1 || rect.height <= 1) hidden = true;
            if (style.overflowX !== "visible") edge = Math.min(edge, rect.right);
        }
        const range = document.createRange();
        range.selectNodeContents(node);
        const right = Math.max(...[...range.getClientRects()].map((rect) => rect.right));
        if (!hidden && right > edge + 1) found.push(`${node.textContent.trim().slice(0, 40)} (${Math.round(right - edge)})`);
    }
    return found;
}"""


class Names(HTMLParser):
    """The links, and the anchors, of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        link = attributes.get("href") or attributes.get("src")
        if link:
            self.links.append(link)


class Failures(list):
    def check(self, condition, text):
        if not condition:
            self.append(text)
            print(f"FAILED {text}")


def anchors(path: Path):
    """The anchors of a file: docc's pages get theirs from their data."""
    relative = path.relative_to(SITE)
    if relative.parts[0] != "docs":
        return Names(path.read_text(encoding="utf-8")).anchors
    data = SITE / "docs" / "data" / Path(*relative.parts[1:-1])
    content = json.loads(data.with_suffix(".json").read_text(encoding="utf-8"))
    found = set()

    def visit(value):
        if isinstance(value, dict):
            if isinstance(value.get("anchor"), str):
                found.add(value["anchor"])
            for one in value.values():
                visit(one)
        elif isinstance(value, list):
            for one in value:
                visit(one)

    visit(content.get("primaryContentSections", []))
    visit(content.get("topicSections", []))
    return found


def check_links(failures):
    """Each link leads to a file, and to an anchor in it. Returns the number of links."""
    count = 0
    files = [SITE / page for page in PAGES] + sorted(SITE.glob("guide/*.html"))
    links = [(file, link) for file in files for link in Names(file.read_text(encoding="utf-8")).links]
    text = (SITE / "llms.txt").read_text(encoding="utf-8")
    links += [(SITE / "llms.txt", link) for link in re.findall(r"\]\(([^)]+)\)", text)]
    index = json.loads((SITE / "search-index.js").read_text(encoding="utf-8").split("=", 1)[1].rstrip(";\n"))
    links += [(SITE / "search-index.js", address) for _, address, *_ in index]
    known = {}
    for file, link in links:
        parts = urlsplit(link)
        if parts.scheme:
            continue
        count += 1
        path = (file.parent / unquote(parts.path)) if parts.path else file
        path = path / "index.html" if parts.path.endswith("/") else path
        if not path.is_file():
            failures.check(False, f"{file.name}: {link} leads nowhere")
        elif parts.fragment:
            if path not in known:
                known[path] = anchors(path)
            failures.check(
                unquote(parts.fragment) in known[path], f"{file.name}: {link} has no such section")
    return count


def check_references(failures):
    """The pages of the reference name others: each of them exists. Returns the number of pages."""
    data = SITE / "docs" / "data"
    count = 0
    for path in data.glob("documentation/**/*.json"):
        count += 1
        content = json.loads(path.read_text(encoding="utf-8"))
        for reference in content.get("references", {}).values():
            address = reference.get("url", "")
            if address.startswith("/documentation/"):
                target = SITE / "docs" / address.split("#")[0].lstrip("/") / "index.html"
                failures.check(target.is_file(), f"{path.name} refers to {address}, which does not exist")
    return count


def check_page(page, address, failures, rules, name):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("response", lambda response: errors.append(f"{response.status} {response.url}")
            if response.status >= 400 else None)
    page.goto(address, timeout=120_000)
    page.wait_for_selector("h1", timeout=120_000)
    # What the page asks for after its text.
    page.wait_for_timeout(500)
    failures.check(not errors, f"{name}: {errors}")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    failures.check(wide <= 0, f"{name}: {wide} pixels wider than the window")
    check_clipped(page, failures, name)
    if rules is None:
        return
    found = Axe().run(page, options=rules)
    for violation in found.response["violations"]:
        nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
        failures.check(False, f"{name}: {violation['id']}: {violation['help']}: {nodes}")


def check_clipped(page, failures, name):
    clipped = page.evaluate(CLIPPED)
    failures.check(not clipped, f"{name}: cut off, or to be scrolled, by so many pixels: {clipped[:5]}")


def check_articles(browser, base, failures):
    """The texts of all articles fit into a narrow window, and into the narrowest one that shows their tables as tables, and their
    code has colors, without JavaScript. Returns the number."""
    names = sorted(path.name for path in SITE.glob("guide/*.html"))
    failures.check(len(names) >= 50, f"the guide has {len(names)} pages, fewer than 50")
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    for name in names:
        page.goto(f"{base}/guide/{name}")
        for width in [390, 660]:
            page.set_viewport_size({"width": width, "height": 800})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            failures.check(wide <= 0, f"{name} {width}: {wide} pixels wider than the window")
            check_clipped(page, failures, f"{name} {width}")
    context.close()
    for scheme in ["light", "dark"]:
        context = browser.new_context(color_scheme=scheme, java_script_enabled=False)
        page = context.new_page()
        for path, language, word in [
            ("guide/transactions.html", "SQL", "CREATE"), ("guide/transactions.html", "Swift", "func"),
            ("guide/firstprogram.html", "the shell", "cd"), ("index.html", "Swift", "let"),
        ]:
            if page.goto(f"{base}/{path}").status != 200:
                failures.check(False, f"{path} does not exist")
                continue
            colors = page.evaluate(
                """word => [...document.querySelectorAll("pre span")].filter((one) => one.textContent === word)
                    .map((one) => [getComputedStyle(one).color, getComputedStyle(one.closest("pre")).color])""", word)
            failures.check(
                any(own != plain for own, plain in colors), f"{path} {scheme}: the words of {language} have no color of their own")
        context.close()
    return len(names)


def check_header(browser, base, failures):
    """The reference has the header of the site, in its colors, and keeps it when docc's script shows another page."""
    look = """() => {
        const header = document.querySelector("header.site-header");
        if (!header || header.getBoundingClientRect().top !== 0) return null;
        const of = (one) => [getComputedStyle(one).color, getComputedStyle(one).fontFamily, getComputedStyle(one).fontSize];
        return [getComputedStyle(header).backgroundColor, getComputedStyle(document.body).backgroundColor,
            ...[...header.querySelectorAll("a")].map((link) => [link.textContent, ...of(link)])];
    }"""
    for scheme in ["light", "dark"]:
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 800})
        page = context.new_page()
        page.goto(f"{base}/guide.html")
        expected = page.evaluate(look)
        page.goto(f"{base}/docs/documentation/rowan/")
        page.wait_for_selector("h1")
        found = page.evaluate(look)
        failures.check(found is not None, f"the reference has no header in {scheme}")
        failures.check(found == expected, f"the header of the reference in {scheme}: {found}, and not {expected}")
        if found is None:
            context.close()
            continue
        page.click("main a[href$='/documentation/rowan/databasequeue']")
        page.wait_for_function("document.querySelector('h1').textContent.includes('Queue')")
        for text, target in [("Guide", "/guide.html"), ("Search", "/search.html"), ("Reference", "/docs/documentation/rowan/")]:
            address = page.evaluate(
                "text => [...document.querySelectorAll('.site-header a')].find((one) => one.textContent === text)?.href", text)
            failures.check(address == base + target, f"the header of the reference: {text} leads to {address}")
        page.click(".site-header a:text('Guide')")
        page.wait_for_selector("h1:text('The guide')")
        context.close()


def check_search(page, base, failures):
    page.goto(f"{base}/index.html")
    page.fill("#query", "upsert")
    page.click("form button")
    page.wait_for_selector("#results li")
    failures.check("search.html?q=upsert" in page.url, f"the form of the landing page leads to {page.url}")

    def first(query, count=1):
        page.fill("#query", query)
        page.wait_for_timeout(50)
        return page.locator("#results li a").all_inner_texts()[:count]

    for query, expected in [
        ("upsert", "upsert"), ("DatabasePool", "DatabasePool"), ("soft deletion", "Soft deletion"), ("#sql", "sql"),
        ("@Record", "Record"), ("fetchCursor", "fetchCursor"), ("how do I import csv", "csv"),
        ("what is an upsert", "upsert"), ("how can I close a DatabasePool?", "DatabasePool"), ("where", "where"),
        ("window function xyzzy", "window"), ("csv importing xyzzy", "csv"), ("is", "is"),
    ]:
        found = first(query, 5)
        failures.check(any(expected.lower() in one.lower() for one in found), f"search for {query}: {found}")
    failures.check(first("xyzzy plugh") == [], "a search for nonsense finds something")
    failures.check("Nothing has" in page.inner_text("#count"), "a search without results says nothing")
    first("window xyzzy")
    failures.check("No page has all" in page.inner_text("#count"), "a search with some of the words does not say so")
    first("window")
    failures.check("No page" not in page.inner_text("#count"), "a search with results says that it has none")
    failures.check(first("<img src=x>") == [] or page.locator("#results img").count() == 0, "a query becomes HTML")
    # Without a server.
    page.goto(f"file://{SITE}/search.html?q=transactions")
    page.wait_for_selector("#results li")
    failures.check("ransaction" in page.inner_text("#results"), "the search of files finds nothing")


def check_questions(page, base, failures, sample):
    """One click on a question shows its answer."""
    page.goto(f"{base}/guide.html")
    count = page.locator(".questions a").count()
    failures.check(count >= 100, f"the guide has {count} questions, fewer than 100")
    for index in sorted({index * count // sample for index in range(sample)}):
        page.goto(f"{base}/guide.html")
        link = page.locator(".questions a").nth(index)
        question = link.inner_text()
        target = urlsplit(link.get_attribute("href")).fragment
        link.click()
        page.wait_for_selector("h1")
        if target:
            try:
                page.wait_for_function(
                    "id => { const e = document.getElementById(id); if (!e) return false;"
                    " const r = e.getBoundingClientRect(); return r.top >= -20 && r.top < innerHeight }",
                    arg=unquote(target), timeout=5000)
            except Exception:
                failures.check(False, f"{question} does not show its section {target}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the pages")
    parser.add_argument("--sample", type=int, default=12, help="the number of questions to click on")
    arguments = parser.parse_args()
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    failures = Failures()
    links, references = check_links(failures), check_references(failures)
    checked = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for scheme in ["light", "dark"]:
            for width in WIDTHS:
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
                for name in PAGES + ARTICLES + REFERENCE:
                    page = context.new_page()
                    # The middle width is that of phones: what fits is checked, and the rules at both ends.
                    rules = None if width == 390 else DOCC_RULES if name in REFERENCE else RULES
                    check_page(page, f"{base}/{name}", failures, rules, f"{name} {width} {scheme}")
                    if arguments.screenshots:
                        arguments.screenshots.mkdir(parents=True, exist_ok=True)
                        title = name.removeprefix("docs/documentation/").strip("/").replace("/", "-").removesuffix(".html")
                        page.screenshot(path=arguments.screenshots / f"{title}-{width}-{scheme}.png")
                    page.close()
                    checked += 1
                context.close()
        checked += check_articles(browser, base, failures)
        check_header(browser, base, failures)
        page = browser.new_page()
        check_search(page, base, failures)
        check_questions(page, base, failures, arguments.sample)
        browser.close()
    print(f"site: {links} links, {references} pages of the reference, {checked} pages in the browser, "
          f"{len(failures)} failures")
    raise SystemExit(bool(failures))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def copyfile(self, source, outputfile):
        try:
            super().copyfile(source, outputfile)
        except ConnectionError:
            pass  # The browser has left the page.


main()
