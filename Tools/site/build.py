#!/usr/bin/env python3
"""Makes one site of the documentation: the archives that Tools/docs has built, the guides in Markdown, and the files that they link to.

The site is a folder of pages that opens without a server and needs no program in the browser. It is replaced as a whole, and only if
every link in it leads somewhere; else each that does not is printed with its place.
"""
import argparse
import json
import pathlib
import shutil
import sys

from programs import Names
from documentation import Documentation
from guides import Guides
from layout import Layout
from links import check
from model import Mistake, Site
from overview import first, symbols
from repository import Repository
from symbols import NodePage

HERE = pathlib.Path(__file__).resolve().parent


def build(root, archives, contents, folder):
    """Writes the site into a folder; returns what is wrong with it, and its size in words."""
    site, documentation = Site(), Documentation(archives)
    repository = Repository(root, site, documentation)
    names = Names(documentation.names())
    guides = Guides(site, repository, names)

    listed, shorter = [], {}
    for title, pages in contents:
        listed.append((title, []))
        for entry in pages:
            name, *short = [entry] if isinstance(entry, str) else entry
            address = repository.address(name, "the list of contents")
            listed[-1][1].append(address)
            shorter.update((address, one) for one in short)
    named = {address for _, addresses in listed for address in addresses}
    more = [repository.address(f"Docs/{file.name}", "Docs") for file in sorted((root / "Docs").glob("*.md"))]
    listed.append(("More", [address for address in more if address not in named]))

    borrowed = repository.borrowed()
    for url, node in documentation.nodes.items():
        if url not in borrowed:
            site.add(NodePage(site, documentation, names, node).page())
    while repository.waiting:
        path, address = repository.waiting.pop(0)
        site.add((guides if path.suffix == ".md" else repository).page(path, address))

    groups = [(title, [(shorter.get(address, site.pages[address].title), address) for address in addresses]) for title, addresses in listed if addresses]
    libraries = [(library, documentation.addresses[documentation.module(library)]) for library in documentation.libraries]
    introduction = site.pages[repository.address("README.md", "the list of contents")].summary
    site.add(first(groups, libraries, site, introduction))
    site.add(symbols(documentation))
    layout = Layout([("Libraries", libraries), *groups])
    for page in site.pages.values():
        write(folder / page.address, layout.html(page).encode())
    for address, file in site.files.items():
        write(folder / address, file.read_bytes())
    write(folder / "site.css", (HERE / "site.css").read_bytes())
    wrong, count = check(folder, site.places)
    return site.mistakes + wrong, f"{len(site.pages)} pages, {count} links"


def write(file, data):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--root", type=pathlib.Path, default=HERE.parent.parent)
    options.add_argument("--archives", type=pathlib.Path, help="the folder that Tools/docs writes (.build/documentation)")
    options.add_argument("--contents", type=pathlib.Path, default=HERE / "contents.json", help="the guides by groups")
    options.add_argument("--output", type=pathlib.Path, help="the folder to write (.build/site)")
    given = options.parse_args()
    output = given.output or given.root / ".build/site"
    fresh = output.with_name(output.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        mistakes, size = build(given.root, given.archives or given.root / ".build/documentation", json.loads(given.contents.read_text()), fresh)
    except Mistake as mistake:
        mistakes, size = [str(mistake)], ""
    if mistakes:
        shutil.rmtree(fresh, ignore_errors=True)
        print(*(f"error: {mistake}" for mistake in dict.fromkeys(mistakes)), sep="\n", file=sys.stderr)
        return 1
    shutil.rmtree(output, ignore_errors=True)
    fresh.rename(output)
    print(f"{output}/index.html: {size}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
