"""Files of the repository as pages: where a link between them leads, and what becomes a page because a link leads there."""
import pathlib
import posixpath
import re
import urllib.parse

from programs import listing
from model import Mistake, Page, escape, relative

# A folder with more in it is not meant: a link to its README is.
MOST = 60


class Repository:
    """The files under one folder. Each that a page links to becomes a page too: what the site shows, it has."""

    def __init__(self, root, site, documentation):
        self.root, self.site, self.documentation = root.resolve(), site, documentation
        self.waiting = []
        self.known = {}

    def address(self, name, place):
        """The page of a file or folder, by its path in the repository. What has none yet is made later."""
        path = self.root / name
        if not path.exists() or not path.resolve().is_relative_to(self.root) or name.startswith(".build"):
            raise Mistake(f"{place}: '{name}' is not there")
        # One page may have two names, such as an article that a catalogue takes from Docs.
        path = path.resolve()
        if path.is_dir() and (path / "README.md").exists():
            path /= "README.md"
        if path not in self.known:
            self.known[path] = self.new(path)
        return self.known[path]

    def new(self, path):
        name = path.relative_to(self.root)
        if any(part.endswith(".docc") for part in name.parts) and path.suffix in (".md", ".tutorial"):
            return self.documentation.addresses[self.documentation.article(name)]
        address = "/".join(re.sub(r"[^a-z0-9_.-]+", "-", part.lower()) for part in name.parts)
        if path.suffix == ".md":
            address = address.removesuffix(".md") + ".html"
        elif path.is_dir():
            address = f"files/{address}/index.html"
        elif is_text(path):
            address = f"files/{address}.html"
        else:
            address = f"files/{address}"
            self.site.copy(address, path)
            return address
        self.waiting.append((path, address))
        return address

    def borrowed(self):
        """The addresses in DocC of articles that a catalogue takes from Docs by a link: they are the guide's page, not one of their own."""
        found = set()
        for file in self.root.glob("Sources/*/*.docc/**/*.md"):
            url = self.documentation.article(file.relative_to(self.root))
            if file.is_symlink() and url in self.documentation.addresses:
                self.documentation.addresses[url] = self.address(file.relative_to(self.root).as_posix(), file.name)
                found.add(url)
        return found

    def target(self, here, source, written, place):
        """Where a link that stands in a file leads: what to write into the page at `here`, or None for a link out of the site."""
        parts = urllib.parse.urlsplit(written)
        if parts.scheme:
            if parts.scheme not in ("http", "https", "mailto"):
                raise Mistake(f"{place}: a link with '{parts.scheme}:' is not for a page")
            return None
        if parts.netloc or parts.query or parts.path.startswith("/"):
            raise Mistake(f"{place}: '{written}' leads out of the folder")
        anchor = urllib.parse.unquote(parts.fragment)
        if not parts.path:
            return self.site.link(here, here, anchor, place)
        name = posixpath.normpath(posixpath.join(posixpath.dirname(source), urllib.parse.unquote(parts.path)))
        return self.site.link(here, self.address(name, place), anchor, place)

    def page(self, path, address):
        """A file that is not Markdown, or a folder, as a page."""
        name = path.relative_to(self.root).as_posix()
        title = f"<h1><code>{escape(name)}</code></h1>\n"
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
            if len(files) > MOST:
                raise Mistake(f"{name}: a page links to this folder of {len(files)} files, which has no README.md")
            items = "".join(f'<li><a href="{relative(address, self.address(file.relative_to(self.root).as_posix(), name))}">'
                            f"<code>{escape(file.relative_to(path).as_posix())}</code></a></li>\n" for file in files)
            return Page(address, name, f'<p class="kind">Folder</p>\n{title}<ul class="plain">{items}</ul>\n', source=name)
        return Page(address, name, f'<p class="kind">File</p>\n{title}{listing(path.read_text(), file=path.name, name=name)}', source=name)


def is_text(path: pathlib.Path):
    try:
        path.read_text()
    except UnicodeDecodeError:
        return False
    return path.suffix not in (".svg", ".png")
