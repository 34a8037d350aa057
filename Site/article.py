"""The articles as HTML, from what docc has written about them."""
import re
from html import escape

import highlight


class Renderer:
    """Renders the content of one article."""

    def __init__(self, references, pages):
        """pages: the addresses of articles, by the address of docc's page."""
        self.references, self.pages = references, pages
        # How many levels headings rise, because the one above them is left out.
        self.rise = 0

    def inline(self, content):
        return "".join(map(self.one_inline, content))

    def one_inline(self, node):
        match node["type"]:
            case "text":
                return escape(node["text"], quote=False)
            case "codeVoice":
                return f"<code>{breakable(node['code'])}</code>"
            case "reference":
                return self.link(node)
            case "emphasis":
                return f"<em>{self.inline(node['inlineContent'])}</em>"
            case "strong":
                return f"<strong>{self.inline(node['inlineContent'])}</strong>"
        raise ValueError(f"the site does not render inline content of the type {node['type']}")

    def link(self, node):
        target = self.references.get(node["identifier"])
        if target is None:
            raise ValueError(f"there is no reference {node['identifier']}")
        if content := node.get("overridingTitleInlineContent") or target.get("titleInlineContent"):
            text = self.inline(content)
        elif target.get("kind") == "symbol":
            text = f"<code>{breakable(target['title'])}</code>"
        else:
            text = escape(target["title"], quote=False)
        return f'<a href="{escape(self.address(target["url"]))}">{text}</a>'

    def address(self, url):
        """The address of a link, as seen from an article."""
        if not url.startswith("/documentation/"):
            return url
        path, _, fragment = url.partition("#")
        page = self.pages.get(path)
        address = page.rsplit("/", 1)[-1] if page else f"../docs{path}/"
        return address + (f"#{fragment}" if fragment else "")

    def article(self, content):
        """The content of an article, without a heading that says nothing."""
        if content[0].get("text") == "Overview":
            self.rise = 1
            content = content[1:]
        return self.blocks(content)

    def blocks(self, content):
        return "\n".join(map(self.block, content))

    def block(self, node):
        match node["type"]:
            case "paragraph":
                return f"<p>{self.inline(node['inlineContent'])}</p>"
            case "heading":
                if node["level"] == 2:
                    self.rise = 0
                level = node["level"] - self.rise
                return f'<h{level} id="{escape(node["anchor"])}">{escape(node["text"], quote=False)}</h{level}>'
            case "codeListing":
                return highlight.code("\n".join(node["code"]), node.get("syntax"))
            case "unorderedList" | "orderedList":
                tag = "ul" if node["type"] == "unorderedList" else "ol"
                items = "".join(f"<li>{self.item(item['content'])}</li>" for item in node["items"])
                return f"<{tag}>{items}</{tag}>"
            case "table":
                return self.table(node["rows"])
        raise ValueError(f"the site does not render blocks of the type {node['type']}")

    def item(self, content):
        """The content of an item or of a cell: a single paragraph needs no element."""
        if len(content) == 1 and content[0]["type"] == "paragraph":
            return self.inline(content[0]["inlineContent"])
        return self.blocks(content)

    def table(self, rows):
        return stacked([self.item(cell) for cell in rows[0]], [[self.item(cell) for cell in row] for row in rows[1:]])


def stacked(titles, rows):
    """A table whose rows become lists in a narrow window. Their cells then show the titles of their columns. The roles keep it
    a table for those who hear it."""
    labels = [re.sub(r"<[^>]+>", "", title) for title in titles]
    head = "".join(
        f'<th role="columnheader" scope="col">{title}</th>' if title else '<td role="cell"></td>' for title in titles)
    body = "".join(
        '<tr role="row">'
        + "".join(f'<td role="cell" data-title="{label}">{cell}</td>' for label, cell in zip(labels, row)) + "</tr>"
        for row in rows)
    return (f'<table class="stacked" role="table"><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
            f'<tbody role="rowgroup">{body}</tbody></table>')


def breakable(text):
    """Long names may be divided where their words begin."""
    text = escape(text, quote=False)
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[_.(:])(?=\w)", "<wbr>", text) if len(text) > 16 else text


def contents(sections):
    """The list of the sections."""
    items = "".join(f'<li><a href="#{escape(anchor)}">{escape(title)}</a></li>' for title, anchor, _ in sections
                    if title not in ("Overview", "See also", "Where next"))
    if not items:
        return ""
    return f'<details class="contents"><summary>In this article</summary><ul>{items}</ul></details>'
