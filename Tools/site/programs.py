"""Programs and what is typed, in colours; and the names in running text that have a page of their own."""
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

from model import escape

# A name of two words or Apple's: `Log` in a text is rather a word than a type of that name.
TYPE = re.compile(r"CB[A-Z]\w*|[A-Z]\w*[a-z0-9][A-Z]\w*|BLE[A-Z]\w*")


def lexer(language, file=None):
    try:
        if file:
            return get_lexer_for_filename(file)
        return get_lexer_by_name(language) if language else TextLexer()
    except ClassNotFound:
        return TextLexer()


def colours(text, language="", file=None, marked=()):
    """The text as HTML, with a class for each kind of word; lines that are new in a step of a tutorial are marked."""
    made = lexer(language, file)
    made.stripnl, made.ensurenl = False, False
    return highlight(text, made, HtmlFormatter(nowrap=True, classprefix="h-", hl_lines=list(marked))).rstrip("\n")


def listing(text, language="", file=None, marked=(), name=""):
    """A program in a box. What is wider than the window scrolls inside it, by the keys too."""
    label = escape(name or "Program")
    return (f'<pre tabindex="0" role="region" aria-label="{label}"><code>'
            f"{colours(text, language, file, marked)}</code></pre>\n")


class Names:
    """Leads from a name between backticks to the page of the symbol: once for each page, or the text would be nothing but links."""

    def __init__(self, addresses):
        self.addresses = addresses

    def code(self, site, here, text, linked=True):
        written = f"<code>{escape(text)}</code>"
        address = self.addresses.get(text) if linked and ("." in text or TYPE.fullmatch(text)) else None
        if not address or address == here or text in site.linked[here]:
            return written
        site.linked[here].add(text)
        return f'<a href="{site.link(here, address)}">{written}</a>'
