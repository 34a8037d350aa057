"""What docc has written about the articles and the symbols: their titles, summaries, sections and texts."""
import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Page:
    title: str
    address: str
    kind: str
    summary: str
    # (heading, anchor, the text of the section)
    sections: list = field(default_factory=list)
    text: str = ""
    # What docc has written about an article, for the page of the article.
    data: dict = field(default_factory=dict)


def plain(content):
    """The text of inline or block content."""
    if isinstance(content, list):
        return " ".join(filter(None, map(plain, content)))
    if not isinstance(content, dict):
        return ""
    if content.get("type") in ("text", "codeVoice"):
        return content.get("text") or content.get("code", "")
    if content.get("type") == "reference":
        return content["identifier"].rsplit("/", 1)[-1]
    if content.get("type") == "table":
        return plain([cell for row in content["rows"] for cell in row])
    return plain([value for value in content.values() if isinstance(value, (list, dict))])


def page(data, address):
    metadata = data["metadata"]
    result = Page(
        title=metadata["title"], address=address, kind=metadata.get("roleHeading", ""),
        summary=" ".join(plain(data.get("abstract", [])).split()).replace(" .", ".").replace(" ,", ","))
    for section in data.get("primaryContentSections", []):
        if section["kind"] != "content":
            continue
        for block in section["content"]:
            if block.get("type") == "heading":
                result.sections.append([block["text"], block["anchor"], ""])
            elif result.sections:
                result.sections[-1][2] += " " + plain(block)
            else:
                result.text += " " + plain(block)
    return result


def read(docs: Path):
    """All pages: the articles, by the name of their files in lower case, and the symbols."""
    data = docs / "data" / "documentation"
    articles, symbols = {}, []
    for path in sorted(data.glob("**/*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        # Without `index.html`, which docc's pages take for a name of theirs.
        address = f"docs/documentation/{path.relative_to(data).with_suffix('')}/"
        one = page(content, address)
        # A member that a type has from a protocol stands on the page of the protocol too.
        if "::SYNTHESIZED::" in content["metadata"].get("externalID", ""):
            continue
        if content["kind"] == "article":
            # docc also lists the members of a type that come from a protocol, as an article.
            if content["metadata"].get("role") == "article":
                one.address, one.data = f"guide/{path.stem}.html", content
                articles[path.stem] = one
        elif content["metadata"].get("symbolKind") != "module":
            symbols.append(one)
    return articles, symbols


def parts(docs: Path, articles):
    """The topics of the front page of the documentation that have articles: their titles, and the articles."""
    front = json.loads((docs / "data" / "documentation" / "rowan.json").read_text(encoding="utf-8"))
    result = []
    for section in front["topicSections"]:
        names = [identifier.rsplit("/", 1)[-1].lower() for identifier in section["identifiers"]]
        found = [name for name in names if name in articles]
        if found:
            result.append((section["title"].removeprefix("Guide: ").capitalize(), section["anchor"], found))
    return result
