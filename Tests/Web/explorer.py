"""A running explorer, and a browser that looks at it."""
import json
import os
import signal
import subprocess
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

TOOL = os.environ.get("BLE_TOOL", ".build/debug/ble")


class Explorer:
    """`ble web` as a process."""

    def __init__(self, *options, port=0, environment=None):
        self.process = subprocess.Popen(
            [TOOL, "web", "--port", str(port), "--json", *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})})
        line = self.process.stdout.readline()
        assert line, f"ble web ended with {self.process.wait(10)}"
        self.address = json.loads(line)["address"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"{self.address}api/v1/{path}", method=method, data=None if method == "GET" else json.dumps(body or {}).encode(),
            headers={} if method == "GET" else {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def metric(self, name):
        """A figure of /metrics, by its name with its labels as they stand there."""
        with urllib.request.urlopen(f"{self.address}metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line.rpartition(" ")[2] for line in lines if line.rpartition(" ")[0] == name))

    def end(self):
        """Ends it as Ctrl-C does; its status is that of a program that was interrupted."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(30) == 130


class Page:
    """An explorer's page, used as a person does."""

    def __init__(self, browser, address):
        self.browser, self.driver, self.address = browser, browser.driver, address.partition("#")[0]
        self.driver.get(address)
        self.until(lambda: "devices" in self.text("#status"), "the page has begun")

    def until(self, holds, what, seconds=30):
        return WebDriverWait(self.driver, seconds, 0.05, ignored_exceptions=(Exception,)).until(lambda _: holds(), f"not in time: {what}")

    def drawn(self):
        """Waits until the page has drawn what is due in its next frame: for an assertion that something has not changed."""
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def named(self, kind, name, within="body"):
        """The control of that kind whose label is, or begins with, the name."""
        return self.until(lambda: self.browser.run("""
            const [kind, name, within] = arguments;
            const label = (one) => one.getAttribute("aria-label") ?? one.closest("label")?.textContent ?? one.textContent;
            const all = [...document.querySelectorAll(`${within} ${kind}`)].filter((one) => !one.closest("[hidden]"));
            return all.find((one) => label(one).trim() === name) ?? all.find((one) => label(one).trim().startsWith(name));
        """, kind, name, within), f"{kind} {name}")

    def click(self, kind, name, within="body"):
        # Rows are drawn again at any moment: what was found may have gone.
        def clicked():
            self.named(kind, name, within).click()
            return True
        self.until(clicked, f"{kind} {name} is clicked")

    def type(self, name, text, within="body", kind="input"):
        field = self.named(kind, name, within)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text if text else Keys.DELETE)

    def choose(self, name, value, within="body"):
        # What can be chosen may be asked of the server first.
        self.until(lambda: self.browser.run("""
            const [select, value] = arguments;
            select.value = value;
            if (select.value !== value) return false;
            select.dispatchEvent(new Event("change"));
            return true;
        """, self.named("select", name, within), value), f"{name} {value}")

    def go(self, view):
        self.click("#views a", view)
        self.until(lambda: self.text("h2") == view, f"the view {view}")

    def names(self):
        """The names in the table, from the top."""
        return self.browser.run("""
            return [...document.querySelectorAll(".table li")].sort((one, other) => parseInt(one.style.top) - parseInt(other.style.top))
              .map((row) => row.querySelector(".name").textContent)""")

    def open(self, name):
        self.click(".table li a", name)
        self.until(lambda: self.text("h2") == name, f"the view of {name}")

    def show(self, fragment):
        """The view at that address, of a tab or of a device: `#/device/Lamp` is connected, with its values and descriptors."""
        place, _, name = fragment.rpartition("/")
        if place != "#/device":
            self.driver.get(self.address + fragment)
            return self.until(lambda: self.text("h2"), "the view")
        devices = self.until(lambda: self.browser.run("""
            return import("./live.js").then(({state}) => [...state.devices.values()].map(({name, identifier}) => [name, identifier]))"""), "devices")
        self.driver.get(f"{self.address}#/device/{dict(devices)[name]}")
        self.until(lambda: self.text("h2") == name, f"the view of {name}")
        if not self.all(".characteristic"):
            self.until(lambda: self.one("main .bar button"), "the button").click()
        self.until(lambda: self.all(".characteristic"), f"{name} is connected")
        # The value of the first that can be read, and the descriptors of all: a later one may ask for a pairing.
        self.browser.run("""
            const controls = [...document.querySelectorAll(".characteristic > .bar:not(form)")];
            controls.find((one) => one.childElementCount > 1)?.firstElementChild.click();
            for (const one of controls) one.lastElementChild.click();""")
        self.until(lambda: self.all(".characteristic .value *") and self.all(".characteristic ul li"), "values and descriptors")

    def connect(self, name):
        self.open(name)
        self.click("button", "Connect")
        self.until(lambda: self.text("main [role=status]") == "ready" and self.all(".characteristic"), f"{name} is connected")
