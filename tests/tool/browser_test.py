"""Clicks through the page of `nnrt plan` in a headless Chromium, by chromedriver's HTTP interface.

usage: browser_test.py NNRT MODEL CHROMIUM CHROMEDRIVER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's number, by the WebDriver standard


class Browser:
    def __init__(self, chromium, chromedriver, folder):
        self.driver = subprocess.Popen([chromedriver, "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(found.group(1) for line in self.driver.stdout
                    if (found := re.search(r"started successfully on port (\d+)", line)))
        self.base = f"http://127.0.0.1:{port}/session"
        options = {"binary": chromium,
                   "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--window-size=1440,900", f"--user-data-dir={folder}/profile"]}
        capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
        self.base += "/" + self.call("POST", "", {"capabilities": capabilities})["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

    def click(self, selector):
        element = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{element[ELEMENT]}/click", {})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def check_page(browser):
    nodes = browser.script("return plan.nodes.length")
    check(browser.script("return document.querySelectorAll('.node').length") == nodes, "every node is drawn")
    check(browser.script("""
        const boxes = [...document.querySelectorAll('.node rect.box')].map((box) => box.getBoundingClientRect());
        return boxes.every((a, i) => boxes.every((b, k) => i === k || a.right <= b.left + 1 || b.right <= a.left + 1 ||
                                                           a.bottom <= b.top + 1 || b.bottom <= a.top + 1));"""),
          "no two nodes overlap")
    check(browser.script("""
        return [...document.querySelectorAll('.node')].every((node) => {
          const box = node.querySelector('.box').getBoundingClientRect();
          return [...node.querySelectorAll('text')].every((text) => text.getBoundingClientRect().right <= box.right);
        });"""), "every label fits into its node")

    browser.click("#node-1")
    check(browser.script("return document.querySelector('#details h2').textContent") == "CONV2D",
          "a click on a node shows its operator")
    details = browser.script("return document.querySelector('#details').textContent")
    check("FLOAT32 [" in details and "strides" in details, "its tensors and attributes")
    check(browser.script("return document.querySelectorAll('.edge.lit').length") > 0, "its edges light up")

    browser.click("[data-view=operations]")
    rows = "document.querySelectorAll('#operations tbody tr')"
    check(browser.script(f"return {rows}.length") == browser.script("return operations.length"), "a row for each operation")
    browser.click("#operations tbody tr:last-child")
    check(browser.script("return document.querySelector('#details h2').textContent") ==
          browser.script(f"return [...{rows}].at(-1).children[1].textContent"), "a click on a row selects its operation")
    browser.click("#operations th:nth-child(2) button")
    names = browser.script(f"return [...{rows}].map((row) => row.children[1].textContent)")
    check(names == sorted(names), "a click on a title sorts the rows")

    browser.click("[data-view=memory]")
    check(browser.script("return document.querySelectorAll('#memory .block').length") > 0, "memory is drawn")
    errors = [entry["message"] for entry in browser.call("POST", "/se/log", {"type": "browser"})]
    check(errors == [], f"the page has no errors {errors}")


def main():
    nnrt, model, chromium, chromedriver = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "plan.html"
        subprocess.run([nnrt, "plan", model, "--profile", "--html", page], check=True, stdout=subprocess.DEVNULL)
        browser = Browser(chromium, chromedriver, folder)
        try:
            browser.call("POST", "/url", {"url": page.as_uri()})
            check_page(browser)
        finally:
            browser.close()


main()
