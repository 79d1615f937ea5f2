"""The archives that Tools/docs has made with DocC: one file of JSON for each page, which DocC's own page would need a server and a program for."""
import collections
import hashlib
import json
import re

from model import Mistake


class Documentation:
    """All pages of all archives. A page is known by its address in DocC, such as `/documentation/corebluetooth/cbuuid`."""

    def __init__(self, folder):
        self.folder = folder
        self.nodes = {}
        self.libraries = []
        self.images = {}
        if not (folder / "complete").exists():
            raise Mistake(f"{folder}: the documentation is not built to its end; Tools/docs does it")
        for archive in sorted(folder.glob("*.doccarchive"), key=lambda one: (one.stem != "CoreBluetooth", one.stem)):
            self.libraries.append(archive.stem)
            for file in sorted((archive / "data").rglob("*.json")):
                url = "/" + file.relative_to(archive / "data").as_posix().removesuffix(".json")
                self.nodes[url] = node = json.loads(file.read_text())
                node["library"], node["url"] = archive.stem, url
            for image in (archive / "images").rglob("*"):
                if image.is_file():
                    self.images["/" + image.relative_to(archive).as_posix()] = image
        self.addresses = addresses(self.nodes)
        self.precise = {node["metadata"]["externalID"]: url for url, node in self.nodes.items() if "externalID" in node["metadata"]}

    def module(self, library):
        return f"/documentation/{library.lower()}"

    def symbols(self):
        """Each symbol that is a page, with the titles of the symbols that it belongs to."""
        for url, node in self.nodes.items():
            if node["kind"] == "symbol" and node["metadata"].get("symbolKind") != "module":
                yield url, node, [title for title, _ in self.path(node)][1:]

    def path(self, node):
        """The pages above one, as (title, address in DocC), the library first."""
        paths = node["hierarchy"].get("paths") or [[]]
        above = [node["references"][name] for name in paths[0] if name in node["references"]]
        return [(one["title"], one["url"]) for one in above if one.get("url") in self.nodes]

    def names(self):
        """The addresses of libraries and symbols by a name that only one of them has: `World`, `World.explore`, `CBPeer.identifier`."""
        found = collections.defaultdict(set)
        for library in self.libraries:
            found[library].add(self.module(library))
        for url, node, above in self.symbols():
            title = node["metadata"]["title"]
            if above and not title.startswith(above[-1] + "."):
                title = f"{above[-1]}.{title}"
            found[title].add(url)
            if above:
                found[title.partition("(")[0]].add(url)
        return {name: self.addresses[urls.pop()] for name, urls in found.items() if len(urls) == 1}

    def article(self, file):
        """The address in DocC of an article or a tutorial, which is a file of a catalogue."""
        library = next(part.removesuffix(".docc") for part in file.parts if part.endswith(".docc")).lower()
        stem = re.sub(r"[^a-z0-9]+", "-", file.stem.lower())
        if file.suffix == ".tutorial":
            return "/tutorials/tutorials" if stem == "tutorials" else f"/tutorials/{library}/{stem}"
        return f"/documentation/{library}" if stem == library else f"/documentation/{library}/{stem}"


def addresses(urls):
    """The files in the site for addresses in DocC: without the characters that some file systems refuse, and short enough for all."""
    proposed = {url: "/".join(part(name) for name in url.strip("/").split("/")) for url in urls}
    uses = collections.Counter(proposed.values())
    made = {}
    for url, address in proposed.items():
        if uses[address] > 1:
            address += "-" + digest(url)
        made[url] = address.replace("documentation/", "api/", 1) + ".html"
    return made


def part(name):
    written = re.sub(r"[^a-z0-9_.]+", "-", name.lower()).strip("-.") or digest(name)
    return written if len(written) <= 80 else written[:70] + "-" + digest(name)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]
