"""The first page, and the index of all symbols."""
import collections

from model import Page, escape, relative, sentence


def first(groups, libraries, site, introduction):
    """The first page: what this is, the guides by groups, the libraries. `groups` as the layout has them."""
    parts = [f"<h1>swift-corebluetooth</h1>\n<p class=\"abstract\">{escape(introduction)}</p>\n<h2 id=\"guides\">Guides</h2>\n"]
    for title, pages in groups:
        parts.append(f"<h3>{escape(title)}</h3>\n<dl class=\"symbols\">{''.join(item(site, *page) for page in pages)}</dl>\n")
    parts.append('<h2 id="libraries">Libraries</h2>\n<dl class="symbols">' + "".join(item(site, *page) for page in libraries) + "</dl>\n")
    parts.append('<p><a href="symbols.html">All symbols</a>, from A to Z.</p>\n')
    return Page("index.html", "Documentation", "".join(parts), source="the first page")


def item(site, title, address):
    page = site.pages.get(address)
    text = sentence(page.summary) if page else ""
    return f'<dt><a href="{relative("index.html", address)}">{escape(title)}</a></dt><dd>{escape(text)}</dd>\n'


def symbols(documentation):
    """All symbols by their first letter; a member says whose it is."""
    letters = collections.defaultdict(list)
    for url, node, above in documentation.symbols():
        title = node["metadata"]["title"].split(".")[-1] if above else node["metadata"]["title"]
        initial = title[:1].upper()
        letters[initial if initial.isascii() and initial.isalpha() else "Signs"].append(
            (title.lower(), title, above[-1] if above else "", node["library"], url))
    order = sorted(letters, key=lambda letter: (letter == "Signs", letter))
    ways = "".join(f'<li><a href="#letter-{letter.lower()}">{letter}</a></li>' for letter in order)
    total = sum(map(len, letters.values()))
    parts = [f"<h1>Symbols</h1>\n<p>{total} symbols of {len(documentation.libraries)} libraries.</p>\n"
             f'<nav class="contents letters" aria-label="Letters"><ul>{ways}</ul></nav>\n']
    for letter in order:
        parts.append(f'<h2 id="letter-{letter.lower()}">{letter}</h2>\n<ul class="index">')
        for _, title, above, library, url in sorted(letters[letter]):
            place = f"{above}, {library}" if above else library
            parts.append(f'<li><a href="{relative("symbols.html", documentation.addresses[url])}"><code>{escape(title)}</code></a> '
                         f"<small>{escape(place)}</small></li>\n")
        parts.append("</ul>\n")
    return Page("symbols.html", "Symbols", "".join(parts), source="the index of symbols")
