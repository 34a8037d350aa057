"""The pages of the site besides the reference."""
import json
import re
import subprocess
from html import escape
from pathlib import Path
from string import Template

import article as html
import catalogue
import highlight

FOLDER = Path(__file__).resolve().parent


def write(root: Path, output: Path):
    """Writes all pages. Returns what is wrong."""
    docs = output / "docs"
    articles, symbols = catalogue.read(docs)
    parts = catalogue.parts(docs, articles)
    questions, problems = read_questions(articles)
    readme = (root / "README.md").read_text(encoding="utf-8")
    measured = json.loads((root / "Benchmarks" / "measured.json").read_text())
    chart = (root / "Benchmarks" / "chart.svg").read_text(encoding="utf-8")
    version = subprocess.run(
        ["git", "describe", "--tags", "--always"], cwd=root, capture_output=True, text=True).stdout.strip() or "unknown"

    def page(name, title, description, path=None, **values):
        path = path or f"{name}.html"
        top = "../" * path.count("/")
        (output / path).parent.mkdir(exist_ok=True)
        (output / path).write_text(
            template("page").substitute(
                title=escape(title, quote=False), description=escape(description), top=top,
                header=template("header").substitute(top=top).strip(), content=template(name).substitute(values),
                version=version),
            encoding="utf-8")

    lead = " ".join(readme.split("\n\n")[1].split())
    blocks = re.findall(r"```swift\n(.*?)```", readme, re.S)
    page(
        "index", "Rowan, a SQLite toolkit for Swift", re.split(r"(?<=\.) ", lead)[0],
        lead=inline(lead), program=highlight.code(blocks[0], "swift"), chart=chart, workloads=workloads(chart),
        features=features(readme, articles),
        dependency=highlight.code(next(block for block in blocks if "swift-tools-version" in block), "swift"))
    page(
        "guide", "The guide of Rowan", "The articles of Rowan, and the questions that they answer.",
        parts="\n".join(f'<li><a href="#{anchor}">{escape(title)}</a></li>' for title, anchor, _ in parts),
        articles=guide(parts, articles, questions))
    write_articles(page, parts, articles)
    commands = read_commands(root)
    page(
        "tool", "The program rowan", "A command-line tool for SQLite databases: its commands.",
        commands="\n".join(f'<dt><a href="tool/{name}.html"><code>{name}</code></a></dt><dd>{escape(lead, quote=False)}</dd>'
                           for name, (lead, _) in commands.items()))
    for name, (lead, text) in commands.items():
        page("command", f"rowan {name}", lead, path=f"tool/{name}.html", command=name, lead=escape(lead, quote=False),
             help=escape(text, quote=False))
    page("search", "Search in the documentation of Rowan", "A search in the guide and the reference of Rowan.")
    page(
        "benchmarks", "Benchmarks of Rowan", "Workloads with Rowan, GRDB and the C API of SQLite.",
        chart=chart, workloads=workloads(chart), rows=benchmarks(root), **measured)
    reliability = json.loads((FOLDER / "reliability.json").read_text())
    page(
        "reliability", "Reliability of Rowan", "Kills, faults and other tests that Rowan has passed, with figures.",
        table=reliability_table(reliability["parts"]), command=highlight.code(reliability["command"], "sh"),
        **{key: value for key, value in reliability.items() if key not in ("parts", "command")})
    for name in ["header.css", "style.css", "reference.css", "search.js"]:
        (output / name).write_bytes((FOLDER / name).read_bytes())
    add_headers(docs)
    write_search(output, articles, symbols)
    return problems + write_texts(root, output, parts, articles, commands)


def read_commands(root):
    """The commands of the program: what each does in a sentence, and its help."""
    commands = {}
    for path in sorted((root / "Satellites" / "Tool" / "Help").glob("*.txt")):
        overview, _, text = path.read_text(encoding="utf-8").partition("\n\n")
        commands[path.stem] = (" ".join(overview.removeprefix("OVERVIEW: ").split()), text.strip())
    assert commands, "the program has no commands: run Satellites/Tool/Help/write"
    return commands


def template(name):
    return Template((FOLDER / f"{name}.html").read_text(encoding="utf-8"))


def write_articles(page, parts, articles):
    """A page for each article, which needs no JavaScript. The pages of the reference link docc's own page of it."""
    pages = {f"/documentation/rowan/{name}": one.address for name, one in articles.items()}
    listed = [(title, anchor, name) for title, anchor, names in parts for name in names]
    for index, (part, anchor, name) in enumerate(listed):
        one = articles[name]
        renderer = html.Renderer(one.data["references"], pages)
        blocks = [block for section in one.data["primaryContentSections"] if section["kind"] == "content"
                  for block in section["content"]]
        neighbours = [
            f'<a rel="{relation}" href="{Path(articles[listed[other][2]].address).name}">{arrow(relation)} '
            f'{escape(articles[listed[other][2]].title, quote=False)}</a>'
            for relation, other in [("prev", index - 1), ("next", index + 1)] if 0 <= other < len(listed)]
        page(
            "article", f"{one.title} - Rowan", one.summary, path=one.address, part=escape(part), anchor=anchor, heading=escape(one.title, quote=False),
            lead=renderer.inline(one.data.get("abstract", [])), contents=html.contents(one.sections),
            content=renderer.article(blocks), neighbours="\n".join(neighbours))


def arrow(relation):
    return "Before:" if relation == "prev" else "Next:"


def add_headers(docs):
    """Gives the pages of the reference the header of the site. docc's script leaves alone what is outside of its element."""
    pages = sorted(docs.rglob("index.html"))
    base = re.search(r'var baseUrl = "(.*?)docs/"', pages[0].read_text(encoding="utf-8"))[1]
    header = template("header").substitute(top=base).strip()
    links = f'<link href="{base}header.css" rel="stylesheet"><link href="{base}reference.css" rel="stylesheet">'
    for path in pages:
        text = path.read_text(encoding="utf-8")
        if "site-header" not in text:
            text = text.replace("</head>", f"{links}</head>", 1)
            path.write_text(re.sub(r"<body[^>]*>", lambda body: body[0] + header, text, count=1), encoding="utf-8")


def workloads(chart):
    """The numbers of the chart as a table, for narrow windows."""
    description = re.search(r"<desc[^>]*>(.*?)</desc>", chart)[1]
    rows = [re.fullmatch(r"(.*): Rowan (.*), GRDB (.*)", row).groups() for row in description.split("; ")]
    return "\n".join(
        f'<tr><td>{name}</td><td class="number">{rowan}</td><td class="number">{grdb}</td></tr>'
        for name, rowan, grdb in rows)


def inline(text):
    """The inline Markdown of the README: code, bold text and links."""
    text = escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def address(article, heading=None):
    return article.address + (f"#{heading}" if heading else "")


def features(readme, articles):
    """The table "What is there"."""
    table = readme.split("## What is there")[1].split("## ")[0]
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", table, re.M)
    assert rows, "the README has no table of features"

    def linked(match):
        return articles[Path(match[1]).stem.lower()].address

    return "\n".join(
        f"<dt>{escape(name)}</dt><dd>{inline(re.sub(r'(?<=[(])([^()]+[.]md)(?=[)])', linked, text))}</dd>"
        for name, text in rows)


def read_questions(articles):
    """The questions, by article: (question, anchor). Each line of the file: question | article | section."""
    questions, problems = {}, []
    lines = (FOLDER / "questions.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        question, article, *heading = [part.strip() for part in line.split("|")]
        page = articles.get(article.lower())
        anchor = None
        if page is None:
            problems.append(f"questions.txt:{number}: there is no article {article}")
            continue
        if heading:
            anchor = next((anchor for title, anchor, _ in page.sections if title == heading[0]), None)
            if anchor is None:
                titles = ", ".join(title for title, _, _ in page.sections)
                problems.append(
                    f"questions.txt:{number}: {article} has no section '{heading[0]}', but {titles}")
        questions.setdefault(article.lower(), []).append((question, anchor))
    return questions, problems


def guide(parts, articles, questions):
    result = []
    for title, anchor, names in parts:
        result.append(f'<h2 id="{anchor}">{escape(title)}</h2>')
        for name in names:
            article = articles[name]
            result.append(f'<h3><a href="{address(article)}">{escape(article.title)}</a></h3>')
            result.append(f'<p class="summary">{escape(article.summary)}</p>')
            if name in questions:
                result.append('<ul class="questions">')
                result += [
                    f'<li><a href="{address(article, anchor)}">{escape(question)}</a></li>'
                    for question, anchor in questions[name]
                ]
                result.append("</ul>")
    return "\n".join(result)


def benchmarks(root):
    rows = json.loads((root / "Benchmarks" / "results.json").read_text())
    by_workload = {}
    for row in rows:
        by_workload.setdefault(row["workload"], {})[row["library"]] = row

    def cell(row, key, digits):
        value = row.get(key) if row else None
        return f'<td class="number">{"" if value is None else format(value, f",.{digits}f")}</td>'

    return "\n".join(
        f"<tr><td><code>{escape(workload)}</code></td>{cell(row.get('c'), 'nsPerRow', 0)}"
        f"{cell(row.get('rowan'), 'ratioToC', 2)}{cell(row.get('grdb'), 'ratioToC', 2)}</tr>"
        for workload, row in by_workload.items() if "c" in row)


def reliability_table(parts):
    def row(part):
        counted = re.sub(r"\d{4,}", lambda number: f"{int(number[0]):,}", part["counted"])
        return [f"<code>{escape(part['name'])}</code>", escape(part["summary"]), escape(counted),
                f"<code>{part['seed']}</code>"]

    return html.stacked(["Part", "What it does", "Counted", "Seed"], list(map(row, parts)))


def write_search(output, articles, symbols):
    """The list that the search reads: titles, addresses, kinds, summaries and words."""
    entries = []
    for article in articles.values():
        entries.append([article.title, article.address, "Article", article.summary, words(article.text)])
        for title, anchor, text in article.sections:
            if title not in ("Overview", "See also", "Where next"):
                entries.append([title, address(article, anchor), "Section", article.title, words(text)])
    seen = set()
    for symbol in symbols:
        # Overloads differ in their address alone.
        key = (symbol.title, symbol.kind, symbol.summary)
        if key not in seen:
            seen.add(key)
            entries.append([symbol.title, symbol.address, symbol.kind, symbol.summary, ""])
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    (output / "search-index.js").write_text(f"window.searchIndex={text};\n", encoding="utf-8")


def words(text):
    """Each word once: the search only asks whether a text has it."""
    return " ".join(dict.fromkeys(re.findall(r"[\w#@]{2,}", text.lower())))


def write_texts(root, output, parts, articles, commands):
    """The articles as Markdown, and the list of them for programs that read texts: https://llmstxt.org. Returns the articles
    that no topic lists."""
    sources = {path.stem.lower(): path for path in (root / "Sources" / "Rowan" / "Rowan.docc").glob("**/*.md")}
    (output / "guide").mkdir(exist_ok=True)
    lines = ["# Rowan", "", "> A SQLite toolkit for Swift: records, requests, raw SQL, migrations, full-text search and live "
             "observation, by the documented API of GRDB.swift 7 and beyond it.", ""]
    listed = set()
    for title, _, names in parts:
        lines += [f"## {title}", ""]
        for name in names:
            listed.add(name)
            source = sources[name]
            # What is hidden in comments is set-up of the tests.
            text = re.sub(r"<!--.*?-->\n?", "", source.read_text(encoding="utf-8"), flags=re.S)
            (output / "guide" / source.name).write_text(text, encoding="utf-8")
            lines.append(f"- [{articles[name].title}](guide/{source.name}): {articles[name].summary}")
        lines.append("")
    lines += ["## The program rowan", ""]
    for name, (lead, text) in commands.items():
        (output / "tool" / f"{name}.txt").write_text(f"{lead}\n\n{text}\n", encoding="utf-8")
        lines.append(f"- [rowan {name}](tool/{name}.txt): {lead}")
    lines.append("")
    (output / "llms.txt").write_text("\n".join(lines), encoding="utf-8")
    return [f"the article {name} is in no topic of Rowan.md" for name in sorted(articles.keys() - listed)]
