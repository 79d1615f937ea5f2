"""Looks through a built site: each link leads to a page, and to a place in it, that are there; nothing is loaded from elsewhere, nothing runs.

Links out of the site are not followed. This reads the pages as a browser does, and knows nothing of how they were made.
"""
import html.parser
import posixpath
import re
import urllib.parse

LOADS = {("img", "src"), ("link", "href"), ("source", "src"), ("image", "href")}
FORBIDDEN = {"script", "iframe", "object", "embed", "form", "base", "style", "audio", "video"}


class Reader(html.parser.HTMLParser):
    """The links and the places of one page."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.mistakes = set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        line = self.getpos()[0]
        if tag in FORBIDDEN:
            self.mistakes.append((line, f"<{tag}> is not for this site"))
        for name, value in attributes:
            if name == "id":
                if value in self.places:
                    self.mistakes.append((line, f"the place '{value}' is there twice"))
                self.places.add(value)
            elif name in ("href", "src"):
                self.links.append((line, value or "", (tag, name) in LOADS))
            elif name.startswith("on") or name in ("style", "srcset"):
                self.mistakes.append((line, f"the attribute '{name}' is not for this site"))


def check(folder, places):
    """All mistakes, each with its place: the line in the sources where it is known, else the line of the page. And how many links were followed."""
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    pages = {name: Reader((folder / name).read_text()) for name in sorted(files) if name.endswith(".html")}
    mistakes, count = [], 0
    for name, page in pages.items():
        mistakes += [f"{name}:{line}: {text}" for line, text in page.mistakes]
        for line, link, loads in page.links:
            count += 1
            wrong = mistake(name, link, loads, files, pages)
            if wrong:
                mistakes.append(f"{places.get((name, link), f'{name}:{line}')}: {wrong}")
    for name in sorted(one for one in files if one.endswith((".css", ".svg"))):
        text = (folder / name).read_text()
        if re.search(r"@import|url\(|<script|href=", text):
            mistakes.append(f"{name}: it loads something")
    return mistakes, count


def mistake(name, link, loads, files, pages):
    parts = urllib.parse.urlsplit(link)
    if parts.scheme:
        if parts.scheme in ("http", "https", "mailto") and not loads:
            return None
        return f"'{link}' is no link within the folder"
    if parts.netloc or parts.query or parts.path.startswith("/"):
        return f"'{link}' leads out of the folder"
    path = urllib.parse.unquote(parts.path)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if target not in files:
        return f"'{link}' leads to nothing"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and (target not in pages or anchor not in pages[target].places):
        return f"there is no place '{anchor}' in the page that '{link}' leads to"
    return None
