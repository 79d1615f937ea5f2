"""The pictures of README and Docs, made only when BLE_WEB_README=1 asks for them: Docs/images/web-light.png and web-dark.png.

Each has the page on a wide and on a narrow screen. pngquant makes them small.
"""
import base64
import os
import pathlib
import subprocess

import pytest

IMAGES = pathlib.Path(__file__).parents[2] / "Docs/images"
LARGEST = 150_000
WIDE, NARROW, HEIGHT, GAP = 1_120, 360, 740, 24

pytestmark = pytest.mark.skipif(os.environ.get("BLE_WEB_README") != "1", reason="BLE_WEB_README=1 makes the pictures")


def device(page, scheme, width):
    """A device that has been read, notifies, and has a chart."""
    one = page(scheme, width=width, height=HEIGHT)
    one.show("#/device/Heart rate")
    heart = "[aria-label^='Heart Rate Measurement']"
    if one.named("button", "Subscribe Heart Rate Measurement").get_attribute("aria-pressed") == "false":
        one.click("button", "Subscribe Heart Rate Measurement")
    one.until(lambda: one.browser.run("return (document.querySelector(arguments[0])?.getAttribute('points') ?? '').split(' ').length >= 8",
                                      f"{heart} svg.chart polyline"), "eight values")
    one.browser.run("document.querySelector('main').scrollIntoView(); document.activeElement.blur()")
    return one


def scan(page, scheme, width):
    one = page(scheme, width=width, height=HEIGHT)
    one.until(lambda: len(one.names()) == 10, "all ten")
    one.until(lambda: one.browser.run("return document.querySelector('svg.line polyline').getAttribute('points').split(' ').length >= 10"), "ten seconds")
    return one


def joined(browser, pictures, file):
    """Puts pictures side by side into one."""
    driver = browser(width=WIDE + NARROW + 3 * GAP, height=HEIGHT + 2 * GAP).driver
    images = "".join(f'<img src="data:image/png;base64,{picture}" height="{HEIGHT}">' for picture in pictures)
    page = (f'<body style="margin:0;padding:{GAP}px;display:flex;gap:{GAP}px;background:#8c959f">{images}</body>'
            f'<style>img {{ border-radius: 8px }}</style>')
    driver.execute_cdp_cmd("Page.setDocumentContent", {
        "frameId": driver.execute_cdp_cmd("Page.getFrameTree", {})["frameTree"]["frame"]["id"], "html": page})
    driver.execute_async_script("const done = arguments[0]; Promise.all([...document.images].map((one) => one.decode())).then(() => done())")
    whole = base64.b64decode(driver.get_screenshot_as_base64())
    small = subprocess.run(["pngquant", "--speed", "1", "--quality", "60-95", "-"], input=whole, stdout=subprocess.PIPE, check=True, timeout=60).stdout
    assert len(small) < LARGEST, len(small)
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / file).write_bytes(small)


@pytest.mark.parametrize("scheme, wide, narrow", [("light", scan, device), ("dark", device, scan)])
def test_pictures(page, browser, scheme, wide, narrow):
    pictures = [make(page, scheme, width).driver.get_screenshot_as_base64() for make, width in ((wide, WIDE), (narrow, NARROW))]
    joined(browser, pictures, f"web-{scheme}.png")
