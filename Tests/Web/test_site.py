"""The site of the documentation, opened from its folder in Chromium without a window; and what Tools/site refuses to make a site of."""
import json
import pathlib
import subprocess

import pytest
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".build/site-tools/bin/python"
PAGES = ["index.html", "symbols.html", "docs/architecture.html", "docs/requirements.html", "tutorials/corebluetooth/lamp.html",
         "api/corebluetooth/cbcentralmanager.html"]


def build(*options):
    return subprocess.run([PYTHON, "-B", ROOT / "Tools/site/build.py", *map(str, options)], text=True, capture_output=True,
                          timeout=300, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def tools():
    subprocess.run([ROOT / "Tools/prepare", "site"], check=True, timeout=600, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def site(tools, tmp_path_factory):
    """The whole site, of what DocC has made of the sources: `make test` leaves it, else it is made here, which takes minutes."""
    if not (ROOT / ".build/documentation/complete").exists():
        subprocess.run([ROOT / "Tools/docs", "--explicit-target-dependency-import-check", "error"],
                       check=True, timeout=3_000, stdin=subprocess.DEVNULL)
    folder = tmp_path_factory.mktemp("documentation") / "site"
    made = build("--output", folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def small(tools, tmp_path):
    """Makes a site of one text in Markdown, beside another page, and of pages of DocC's."""
    def make(text, nodes=(), files=()):
        root, archive = tmp_path / "root", tmp_path / "archives/Kit.doccarchive/data/documentation"
        (root / "Docs").mkdir(parents=True)
        (root / "README.md").write_text(text)
        (root / "Docs/other.md").write_text("# Other\n\n## One place\n")
        for name in files:
            (root / name).write_text(files[name])
        archive.mkdir(parents=True)
        (tmp_path / "archives/complete").touch()
        for node in nodes or [module()]:
            (archive / f"{node['identifier']['url'].rpartition('/')[2].lower()}.json").write_text(json.dumps(node))
        (tmp_path / "contents.json").write_text('[["Begin", ["README.md"]]]')
        return tmp_path / "site", build("--root", root, "--archives", tmp_path / "archives", "--contents", tmp_path / "contents.json",
                                        "--output", tmp_path / "site")
    return make


def module(**members):
    return {"identifier": {"url": "doc://Kit/documentation/Kit"}, "kind": "symbol", "hierarchy": {"paths": [[]]}, "references": {},
            "metadata": {"title": "Kit", "symbolKind": "module", "role": "collection"}, "sections": [], **members}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_opens_from_its_folder(site, browser, scheme):
    one = browser(scheme)
    for page in PAGES:
        one.open(site / page)
        assert one.run("return document.querySelectorAll('h1').length") == 1
        loaded = [resource["url"] for resource in one.driver.execute_cdp_cmd("Page.getResourceTree", {})["frameTree"]["resources"]]
        assert site.as_uri() + "/site.css" in loaded and all(name.startswith(site.as_uri() + "/") for name in loaded), loaded
        ground = one.run("return getComputedStyle(document.body).backgroundColor")
        assert (sum(int(part) for part in ground[4:-1].split(",")) < 200) == (scheme == "dark"), ground
        one.picture(f"site-{pathlib.Path(page).stem}-{scheme}")
    assert one.messages() == []


def test_no_page_runs_anything(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 1_000
    assert [page for page in pages if "<script" in page.read_text()] == []


def test_a_narrow_window_needs_no_scrolling_sideways(site, browser):
    one = browser(width=360, height=740)
    # All guides, and the pages with the longest names of all.
    guides = [*site.glob("*.html"), *site.glob("docs/*.html"), *site.glob("tutorials/**/*.html")]
    symbols = sorted(site.glob("api/**/*.html"), key=lambda page: -len(page.name))[:25]
    assert len(guides) > 25
    wide = {}
    for page in [*guides, *symbols]:
        one.open(page)
        width = one.run("return document.documentElement.scrollWidth")
        if width > 360:
            wide[page.relative_to(site).as_posix()] = width
    assert wide == {}
    assert one.messages() == []
    one.open(site / "docs/requirements.html")
    one.run("document.querySelector('table').scrollIntoView()")
    one.picture("site-narrow-table")
    one.open(site / "index.html")
    one.picture("site-narrow")
    one.driver.find_element(By.LINK_TEXT, "All pages").click()
    assert one.run("return document.getElementById('pages').getBoundingClientRect().top") < 740
    one.picture("site-narrow-pages")


def test_a_symbol_is_found_from_the_first_page(site, browser):
    one = browser().open(site / "index.html")
    heading = "return document.querySelector('h1').textContent"
    one.driver.find_element(By.LINK_TEXT, "Symbols").click()
    one.driver.find_element(By.XPATH, "//ul[@class='index']//a[.='CBCentralManager']").click()
    assert one.run(heading) == "CBCentralManager"
    one.driver.find_element(By.PARTIAL_LINK_TEXT, "func connect(").click()
    assert one.run(heading) == "connect(_:options:)"
    assert one.run("return document.querySelector('.declaration').textContent").startswith("func connect(_ peripheral: CBPeripheral")
    # Its types lead to their pages; the page above is one of the path.
    one.driver.find_element(By.CSS_SELECTOR, ".declaration").find_element(By.LINK_TEXT, "CBPeripheral").click()
    assert one.run(heading) == "CBPeripheral"
    one.driver.find_element(By.CSS_SELECTOR, ".path").find_element(By.LINK_TEXT, "CoreBluetooth").click()
    assert one.run(heading) == "CoreBluetooth"


def test_a_library_leads_to_the_symbols_of_another(site, browser):
    """DocC has an archive for each library, and no links between them."""
    foreign = [page for page in site.glob("api/blesession/**/*.html") if '<pre class="declaration"' in (text := page.read_text())
               and "api/" not in text.split('<pre class="declaration"')[1].split("</pre>")[0]
               and "corebluetooth/" in text.split('<pre class="declaration"')[1].split("</pre>")[0]]
    one = browser().open(foreign[0])
    one.driver.find_element(By.CSS_SELECTOR, ".declaration a[href*='corebluetooth/']").click()
    assert one.run("return document.querySelector('.path a').textContent") == "CoreBluetooth"


def test_guides_lead_to_guides_and_their_places(site, browser):
    one = browser().open(site / "readme.html")
    one.driver.find_element(By.CSS_SELECTOR, "article a[href='docs/bluez.html#peripheral']").click()
    assert one.run("return document.querySelector(':target').textContent") == "Peripheral"
    assert 0 <= one.run("return document.querySelector(':target').getBoundingClientRect().top") < 700
    # By the way through the site, which marks where one is, to an article of a catalogue.
    one.driver.find_element(By.CSS_SELECTOR, "#pages").find_element(By.LINK_TEXT, "Porting an iOS app").click()
    assert one.run("return document.querySelector('#pages [aria-current]').textContent") == "Porting an iOS app"


def test_tables_are_tables(site, browser):
    one = browser()
    for name in ("requirements", "ios-rules", "core-bluetooth-behaviour"):
        one.open(site / f"docs/{name}.html")
        lines = (ROOT / f"Docs/{name}.md").read_text().splitlines()
        rules = sum(set(line) <= set("|-: ") and "-" in line and line.startswith("|") for line in lines)
        rows = sum(line.startswith("|") for line in lines) - rules
        assert one.run("return document.querySelectorAll('table').length") == rules > 0
        assert one.run("return document.querySelectorAll('tr').length") == rows
        assert one.run("return [...document.querySelectorAll('thead tr')].every(row => [...row.children].every(cell => cell.tagName === 'TH'))")


def test_the_picture_of_the_targets_is_drawn(site, browser):
    one = browser().open(site / "docs/architecture.html")
    shown = one.run("return [...document.querySelectorAll('svg.graph text')].map(one => one.textContent)")
    assert {"ble", "CoreBluetooth", "BLECore", "trait BlueZ"} <= set(shown)


def test_a_step_of_the_tutorial_marks_what_is_new(site, browser):
    one = browser().open(site / "tutorials/corebluetooth/lamp.html")
    marked = one.run("return [...document.querySelectorAll('ol.steps')[0].children].map(step => step.querySelectorAll('.hll').length)")
    shown = one.run("return [...document.querySelectorAll('ol.steps')[0].children].map(step => step.querySelector('pre').textContent.split('\\n').length)")
    assert marked[0] == 0 and all(0 < count < lines for count, lines in zip(marked[1:], shown[1:], strict=True)), (marked, shown)


def test_hostile_text_stays_text(small, browser):
    evil = "<img src=x onerror=alert(1)>"
    page = module(abstract=[{"type": "text", "text": evil}], primaryContentSections=[{"kind": "content", "content": [
        {"type": "heading", "level": 2, "text": evil, "anchor": '"><script>'},
        {"type": "codeListing", "syntax": '"><b>', "code": [evil]}]}])
    folder, made = small(f"# Title {evil}\n\n<script>alert(1)</script>\n\n`{evil}`\n\n```swift\n{evil}\n```\n\n| a |\n|---|\n| {evil} |\n", [page])
    assert made.returncode == 0, made.stderr
    one = browser()
    for name, count in (("readme.html", 4), ("api/kit.html", 3)):
        one.open(folder / name)
        assert one.run("return document.images.length + document.scripts.length") == 0
        assert one.run("return document.querySelector('article').textContent").count(evil) == count
    assert one.messages() == []


@pytest.mark.parametrize("link, complaint", [
    ("[a](Docs/missing.md)", "README.md:4: 'Docs/missing.md' is not there"),
    ("[a](Docs/other.md#nowhere)", "README.md:4: there is no place 'nowhere'"),
    ("[a](#nowhere)", "README.md:4: there is no place 'nowhere'"),
    ("[a](../secret)", "README.md:4: '../secret' is not there"),
    ("[a](/etc/passwd)", "README.md:4: '/etc/passwd' leads out of the folder"),
    ("[a](ftp://127.0.0.1/)", "README.md:4: a link with 'ftp:' is not for a page"),
    ("![a](https://127.0.0.1/a.png)", "README.md:4: the picture 'https://127.0.0.1/a.png' is not in this folder"),
])
def test_a_broken_link_is_named_with_its_line(small, link, complaint):
    folder, made = small(f"# Title\n\nA text with a link\nin {link}, and [one that works](Docs/other.md#one-place).\n")
    assert made.returncode == 1 and not folder.exists()
    assert [line for line in made.stderr.splitlines() if line.startswith(f"error: {complaint}")], made.stderr
    assert len(made.stderr.splitlines()) == 1, made.stderr


def test_what_a_guide_shows_and_names_is_in_the_folder(small, browser):
    """A picture is copied; a file, and each file of a folder without a README, is a page."""
    picture = ('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>')
    folder, made = small("# Title\n\n![a box](Docs/Box.svg) [list](Docs/list.json) [both](Docs)\n",
                         files={"Docs/Box.svg": picture, "Docs/list.json": '["<b>"]'})
    assert made.returncode == 0, made.stderr
    one = browser().open(folder / "readme.html")
    assert one.run("return document.images[0].naturalWidth") == 20
    one.driver.find_element(By.LINK_TEXT, "both").click()
    assert one.run("return [...document.querySelectorAll('article li')].map(one => one.textContent)") == ["Box.svg", "list.json", "other.md"]
    one.driver.find_element(By.LINK_TEXT, "list.json").click()
    assert one.run("return document.querySelector('pre').textContent") == '["<b>"]'
    assert one.messages() == []


def test_what_is_not_known_of_docc_ends_the_build(small):
    _, made = small("# Title\n", [module(primaryContentSections=[{"kind": "content", "content": [{"type": "hologram"}]}])])
    assert made.returncode == 1
    assert made.stderr == "error: Kit, page /documentation/kit: Tools/site does not know the block 'hologram' of DocC's\n"
