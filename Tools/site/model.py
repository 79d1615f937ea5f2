"""What a site consists of: pages with addresses, links between them, and the mistakes that were found on the way."""
import collections
import dataclasses
import html
import posixpath
import urllib.parse

escape = html.escape


class Mistake(Exception):
    """Something that the site cannot be built with; the text names the place."""


@dataclasses.dataclass
class Page:
    """One page. Its address is its path in the site's folder; its body is HTML; the path are the pages above it, as (title, address)."""
    address: str
    title: str
    body: str
    path: list = dataclasses.field(default_factory=list)
    summary: str = ""
    library: str = ""
    source: str = ""


class Site:
    """All pages, by address, and where in the sources a link stands, which the check of the links then names."""

    def __init__(self):
        self.pages = {}
        self.files = {}
        self.places = {}
        self.mistakes = []
        self.linked = collections.defaultdict(set)

    def add(self, page):
        if page.address in self.pages:
            raise Mistake(f"{page.source or page.address}: there is a page at {page.address} already")
        self.pages[page.address] = page

    def copy(self, address, file):
        """A file that becomes a part of the site as it is."""
        self.files[address] = file

    def link(self, here, to, anchor="", place=""):
        """What a page at `here` has to write to lead to another: relative, since the site is opened from a folder."""
        written = relative(here, to) if to != here or not anchor else ""
        if anchor:
            written += "#" + urllib.parse.quote(anchor, safe="-_.~:()")
        if place:
            self.places.setdefault((here, written), place)
        return written


def relative(here, to):
    return urllib.parse.quote(posixpath.relpath(to, posixpath.dirname(here) or "."), safe="/-_.~")


def sentence(text, limit=160):
    """The first sentence of a text, for lists of pages."""
    text = " ".join(text.split())
    end = min((at for mark in (". ", ": ", "; ") if (at := text.find(mark)) > 0), default=len(text.rstrip(".:")))
    if end <= limit:
        return text[:end]
    return text[:text.rfind(" ", 0, limit)] + " …"
