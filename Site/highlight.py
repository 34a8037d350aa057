"""Code as HTML, with colors: a class for each kind of word."""
import re
from html import escape

from pygments import lex
from pygments.lexer import inherit
from pygments.lexers import get_lexer_by_name
from pygments.lexers.objective import SwiftLexer
from pygments.token import Comment, Keyword, Name, Number, String


class Swift(SwiftLexer):
    """Swift with raw strings, texts of several lines, attributes, macros and key paths."""

    tokens = {
        "root": [
            (r'(#+)"""[\s\S]*?"""\1', String),
            (r'(#+)".*?"\1', String),
            (r'"""[\s\S]*?"""', String),
            (r"[@#][A-Za-z_]\w*", Name.Decorator),
            (r"\\(?=[.\w])", Name),
            inherit,
        ]
    }


# The classes, each with its kinds of words. The first match counts. A quoted name of SQL is a name.
CLASSES = [
    ("", String.Symbol), ("c", Comment), ("k", Keyword), ("s", String), ("n", Number), ("t", Name.Class),
    ("t", Name.Decorator), ("", Name.Builtin.Pseudo), ("t", Name.Builtin),
]
# What is shown as it is: output, and code of an unknown language.
PLAIN = (None, "", "text")


def code(text, syntax):
    """A block of code. Each line is an element, so that a long one is wrapped with an indentation."""
    text = text.strip("\n")
    if syntax in PLAIN:
        html = escape(text, quote=False)
    else:
        options = {"stripnl": False, "ensurenl": False}
        lexer = Swift(**options) if syntax == "swift" else get_lexer_by_name(syntax, **options)
        html = "".join(word(kind, value, syntax) for kind, value in lex(text, lexer))
        if syntax == "sh":
            # A browser would divide an option after its hyphens.
            html = re.sub(r"(?<!\S)(--[\w-]+)", r'<span class="option">\1</span>', html)
    lines = "".join(f'<span class="line">{line}\n</span>' for line in html.split("\n"))
    return f"<pre><code>{lines}</code></pre>"


def word(kind, value, syntax):
    name = next((name for name, parent in CLASSES if kind in parent), "")
    # The lexer does not know which names are types: Swift's begin with a capital.
    if syntax == "swift" and kind in Name and value[:1].isupper():
        name = "t"
    if not name:
        return escape(value, quote=False)
    # An element ends in the line in which it begins.
    parts = [f'<span class="t-{name}">{escape(part, quote=False)}</span>' if part else "" for part in value.split("\n")]
    return "\n".join(parts)
