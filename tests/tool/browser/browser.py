"""A headless Chromium, driven through chromedriver's HTTP interface."""
import json
import re
import subprocess
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver's key of an element id


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
        try:
            self.base += "/" + self.call("POST", "", {"capabilities": capabilities})["sessionId"]
        except OSError:  # no browser
            self.driver.kill()
            raise

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, page):
        self.call("POST", "/url", {"url": page.as_uri()})

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

    def element(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/click", {})

    def type(self, selector, text):
        self.call("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def clear(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/clear", {})

    def screenshot(self):
        return self.call("GET", "/screenshot")

    def devtools(self, command, **arguments):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": arguments})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 500)

    def theme(self, name):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
