"""Chromium without a window, and pages that the tool writes of captures.

BLE_TOOL names the tool. BLE_WEB_SCREENSHOTS names a folder for pictures of the pages; without it none are kept.
"""
import os
import pathlib
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import captures
from crowd import Crowd
from explorer import Explorer, Page

TOOL = os.environ.get("BLE_TOOL", ".build/debug/ble")


def show(source, page, *options):
    subprocess.run([TOOL, "capture", "show", str(source), "--html", str(page), *options],
                   check=True, timeout=600, stdin=subprocess.DEVNULL)
    return page


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Makes the page of a conversation of so many packets, once."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}

    def page(count):
        if count not in made:
            source = captures.conversation(count).write(folder / f"{count}.btsnoop")
            made[count] = show(source, folder / f"{count}.html")
        return made[count]

    return page


class Browser:
    def __init__(self, scheme, width=1100, height=800):
        options = Options()
        # Root has no sandbox of Chromium's; a container has little shared memory.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                         "--disable-background-networking", "--disable-component-update", "--no-pings",
                         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(120)
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.width, self.height = width, height
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, page):
        self.driver.get(pathlib.Path(page).resolve().as_uri())
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def work(self):
        """The processor time that the page has taken since it was opened, in milliseconds."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return 1_000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def text(self, identifier):
        return self.run("return document.getElementById(arguments[0]).textContent", identifier)

    def messages(self):
        """What the page has written to the console, errors of the policy among it."""
        return [entry for entry in self.driver.get_log("browser") if "favicon" not in entry["message"]]

    def picture(self, name):
        folder = os.environ.get("BLE_WEB_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(f"{folder}/{name}.png")


@pytest.fixture
def browser(request):
    """Makes browsers: browser("light"), browser("dark", width=360)."""
    made = []

    def make(scheme="light", **size):
        made.append(Browser(scheme, **size))
        return made[-1]

    yield make
    for one in made:
        one.driver.quit()


@pytest.fixture(scope="module")
def demo():
    one = Explorer("--demo")
    yield one
    one.end()


@pytest.fixture
def page(demo, browser):
    """Opens a page; at the end its console has to be empty."""
    made = []

    def make(scheme="light", fragment="", **size):
        made.append(Page(browser(scheme, **size), demo.address + fragment))
        return made[-1]

    yield make
    for one in made:
        assert one.browser.messages() == []


@pytest.fixture
def saved(tmp_path):
    """Makes a page keep what it downloads, and returns it by its name."""
    def read(one, label, name, within="body"):
        one.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
        one.click("button", label, within)
        file = pathlib.Path(tmp_path / name)
        one.until(lambda: file.exists() and file.stat().st_size > 0, name)
        text = file.read_text(encoding="utf-8")
        file.unlink()
        return text
    return read


@pytest.fixture
def crowd():
    made = []

    def make(names, changes=0, **made_up):
        made.append(Crowd(names, changes, **made_up))
        return made[-1]

    yield make
    for one in made:
        one.end()
