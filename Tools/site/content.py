"""DocC's content as HTML: paragraphs, lists, tables, programs, links between symbols. What is not known here ends the build."""
from programs import listing
from model import Mistake, escape, relative


class Content:
    """The content of one page."""

    def __init__(self, site, documentation, names, node):
        self.site, self.documentation, self.names, self.node = site, documentation, names, node
        self.here = documentation.addresses[node["url"]]
        self.references = node["references"]

    def unknown(self, what):
        return Mistake(f"{self.node['library']}, page {self.node['url']}: Tools/site does not know {what} of DocC's")

    def target(self, identifier):
        """What a name in a page stands for, and the address to link it to, if it has any."""
        found = self.references.get(identifier)
        if found is None:
            raise self.unknown(f"the reference '{identifier}'")
        if found["type"] == "link":
            return found, found["url"]
        if found["type"] == "unresolvable":
            return found, None
        url, _, anchor = found.get("url", "").partition("#")
        return found, self.link(url, anchor)

    def link(self, url, anchor=""):
        address = self.documentation.addresses.get(url)
        return self.site.link(self.here, address, anchor) if address else None

    def reference(self, identifier, title=None, code=None):
        found, address = self.target(identifier)
        shown = title if title is not None else escape(found["title"])
        is_code = found.get("role") == "symbol" or found["type"] == "unresolvable" if code is None else code
        if is_code and title is None:
            shown = f"<code>{shown}</code>"
        if not address:
            return shown
        outside = ' class="outside"' if found["type"] == "link" else ""
        return f'<a href="{escape(address)}"{outside}>{shown}</a>'

    def inline(self, parts):
        return "".join(self.span(part) for part in parts or [])

    def span(self, part):
        kind = part["type"]
        if kind == "text":
            return escape(part["text"])
        if kind == "codeVoice":
            return self.names.code(self.site, self.here, part["code"])
        if kind in ("emphasis", "strong"):
            tag = "em" if kind == "emphasis" else "strong"
            return f"<{tag}>{self.inline(part['inlineContent'])}</{tag}>"
        if kind == "reference":
            title = part.get("overridingTitleInlineContent")
            return self.reference(part["identifier"], self.inline(title) if title else None)
        if kind == "image":
            return self.image(part["identifier"])
        raise self.unknown(f"the text '{kind}'")

    def image(self, identifier):
        found = self.references[identifier]
        url = found["variants"][0]["url"]
        address = url.lstrip("/").lower()
        self.site.copy(address, self.documentation.images[url])
        return f'<img src="{relative(self.here, address)}" alt="{escape(found.get("alt") or "")}">'

    def blocks(self, blocks):
        return "".join(self.block(block) for block in blocks or [])

    def block(self, block):
        kind = block["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(block['inlineContent'])}</p>\n"
        if kind == "heading":
            level = block["level"]
            return f'<h{level} id="{escape(block["anchor"])}">{escape(block["text"])}</h{level}>\n'
        if kind == "codeListing":
            return listing("\n".join(block["code"]), block.get("syntax") or "")
        if kind in ("orderedList", "unorderedList"):
            tag = "ol" if kind == "orderedList" else "ul"
            return f"<{tag}>" + "".join(f"<li>{self.blocks(item['content'])}</li>" for item in block["items"]) + f"</{tag}>\n"
        if kind == "aside":
            return f'<aside class="note"><p class="name">{escape(block.get("name") or block["style"])}</p>{self.blocks(block["content"])}</aside>\n'
        if kind == "table":
            return self.table(block)
        raise self.unknown(f"the block '{kind}'")

    def table(self, block):
        if block.get("header") != "row":
            raise self.unknown(f"a table with the header '{block.get('header')}'")
        rows = []
        for number, row in enumerate(block["rows"]):
            cell = "th" if number == 0 else "td"
            cells = "".join(f"<{cell}>{self.cell(blocks)}</{cell}>" for blocks in row)
            rows.append(f"<tr>{cells}</tr>\n")
        return wide(f"<table><thead>\n{rows[0]}</thead><tbody>\n{''.join(rows[1:])}</tbody></table>")

    def cell(self, blocks):
        if len(blocks) == 1 and blocks[0]["type"] == "paragraph":
            return self.inline(blocks[0]["inlineContent"])
        return self.blocks(blocks)


def wide(table):
    """A table that scrolls by itself where the window is narrower, by the keys too."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="Table">{table}</div>\n'
