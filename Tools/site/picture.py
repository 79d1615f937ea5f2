"""The pictures in the guides: those lines of Mermaid that they consist of, drawn by Graphviz, so that a page needs no program to show them."""
import re
import subprocess

from model import Mistake, escape

ARROW = re.compile(r"(?P<tails>\w+(?: & \w+)*) (?:-->|-\. (?P<label>[\w ]+) \.->) (?P<heads>\w+(?: & \w+)*)")


def graph(text, place):
    """The same picture in Graphviz' language."""
    first, *lines = text.strip().splitlines()
    direction = re.fullmatch(r"flowchart (TD|LR)", first)
    if not direction:
        raise Mistake(f"{place}: a picture has to begin with 'flowchart TD' or 'flowchart LR'")
    edges = []
    for line in filter(None, (line.strip() for line in lines)):
        arrow = ARROW.fullmatch(line)
        if not arrow:
            raise Mistake(f"{place}: '{line}' is none of the lines that Tools/site draws: A & B --> C, A -. label .-> B")
        style = f' [style=dashed, label="{arrow["label"]}"]' if arrow["label"] else ""
        edges += [f'  "{tail}" -> "{head}"{style};' for tail in arrow["tails"].split(" & ") for head in arrow["heads"].split(" & ")]
    head = (f'  bgcolor=transparent; rankdir={direction[1].replace("TD", "TB")}; ranksep=0.4; nodesep=0.15;\n'
            '  node [shape=box, style=rounded, fontname="DejaVu Sans", fontsize=11, height=0.3, margin="0.08,0.04"];\n'
            '  edge [arrowsize=0.6, fontname="DejaVu Sans", fontsize=10];')
    return "digraph {\n" + head + "\n" + "\n".join(edges) + "\n}\n"


def drawn(text, place):
    made = subprocess.run(["dot", "-Tsvg"], input=graph(text, place), text=True, capture_output=True, timeout=60)
    if made.returncode:
        raise Mistake(f"{place}: Graphviz cannot draw this picture: {made.stderr.strip()}")
    svg = re.sub(r"<!--.*?-->\n?| id=\"[^\"]*\"| xmlns:xlink=\"[^\"]*\"", "", made.stdout[made.stdout.index("<svg"):], flags=re.DOTALL)
    # Its own title says nothing: the words around it do.
    svg = svg.replace("<title>%3</title>\n", "", 1).replace("<svg ", '<svg class="graph" role="img" aria-label="Picture; its text follows" ', 1)
    return (f'<figure><div class="wide" tabindex="0" role="region" aria-label="Picture">{svg}</div>'
            f"<details><summary>The same as text</summary><pre>{escape(text)}</pre></details></figure>\n")
