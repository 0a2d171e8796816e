# SPDX-License-Identifier: Apache-2.0
"""The page as bytes: well formed, closed in itself, safe with hostile input, the same for the same
results.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

sys.path.insert(0, os.path.dirname(__file__))
import sample  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
folder = tempfile.TemporaryDirectory()
VOID = {"meta", "link", "br", "hr", "img", "input", "col"}
URL_ATTRIBUTES = {"href", "src", "action", "formaction", "data", "poster", "xlink:href", "srcset"}


def page(content):
    path, html = os.path.join(folder.name, "results.jsonl"), os.path.join(folder.name, "page.html")
    with open(path, "wb") as file:
        file.write(content)
    done = subprocess.run([ASSAY, "report", "--html", html, path], capture_output=True, text=True,
                          check=False)
    assert done.returncode == (0 if b'"record": "case"' in content else 4), done.stderr
    with open(html, "rb") as file:
        return file.read()


class Reader(HTMLParser):
    """Collects what must hold of a closed page."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.faults, self.elements = [], [], [], [], {}

    def handle_starttag(self, tag, attributes):
        self.elements[tag] = self.elements.get(tag, 0) + 1
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name.startswith("on"):
                self.faults.append(f"{tag} {name}")
            if name in URL_ATTRIBUTES:
                self.links.append(value)
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.faults.append(f"{tag} repeats an attribute")
        if tag in ("iframe", "object", "embed", "form", "base"):
            self.faults.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")


for name, content in (("sample", sample.small()), ("hostile", sample.hostile()),
                      ("many", sample.many(3000, 5)),
                      ("empty", sample.lines(sample.header(), []))):
    html = page(content)
    text = html.decode("utf-8")
    reader = Reader()
    reader.feed(text)
    reader.close()
    script = re.findall(r"<script>(.*?)</script>", text, flags=re.S)
    allowed = re.findall(r"script-src 'sha256-([^']+)'", text)
    check(reader.elements.get("script") == len(script) == 1 and allowed
          == [base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()],
          f"{name}: one script, and no other may run", allowed)
    check(not reader.faults and not reader.open,
          f"{name}: every element is closed and none is forbidden",
          (reader.faults[:5], reader.open))
    check(len(reader.ids) == len(set(reader.ids)), f"{name}: no id stands twice")
    broken = [link for link in reader.links if link != "data:,"
              and not (link.startswith("#") and link[1:] in reader.ids)]
    check(not broken, f"{name}: every link leads to a place on the page", broken[:5])
    check("://" not in re.sub(r"<style>.*?</style>", "", text, flags=re.S) and "url(" not in text
          and "@import" not in text,
          f"{name}: nothing is fetched")
    named = (r"<svg [^>]*role=\"img\"[^>]*aria-label=\"[^\"]+\"[^>]*>"
             r"<title>[^<]+</title><desc>[^<]+")
    check(reader.elements.get("svg", 0) == len(re.findall(named, text)),
          f"{name}: every drawing has a name and a description")
    check(not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text),
          f"{name}: no control character")
    check(html == page(content), f"{name}: the same results give the same bytes")

text = page(sample.small()).decode()
for wanted in ("1 of 4 targets conform, 2 do not", "equals the reference bit for bit with rounds=9",
               "none of 496 profiles", "assay run uniform/example-1",
               "Map of wrong elements", "Used part of the radius", "Errors in ulp",
               "reference only", "first under", "last &lt;line&gt; &amp; more",
               "1 / e", "0 of 1 killed", "ratio 3.00", "the example that the text prints",
               "{&quot;id&quot;: &quot;example-1&quot;}", "assay show example-1 --suite uniform",
               "<dt>U-E1, example 2</dt><dd>The text: 7 &lt; 5 &amp; nothing of bounds.<br>"
               "Read as: 5 &lt; 7.</dd>"):
    check(wanted in text, f"the page says: {wanted}")
# 3e9c5ce8 and 3e9c5ce9 differ in the last bit alone.
check("0<i>01111101</i><i>0011100010111001110100<b>0</b></i>" in text,
      "only the differing bit is marked")
for count, every in ((3000, 2), (25000, 10), (25000, 1)):
    size = len(page(sample.many(count, every)))
    check(size < 5_000_000, f"{count} cases, {count // every} of them failures: {size} bytes")
finish()
