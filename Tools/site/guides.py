"""Markdown as pages. What it holds of HTML is shown as it is written, except for comments, which are left out, and line breaks."""
import re

from markdown_it import MarkdownIt

from programs import listing
from content import wide
from model import Mistake, Page, escape
from picture import drawn

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
BREAK = re.compile(r"(&lt;br ?/?&gt;)")


class Guides:
    """Makes pages of Markdown files."""

    def __init__(self, site, repository, names):
        self.site, self.repository, self.names = site, repository, names
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        for rule in ("html_block", "html_inline", "code_inline", "fence", "code_block", "table_open", "table_close"):
            self.markdown.add_render_rule(rule, globals()[rule])

    def page(self, path, address):
        """The page of a file; every mistake in it is noted with its line."""
        name = path.relative_to(self.repository.root).as_posix()
        tokens = self.markdown.parse(path.read_text())
        headings = anchors(tokens)
        environment = {"guides": self, "here": address, "name": name, "heading": False}
        self.links(tokens, address, name)
        body = self.markdown.renderer.render(tokens, self.markdown.options, environment)
        contents = "".join(f'<li><a href="#{escape(anchor)}">{escape(title)}</a></li>' for level, title, anchor in headings if level == 2)
        if contents.count("<li>") > 2:
            contents = f'<nav class="contents" aria-label="On this page"><ul>{contents}</ul></nav>\n'
            body = body.replace("</h1>\n", "</h1>\n" + contents, 1)
        title = next((title for level, title, _ in headings if level == 1), name)
        text = next((plain(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "paragraph_open"), "")
        return Page(address, title, body, summary=text, source=name)

    def links(self, tokens, here, name):
        line = 1
        for token in tokens:
            line = token.map[0] + 1 if token.map else line
            if token.type == "fence":
                token.meta["place"] = f"{name}:{line}"
            for offset, child in enumerate(token.children or []):
                attribute = {"link_open": "href", "image": "src"}.get(child.type)
                if not attribute:
                    continue
                breaks = sum(one.type in ("softbreak", "hardbreak") for one in token.children[:offset])
                self.link(child, attribute, here, name, f"{name}:{line + breaks}")

    def link(self, token, attribute, here, name, place):
        try:
            written = self.repository.target(here, name, token.attrs[attribute], place)
        except Mistake as mistake:
            self.site.mistakes.append(str(mistake))
            del token.attrs[attribute]
            return
        if written is not None:
            token.attrs[attribute] = written
        elif attribute == "src":
            self.site.mistakes.append(f"{place}: the picture '{token.attrs.pop(attribute)}' is not in this folder")
        else:
            token.attrs["class"] = "outside"


def anchors(tokens):
    """Gives headings the anchors that they have where the repository is hosted; returns (level, title, anchor) of each."""
    found, used = [], {}
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        for child in tokens[at + 1].children:
            child.meta["heading"] = True
        title = plain(tokens[at + 1])
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        used[anchor] = used.get(anchor, -1) + 1
        if used[anchor]:
            anchor += f"-{used[anchor]}"
        token.attrs["id"] = anchor
        found.append((int(token.tag[1]), title, anchor))
    return found


def plain(token):
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children if child.type != "html_inline")


def markup(text):
    return BREAK.sub("<br>", escape(COMMENT.sub("", text)))


def html_block(renderer, tokens, at, options, environment):
    text = markup(tokens[at].content).strip()
    return f"<p>{text}</p>\n" if text else ""


def html_inline(renderer, tokens, at, options, environment):
    return markup(tokens[at].content)


def code_inline(renderer, tokens, at, options, environment):
    inside = sum({"link_open": 1, "link_close": -1}.get(token.type, 0) for token in tokens[:at])
    guides = environment["guides"]
    linked = not inside and not tokens[at].meta.get("heading")
    return guides.names.code(guides.site, environment["here"], tokens[at].content, linked)


def fence(renderer, tokens, at, options, environment):
    token = tokens[at]
    language = token.info.strip()
    if language == "mermaid":
        return drawn(token.content, token.meta["place"])
    return listing(token.content, language)


def code_block(renderer, tokens, at, options, environment):
    return listing(tokens[at].content)


def table_open(renderer, tokens, at, options, environment):
    return wide("<table>\0</table>").partition("\0")[0]


def table_close(renderer, tokens, at, options, environment):
    return wide("<table>\0</table>").partition("\0")[2]
