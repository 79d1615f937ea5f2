"""Pages of symbols, articles and tutorials, out of what DocC says of each."""
from programs import listing
from content import Content
from model import Page, escape

# What colours the words of a declaration, by DocC's kinds.
WORDS = {"keyword": "h-k", "attribute": "h-k", "identifier": "h-n", "externalParam": "h-p", "internalParam": "h-p",
         "genericParameter": "h-t", "typeIdentifier": "h-t"}


class NodePage:
    """The page of one node."""

    def __init__(self, site, documentation, names, node):
        self.node, self.documentation, self.site = node, documentation, site
        self.content = Content(site, documentation, names, node)

    def page(self):
        node = self.node
        title = node["metadata"]["title"]
        body = self.tutorial() if node["kind"] in ("overview", "project") else self.symbol()
        path = [(name, self.documentation.addresses[url]) for name, url in self.documentation.path(node)]
        summary = "".join(part.get("text") or part.get("code") or "" for part in node.get("abstract") or self.introduction())
        return Page(self.content.here, title, body, path, summary, node["library"], f"{node['library']}, page {node['url']}")

    def introduction(self):
        """What a tutorial begins with; other pages have an abstract."""
        blocks = [block for section in self.node["sections"] if section["kind"] == "hero" for block in section["content"]]
        return blocks[0]["inlineContent"] if blocks and blocks[0]["type"] == "paragraph" else []

    def symbol(self):
        node, content, metadata = self.node, self.content, self.node["metadata"]
        is_code = node["kind"] == "symbol" and metadata.get("symbolKind") != "module"
        title = escape(metadata["title"])
        eyebrow = "Library" if metadata.get("symbolKind") == "module" else metadata.get("roleHeading") or "Article"
        if metadata.get("required"):
            eyebrow += ", required"
        made = [f'<p class="kind">{escape(eyebrow)}</p>\n<h1>{f"<code>{title}</code>" if is_code else title}</h1>\n']
        if node.get("abstract"):
            made.append(f'<p class="abstract">{content.inline(node["abstract"])}</p>\n')
        if node.get("deprecationSummary"):
            made.append(f'<aside class="note"><p class="name">Deprecated</p>{content.blocks(node["deprecationSummary"])}</aside>\n')
        if metadata.get("conformance"):
            conformance = metadata["conformance"]
            made.append(f"<p>{content.inline(conformance['availabilityPrefix'] + conformance['constraints'])}</p>\n")
        made += [self.section(section) for section in node.get("primaryContentSections", [])]
        for name in ("topicSections", "defaultImplementationsSections", "relationshipsSections", "seeAlsoSections"):
            made.append(self.lists(name))
        return "".join(made)

    def section(self, section):
        kind = section["kind"]
        if kind == "declarations":
            return "".join(self.declaration(one) for one in section["declarations"])
        if kind == "content":
            return self.content.blocks(section["content"])
        if kind == "parameters":
            items = "".join(f"<dt><code>{escape(one['name'])}</code></dt><dd>{self.content.blocks(one['content'])}</dd>"
                            for one in section["parameters"])
            return f'<h2 id="parameters">Parameters</h2>\n<dl>{items}</dl>\n'
        if kind == "mentions":
            items = "".join(f"<li>{self.content.reference(name)}</li>" for name in section["mentions"])
            return f'<h2 id="mentioned-in">Mentioned in</h2>\n<ul class="plain">{items}</ul>\n'
        raise self.content.unknown(f"the section '{kind}'")

    def declaration(self, declaration):
        return ('<pre class="declaration" tabindex="0" role="region" aria-label="Declaration"><code>'
                + self.words(declaration["tokens"]) + "</code></pre>\n")

    def words(self, tokens):
        """A declaration. A type of another library leads to its page there, which DocC itself, with an archive for each, cannot do."""
        made = []
        for token in tokens:
            text = escape(token["text"])
            url = self.documentation.precise.get(token.get("preciseIdentifier"))
            address = self.content.link(url) if url and url != self.node["url"] else None
            if address:
                text = f'<a href="{address}">{text}</a>'
            kind = WORDS.get(token["kind"])
            made.append(f'<span class="{kind}">{text}</span>' if kind else text)
        return "".join(made)

    def lists(self, name):
        made = []
        if name == "relationshipsSections" and self.node.get(name):
            made.append('<h2 id="relationships">Relationships</h2>\n')
        if name == "topicSections" and self.node.get(name):
            made.append('<h2 id="topics">Topics</h2>\n')
        if name == "seeAlsoSections" and self.node.get(name):
            made.append('<h2 id="see-also">See also</h2>\n')
        for section in self.node.get(name, []):
            level = "h2" if name == "defaultImplementationsSections" else "h3"
            identifier = escape(f"{name.removesuffix('Sections')}-{section.get('anchor') or section.get('type') or section['title']}".replace(" ", "-"))
            made.append(f'<{level} id="{identifier}">{escape(section["title"])}</{level}>\n')
            if name == "relationshipsSections":
                items = "".join(f"<li>{self.content.reference(one)}</li>" for one in section["identifiers"])
                made.append(f'<ul class="plain">{items}</ul>\n')
            else:
                made.append("<dl class=\"symbols\">" + "".join(self.item(one) for one in section["identifiers"]) + "</dl>\n")
        return "".join(made)

    def item(self, identifier):
        found, address = self.content.target(identifier)
        title = escape(found["title"])
        if found.get("fragments"):
            words = "".join(f'<span class="{WORDS.get(one["kind"], "")}">{escape(one["text"])}</span>' for one in found["fragments"])
            title = f"<code>{words}</code>"
        elif found.get("role") == "symbol":
            title = f"<code>{title}</code>"
        linked = f'<a href="{escape(address)}">{title}</a>' if address else title
        notes = [name for name in ("required", "deprecated") if found.get(name)]
        note = f' <span class="state">{", ".join(notes)}</span>' if notes else ""
        return f"<dt>{linked}{note}</dt><dd>{self.content.inline(found.get('abstract'))}</dd>\n"

    def tutorial(self):
        return "".join(self.part(section) for section in self.node["sections"])

    def part(self, section):
        content, kind = self.content, section["kind"]
        if kind == "hero":
            minutes = f'<p class="kind">Tutorial, {section["estimatedTimeInMinutes"]} minutes</p>\n' if section.get("estimatedTimeInMinutes") else ""
            return f"{minutes}<h1>{escape(section['title'])}</h1>\n{content.blocks(section['content'])}"
        if kind == "volume":
            return "".join(self.chapter(chapter) for chapter in section["chapters"])
        if kind == "tasks":
            return "".join(self.task(task) for task in section["tasks"])
        raise content.unknown(f"the section '{kind}' of a tutorial")

    def chapter(self, chapter):
        image = f'<p>{self.content.image(chapter["image"])}</p>' if chapter.get("image") else ""
        items = "".join(f"<li>{self.content.reference(one)}</li>" for one in chapter["tutorials"])
        return f"<h2>{escape(chapter['name'])}</h2>\n{image}{self.content.blocks(chapter['content'])}<ul>{items}</ul>\n"

    def task(self, task):
        made = [f'<h2 id="{escape(task["anchor"])}">{escape(task["title"])}</h2>\n']
        made += [self.content.blocks(section["content"]) for section in task["contentSection"]]
        steps = []
        for step in task["stepsSection"]:
            text = self.content.blocks(step["content"]) + self.content.blocks(step.get("caption"))
            file = self.content.references[step["code"]] if step.get("code") else None
            if file:
                lines = [one["line"] for one in file["highlights"]]
                text += f'<p class="name">{escape(file["fileName"])}</p>' + listing(
                    "\n".join(file["content"]), file["syntax"], marked=lines, name=file["fileName"])
            steps.append(f"<li>{text}</li>\n")
        return "".join(made) + f'<ol class="steps">{"".join(steps)}</ol>\n'
