"""The explorer for all: by keys, with a screen reader, on a narrow screen, in the dark, in Chinese."""
import pathlib
import re

import pytest
from selenium.webdriver.common.keys import Keys

from conftest import Browser
from explorer import Page

PAGE = pathlib.Path(__file__).parents[2] / "Sources/BLEWeb/Page"
TABS = ["#/scan", "#/serve", "#/chat", "#/bonds", "#/radio", "#/log"]
# And a device that is written, and one that notifies.
VIEWS = [*TABS, "#/device/Lamp", "#/device/Heart rate"]
CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "spinbutton", "slider", "checkbox", "region", "navigation", "DisclosureTriangle"}


def view_name(view):
    return view.rpartition("/")[2].lower().replace(" ", "-")


@pytest.fixture(scope="module")
def browsers():
    """By scheme and size: to start one for each of so many tests takes longer than the tests."""
    made = {}
    yield made
    for one in made.values():
        one.driver.quit()


@pytest.fixture
def page(demo, browsers):
    """Opens a page of which the browser has kept nothing; at the end its console has to be empty."""
    used = []

    def make(scheme="light", **size):
        key = (scheme, *sorted(size.items()))
        if key not in browsers:
            browsers[key] = Browser(scheme, **size)
        driver = browsers[key].driver
        # From elsewhere: to another view of the same page would load nothing.
        driver.get("about:blank")
        driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": demo.address.rstrip("/"), "storageTypes": "local_storage"})
        used.append(Page(browsers[key], demo.address))
        # A page that replaces another has no focus of its own.
        driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        return used[-1]

    yield make
    for one in used:
        assert one.browser.messages() == []


@pytest.fixture
def chinese(page):
    def make(view, scheme="light", **size):
        one = page(scheme, **size)
        one.browser.run("localStorage.setItem('language', JSON.stringify('zh'))")
        one.driver.refresh()
        one.until(lambda: "台设备" in one.text("#status"), "it is Chinese")
        one.show(view)
        return one
    return make


@pytest.mark.parametrize("view", VIEWS, ids=view_name)
def test_works_at_360_pixels_in_the_dark_and_in_chinese(chinese, view):
    one = chinese(view, "dark", width=360, height=740)
    assert one.browser.run("return document.documentElement.lang") == "zh-CN"
    wide = one.browser.run("""
        return [...document.querySelectorAll("main *")].filter((one) => !one.closest(".scrolls, .table") && one.getBoundingClientRect().right > 360)
          .map((one) => one.outerHTML.slice(0, 120))""")
    assert one.browser.run("return document.documentElement.scrollWidth <= 360"), wide
    ground = one.browser.run("return getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in ground[4:-1].split(",")) < 200, ground
    one.browser.picture(f"explorer-360-{view_name(view)}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS, ids=view_name)
def test_all_text_stands_out_from_its_ground(page, view, scheme):
    """WCAG 2.2, 1.4.3: 4.5 to 1. What is disabled, and devices that are away, may be faint."""
    one = page(scheme)
    one.show(view)
    faint = one.browser.run("""
        const light = (part) => { part /= 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
        const luminance = ([red, green, blue]) => 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);
        const parts = (text) => text.match(/[\\d.]+/g).map(Number);
        const ground = (one) => {
          for (; one; one = one.parentElement) {
            const found = parts(getComputedStyle(one).backgroundColor);
            if (found.length === 3 || found[3] > 0) return found;
          }
          return [255, 255, 255];
        };
        const found = [];
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const one = texts.currentNode.parentElement;
          if (!texts.currentNode.textContent.trim() || !one.checkVisibility() || one.closest(":disabled, .stale, svg, .skip")) continue;
          const [ink, paper] = [luminance(parts(getComputedStyle(one).color)), luminance(ground(one))];
          const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
          if (contrast < 4.5) found.push(`${texts.currentNode.textContent} ${contrast.toFixed(2)}`);
        }
        return found;""")
    assert faint == [], faint


@pytest.mark.parametrize("view", VIEWS, ids=view_name)
def test_every_control_has_a_name_for_screen_readers(page, view):
    one = page()
    one.show(view)
    def nodes():
        return [node for node in one.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"] if not node.get("ignored")]

    def unnamed():
        return [node["role"]["value"] for node in nodes() if node.get("role", {}).get("value") in CONTROLS
                and not node.get("name", {}).get("value", "").strip()]

    # What a view shows of the server may come after the view.
    one.until(lambda: not unnamed(), "every control has a name")
    roles = {node["role"]["value"] for node in nodes()}
    assert {"main", "banner", "heading"} <= roles, roles


@pytest.mark.parametrize("width", [360, 1_100])
@pytest.mark.parametrize("view", VIEWS, ids=view_name)
def test_every_stop_of_the_tab_key_is_seen_and_has_a_name(page, view, width):
    one = page(width=width, height=740)
    one.show(view)
    one.browser.run("document.querySelector('.skip').focus({focusVisible: true})")
    stops, unseen, unnamed = 0, [], []
    while stops < 400:
        active = one.driver.switch_to.active_element
        shown, focus, is_last = one.browser.run("""
            const one = document.activeElement;
            if (one === document.body) return [null, "", true];
            const [style, box] = [getComputedStyle(one), one.getBoundingClientRect()];
            const isOutlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
            // Devices on the map have a ring: an outline would be measured in metres there.
            const ring = one.tagName === "g" && getComputedStyle(one.querySelector("circle:not(.hit)")).stroke !== "none";
            const isInSight = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
            return [`${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)}`, isInSight && (isOutlined || ring) ? "seen" : "unseen", false]""")
        if is_last:
            break
        if focus != "seen":
            unseen.append(shown)
        one.browser.run("window.focused = document.activeElement")
        handle = one.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "window.focused"})["result"]["objectId"]
        node = one.driver.execute_cdp_cmd("Accessibility.getPartialAXTree", {"objectId": handle, "fetchRelatives": False})["nodes"][0]
        if node.get("ignored") or not node.get("name", {}).get("value", "").strip():
            unnamed.append(shown)
        stops += 1
        active.send_keys(Keys.TAB)
    assert stops > 5 and is_last, stops
    assert unseen == [] and unnamed == [], (unseen, unnamed)


def test_the_filters_are_folded_on_a_narrow_screen(page):
    one = page(width=360, height=740)
    one.until(lambda: len(one.names()) == 10, "all ten")
    assert one.browser.run("return document.querySelector('.table').getBoundingClientRect().top < 400"), "the table is in sight"
    assert one.browser.run("return !document.querySelector('.filters').open")
    one.click("summary", "Filters")
    one.type("Name or address", "lamp")
    one.until(lambda: one.names() == ["Lamp"], "filtered")
    one.go("Log")
    one.go("Scan")
    assert one.browser.run("return document.querySelector('.filters').open"), "what is in use is in sight"
    one.type("Name or address", "")


@pytest.mark.parametrize("width", [360, 1_100])
def test_names_on_the_map_cover_neither_each_other_nor_devices(page, width):
    one = page(width=width, height=1_000)
    one.show("#/radio")
    one.until(lambda: len(one.all("svg.map text")) == 11, "all names")
    covered = one.browser.run("""
        const boxes = [...document.querySelectorAll("svg.map text")].map((one) => [one.textContent, one.getBoundingClientRect()]);
        const dots = [...document.querySelectorAll("svg.map circle:not(.hit)")].map((one) => ["a device", one.getBoundingClientRect()]);
        const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
        return boxes.flatMap(([name, box], index) => [...boxes.slice(index + 1), ...dots].filter(([, other]) => meet(box, other)).map(([other]) => `${name} / ${other}`))""")
    assert covered == [], covered
    letters = one.browser.run("return document.querySelector('svg.map text').getBoundingClientRect().height")
    assert letters >= 12, letters


def test_every_text_of_the_page_has_a_chinese_one():
    words = (PAGE / "words.js").read_text(encoding="utf-8")
    table = words[words.index("const chinese"):words.index("const chosen")]
    known = {quoted or bare for quoted, bare in re.findall(r'(?:"((?:[^"\\]|\\.)*)"|\b([A-Za-z]\w*)): "', table)}
    for file in sorted(PAGE.glob("*.js")):
        asked = set(re.findall(r'\bt\("((?:[^"\\]|\\.)*)"\)', file.read_text(encoding="utf-8")))
        assert asked <= known, (file.name, asked - known)


# What is not of a language: units, formats, names that others have given.
ALIKE = {"ble", "English", "dBm", "ms", "CSV", "JSON", "btsnoop", "hex", "utf8", "base64", "pklg", "pcap", "L2CAP", "MTU", "PSM", "RSSI", "UUID", "GATT"}


@pytest.mark.parametrize("view", TABS, ids=view_name)
def test_each_tab_is_chinese(chinese, view):
    one = chinese(view)
    texts = one.browser.run("""
        // Not of the page: what devices have called themselves, names of the SIG, octets, code, what stands in the log, profiles of the tool.
        const foreign = "bdi, .octets, code, svg.map text, .table a small, ol.log summary, ol.log pre, option, script, style, noscript";
        const found = [];
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const one = texts.currentNode.parentElement;
          if (!one.closest(foreign) && one.checkVisibility()) found.push(texts.currentNode.textContent);
        }
        for (const one of document.querySelectorAll("[placeholder], [title]")) found.push(one.getAttribute("placeholder") ?? "", one.getAttribute("title") ?? "");
        for (const one of document.querySelectorAll("[aria-label]:not(.star):not(.open):not(tbody button):not(svg.map g)")) found.push(one.getAttribute("aria-label"));
        return found""")
    english = [text for text in texts if set(re.findall(r"[A-Za-z][A-Za-z0-9]{2,}", text)) - ALIKE]
    assert english == [], english
