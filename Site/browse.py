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
PAGES = ["index.html", "guide.html", "search.html", "benchmarks.html", "reliability.html"]
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
# What docc's own frame around an article does: its rules are not ours. Headings and contrast are checked there, too.
DOCC_RULES = {"runOnly": {"type": "rule", "values": ["heading-order", "page-has-heading-one", "color-contrast"]}}


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
    files = [SITE / page for page in PAGES]
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
    found = Axe().run(page, options=rules)
    for violation in found.response["violations"]:
        nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
        failures.check(False, f"{name}: {violation['id']}: {violation['help']}: {nodes}")


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
        ("@Record", "Record"), ("fetchCursor", "fetchCursor"),
    ]:
        found = first(query, 5)
        failures.check(any(expected.lower() in one.lower() for one in found), f"search for {query}: {found}")
    failures.check(first("xyzzy plugh") == [], "a search for nonsense finds something")
    failures.check("Nothing has" in page.inner_text("#count"), "a search without results says nothing")
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
    articles = ["docs/documentation/rowan/", "docs/documentation/rowan/transactions/",
                "docs/documentation/rowan/databasequeue/"]
    checked = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for scheme in ["light", "dark"]:
            for width in [320, 1280]:
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
                for name in PAGES + articles:
                    page = context.new_page()
                    rules = RULES if name in PAGES else DOCC_RULES
                    check_page(page, f"{base}/{name}", failures, rules, f"{name} {width} {scheme}")
                    if arguments.screenshots:
                        arguments.screenshots.mkdir(parents=True, exist_ok=True)
                        title = name.removeprefix("docs/documentation/").strip("/").replace("/", "-")
                        page.screenshot(path=arguments.screenshots / f"{title}-{width}-{scheme}.png")
                    page.close()
                    checked += 1
                context.close()
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


main()
