"""What all pages have in common: the head, the way through the site, and the style."""
from model import escape, relative

NAME = "swift-corebluetooth"

# Nothing runs, and nothing is loaded from anywhere but the folder; 'self' is for a site that a server delivers.
POLICY = "default-src 'none'; style-src 'self' file:; img-src 'self' file:; base-uri 'none'; form-action 'none'"


class Layout:
    """Puts bodies into pages. `groups` are the pages of the way through the site: (title, [(title, address)])."""

    def __init__(self, groups):
        self.groups = groups

    def html(self, page):
        here = page.address
        title = escape(" · ".join(dict.fromkeys(filter(None, [page.title, page.library, NAME]))))
        return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
                f'<title>{title}</title>\n<link rel="stylesheet" href="{relative(here, "site.css")}">\n</head>\n<body>\n'
                f'<a class="skip" href="#content">Skip to the text</a>\n{self.top(here)}'
                f'<main id="content" tabindex="-1">\n{self.path(page)}<article>\n{page.body}</article>\n</main>\n{self.ways(here)}</body>\n</html>\n')

    def top(self, here):
        index = relative(here, "index.html")
        items = [("Guides", index + "#guides"), ("Libraries", index + "#libraries"), ("Symbols", relative(here, "symbols.html"))]
        links = "".join(f'<li><a href="{link}">{title}</a></li>' for title, link in items)
        return (f'<header>\n<a class="home" href="{index}">{NAME}</a>\n<nav aria-label="Parts"><ul>{links}'
                f'<li class="narrow"><a href="#pages">All pages</a></li></ul></nav>\n</header>\n')

    def path(self, page):
        if not page.path:
            return ""
        items = "".join(f'<li><a href="{relative(page.address, address)}">{escape(title)}</a></li>' for title, address in page.path)
        return f'<nav class="path" aria-label="Above this page"><ol>{items}<li aria-current="page">{escape(page.title)}</li></ol></nav>\n'

    def ways(self, here):
        made = []
        for title, pages in self.groups:
            items = "".join(self.way(here, name, address) for name, address in pages)
            made.append(f"<h2>{escape(title)}</h2>\n<ul>{items}</ul>\n")
        return f'<nav id="pages" aria-label="All pages" tabindex="-1">\n{"".join(made)}</nav>\n'

    def way(self, here, title, address):
        current = ' aria-current="page"' if here == address else ""
        return f'<li><a href="{relative(here, address)}"{current}>{escape(title)}</a></li>'
