# SPDX-License-Identifier: Apache-2.0
"""The page in a headless Chromium, spoken to over a pipe: it renders, its links and tools work.

Screenshots at desktop and phone width are left in $BUILD/screenshots for whoever wants to look.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import sample  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
CHROMIUM = (shutil.which("chromium") or shutil.which("chromium-browser")
            or shutil.which("google-chrome"))

if not CHROMIUM:
    skip("the page in a browser", "no Chromium (scripts/setup full)")
    finish()


class Browser:
    """Chromium's DevTools protocol over its pipe: JSON texts, each ended by a NUL."""

    def __init__(self, folder):
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()

        def arrange():
            os.dup2(to_read, 33)
            os.dup2(from_write, 34)
            os.dup2(33, 3)
            os.dup2(34, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--disable-extensions",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile",
             "about:blank"],
            preexec_fn=arrange, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.serial, self.buffer, self.events, self.session = 0, b"", [], None
        target = [t for t in self.call("Target.getTargets")["targetInfos"]
                  if t["type"] == "page"][0]["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("the browser ended")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.serial += 1
        message = {"id": self.serial, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.serial:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.receive())

    def open(self, path, width, height, dark=False, media=""):
        self.events = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 9000),
                "scale": 1}
        data = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def messages(self):
        return [e for e in self.events if e.get("method") in ("Log.entryAdded",
                                                              "Runtime.consoleAPICalled",
                                                              "Runtime.exceptionThrown")]

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(timeout=20)


# WCAG's contrast of every piece of text against what lies behind it.
CONTRAST = """(() => {
  const luminance = c => { const v = c.slice(0, 3).map(x => { x /= 255;
    return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4 });
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] };
  const parse = s => s.match(/[\\d.]+/g).map(Number);
  const ground = e => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c }
    return [255, 255, 255] };
  let worst = 21, where = "";
  for (const e of document.querySelectorAll("main *, header *")) {
    if (e.closest("svg")
        || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
    const a = luminance(parse(getComputedStyle(e).color)), b = luminance(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst) { worst = ratio; where = e.outerHTML.slice(0, 120) }
  }
  return [worst, where];
})()"""

# What reaches beyond the window, with everything opened, and lies in nothing that scrolls.
CUT = """(() => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  return [...document.querySelectorAll("main *, header *")].filter(e => {
    const r = e.getBoundingClientRect();
    return r.width && r.right > innerWidth + 1 && !e.closest("svg, .wide") })
    .slice(0, 3).map(e => e.outerHTML.slice(0, 120));
})()"""
SHOWN = "[...document.querySelectorAll('.failure > summary')].filter(e => e.checkVisibility())"


def finds(browser, words, kind=""):
    """Types into the search: the names of the failures that are left."""
    browser.value(f"document.getElementById('kind').value = {json.dumps(kind)};"
                  f"document.getElementById('search').value = {json.dumps(words)};"
                  "document.getElementById('search').oninput()")
    time.sleep(0.5)
    return browser.value(SHOWN + ".map(e => e.firstElementChild.textContent)")


def scripted(browser, page):
    """Search, filters and copy buttons."""
    browser.open(page, 1280, 900)
    check(set(finds(browser, "")) >= {"example-1", "lstm-long", "crash"}, "all failures are shown")
    check(finds(browser, "segmentation FAULT") == ["crash"], "a search leaves what holds the words",
          finds(browser, "segmentation FAULT"))
    check(finds(browser, "tail-f32-8 ") == ["example-1"]
          and browser.value("[...document.querySelectorAll('.list li')].filter(e => "
                            "e.checkVisibility()).map(e => e.textContent)")
          == 3 * ["tail-f32-8"], "it looks at cases that passed as well")
    finds(browser, "", "known")
    check(browser.value("[...document.querySelectorAll('.cause')].filter(e => e.checkVisibility())"
                        ".map(e => e.parentElement.dataset.kind)") == ["known"],
          "a filter leaves one kind")
    finds(browser, "")
    browser.value("document.querySelector('.command button').click()")
    time.sleep(0.3)
    check(browser.value("document.querySelector('.command button').textContent") == "copied",
          "a command is copied")


def unscripted(browser, page):
    """Without the script everything is there but the tools."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page, 1280, 900)
    check(browser.value("!document.getElementById('tools').checkVisibility() && "
                        "!document.querySelector('button')"), "without a script there are no tools")
    check(browser.value(SHOWN + ".length") >= 3, "and the failures stand there")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def large(browser, folder):
    """25,000 cases, one in ten of them a failure."""
    path, page = os.path.join(folder, "large.jsonl"), os.path.join(folder, "large.html")
    with open(path, "wb") as file:
        file.write(sample.many(25000, 10))
    subprocess.run([ASSAY, "report", "--html", page, path], check=True)
    start = time.monotonic()
    browser.open(page, 1280, 900)
    seconds, high = time.monotonic() - start, browser.value("document.body.scrollHeight")
    check(seconds < 5, f"25,000 cases load in {seconds:.1f} s")
    check(high < 30000, f"and are {high} pixels tall")


with tempfile.TemporaryDirectory() as folder:
    shots = os.path.join(BUILD, "screenshots")
    os.makedirs(shots, exist_ok=True)
    pages = {}
    for name, content in (("sample", sample.small()), ("hostile", sample.hostile())):
        path = os.path.join(folder, name + ".jsonl")
        with open(path, "wb") as file:
            file.write(content)
        pages[name] = os.path.join(folder, name + ".html")
        subprocess.run([ASSAY, "report", "--html", pages[name], path], check=True)
    # What a real run leaves: a library that conforms, one that does not, and mutants; and what
    # `make certify` left, when it was run.
    real = [os.path.join(folder, f"real-{i}.jsonl") for i in range(3)]
    for i, choice in enumerate((["--target", "reference"],
                                ["--plugin", os.path.join(BUILD, "zoo", "nine_rounds.so")])):
        subprocess.run([ASSAY, "certify", *choice, "--suite", "philox", "--quiet", "--out",
                        real[i]], capture_output=True, check=False)
    subprocess.run([ASSAY, "mutants", "--suite", "philox", "--matrix", "--out", real[2]],
                   capture_output=True, check=True)
    pages["real"] = os.path.join(folder, "real.html")
    subprocess.run([ASSAY, "report", "--html", pages["real"], *real], check=True)
    if os.path.exists(os.path.join(BUILD, "certify", "report.html")):
        pages["certify"] = os.path.join(BUILD, "certify", "report.html")
    browser = Browser(folder)
    try:
        for name, path in pages.items():
            for kind, width, height, dark in (("desktop", 1280, 900, False),
                                              ("phone", 400, 844, False),
                                              ("dark phone", 400, 844, True),
                                              ("dark", 1280, 900, True)):
                browser.open(path, width, height, dark)
                browser.screenshot(os.path.join(shots, f"{name}-{kind}.png"))
                height = "document.querySelector('h1').getBoundingClientRect().height"
                check(browser.value(height) > 10, f"{name}, {kind}: the verdict is drawn")
                check(browser.value("document.documentElement.scrollWidth") <= width,
                      f"{name}, {kind}: the page is no wider than the window",
                      browser.value("document.documentElement.scrollWidth"))
                check(not browser.value(CUT), f"{name}, {kind}: nothing is cut",
                      browser.value(CUT))
                worst = browser.value(CONTRAST)
                check(worst[0] >= 4.5,
                      f"{name}, {kind}: text stands out from its ground ({worst[0]:.1f} to 1)",
                      worst)
                check(not browser.messages(), f"{name}, {kind}: nothing on the console",
                      browser.messages()[:2])
                check(len(browser.requests()) <= 1
                      + sum(u.startswith("data:") for u in browser.requests()),
                      f"{name}, {kind}: nothing is fetched",
                      browser.requests())
        browser.open(pages["hostile"], 1280, 900)
        check(browser.value("document.scripts.length") == 1, "hostile: no script came to be")
        scripted(browser, pages["sample"])
        unscripted(browser, pages["sample"])
        large(browser, folder)
        browser.open(pages["sample"], 1280, 900)
        check(browser.value("document.querySelectorAll('svg').length") >= 8,
              "the drawings are there")
        broken = browser.value("[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => "
                               "!document.getElementById(a.hash.slice(1))).length")
        check(broken == 0, "every link has its place")
        browser.value("document.querySelector('.matrix a[href^=\"#r1-2\"]').click()")
        check(browser.value("document.getElementById('r1-2').closest('details').open"),
              "a link of the matrix opens the cases behind it")
        browser.value("document.querySelector('#r1-2 a').click()")
        check(browser.value("document.querySelector(':target').id") == "f1",
              "a case leads to its failure")
        nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
        nameless = [n for n in nodes if not n.get("ignored")
                    and n.get("role", {}).get("value") in ("image", "img", "link", "region",
                                                           "heading")
                    and not n.get("name", {}).get("value")]
        check(len(nodes) > 100 and not nameless,
              "everything that a screen reader announces has a name", nameless[:2])
        browser.open(pages["sample"], 800, 1100, media="print")
        check(browser.value("[...document.querySelectorAll('nav')].every(n => "
                            "getComputedStyle(n).display == 'none')"), "on paper there is no menu")
        pdf = base64.b64decode(browser.call("Page.printToPDF")["data"])
        check(pdf.startswith(b"%PDF") and len(pdf) > 20000, "the page prints")
    finally:
        browser.close()
finish()
