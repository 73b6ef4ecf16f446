"""The page of a prompt, opened in Debian's chromium: what a reader sees, in light and in dark.

Not among the README's tests, since it needs a browser. The page runs no script, so a page around
it looks at it from outside and writes what it finds into its own document.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from textcore.chat.diagnostics import Finding
from textcore.chat.page import DARK, LIGHT, prompt_page
from textcore.chat.segments import prompt_segments
from textcore.data import default_tokenizer

PROMPT = (
    "<|im_start|>user\n  Hi 你好 👩‍👩‍👧‍👦!\n\n"
    "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
    "</div></span>\u202e &amp; \x1b<|im_end|>\n<think>\n"
)
FINDING = Finding("tool-ignored", "the template ignores <b>clock</b>", "</code><h1>")
SCHEMES = {"dark": (0, DARK), "light": (1, LIGHT)}

HARNESS = """<!DOCTYPE html>
<meta charset="utf-8">
<iframe width="900" height="700" srcdoc="%s"></iframe>
<pre id="seen"></pre>
<script>
addEventListener("load", () => {
  const view = document.querySelector("iframe").contentWindow;
  const page = view.document;
  const look = (element) => {
    const style = view.getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return {text: element.textContent, kind: element.className, ids: element.title,
      ink: style.color, background: style.backgroundColor, area: box.width * box.height};
  };
  const seen = {
    title: page.title,
    body: look(page.body),
    tokens: [...page.querySelectorAll("span")].map(look),
    warnings: [...page.querySelectorAll(".warnings li")].map(look),
    hidden: [...page.querySelectorAll(".hidden")].map(
      (element) => view.getComputedStyle(element, "::before").content),
    elements: [...new Set([...page.querySelectorAll("*")].map((element) => element.localName))],
    overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
  };
  // Hexadecimal, so that nothing of it means anything in this document.
  const bytes = new TextEncoder().encode(JSON.stringify(seen));
  document.querySelector("#seen").textContent =
    [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
});
</script>
"""


def chromium(tmp_path: Path, *options: str) -> str:
    """What a headless browser prints. A missing browser is a failure, not a skip."""
    program = shutil.which("chromium")
    assert program is not None, "chromium is not installed (apt-get install chromium)"
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1000,800"]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def page(show_ids: bool = True) -> str:
    segments = prompt_segments(default_tokenizer(), PROMPT)
    return prompt_page("A <title>", segments, [FINDING], show_ids)


@pytest.fixture(scope="module", params=SCHEMES)
def scheme(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def seen(scheme, tmp_path_factory) -> dict:
    """What the browser makes of the page, in one colour scheme."""
    folder = tmp_path_factory.mktemp(scheme)
    around = folder / "around.html"
    around.write_text(HARNESS % html.escape(page()), encoding="utf-8")
    setting = f"--blink-settings=preferredColorScheme={SCHEMES[scheme][0]}"
    dom = chromium(folder, setting, "--virtual-time-budget=5000", "--dump-dom", around.as_uri())
    found = re.search(r'<pre id="seen">([0-9a-f]+)</pre>', dom)
    assert found, dom[-2000:]
    return json.loads(bytes.fromhex(found[1]))


def rgb(colour: str) -> str:
    """A colour as the browser writes it."""
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def test_the_tokens_are_those_of_the_prompt(seen):
    # Hidden characters are marks in the page, and no text.
    shown = PROMPT.replace("\u202e", "").replace("\x1b", "")
    assert "".join(token["text"] for token in seen["tokens"]) == shown
    ids = [int(id) for token in seen["tokens"] for id in token["ids"].split(", ")]
    assert ids == default_tokenizer().encode(PROMPT)


def test_hidden_characters_are_named(seen):
    assert seen["hidden"] == ['"U+202E"', '"U+001B"']


def test_nothing_in_the_prompt_is_live(seen):
    assert seen["title"] == "A <title>"
    assert not {"script", "img", "b"} & set(seen["elements"])


def test_every_token_can_be_seen(seen):
    without = {token["text"] for token in seen["tokens"] if token["area"] <= 0}
    assert without <= set("👩‍👩‍👧‍👦")  # one picture, though of seven tokens
    assert seen["overflow"] <= 0


def test_colours_are_those_of_the_scheme(seen, scheme):
    colours = SCHEMES[scheme][1]
    assert seen["body"]["ink"] == rgb(colours["ink"])
    assert seen["body"]["background"] == rgb(colours["paper"])
    for token in seen["tokens"]:
        kind = token["kind"].removeprefix("t ")
        ink = "control-ink" if kind == "control" else "ink"
        assert (token["ink"], token["background"]) == (rgb(colours[ink]), rgb(colours[kind]))


def test_control_tokens_are_marked(seen):
    control = [token["text"] for token in seen["tokens"] if token["kind"] == "t control"]
    assert control == ["<|im_start|>", "<|im_end|>", "<think>"]


def test_the_warning_is_there_as_text(seen, scheme):
    (warning,) = seen["warnings"]
    assert warning["text"] == f"{FINDING.code}: {FINDING.message}{FINDING.evidence}"
    assert warning["background"] == rgb(SCHEMES[scheme][1]["warning"])


def test_the_page_itself_opens(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(), encoding="utf-8")
    picture = tmp_path / "page.png"
    chromium(tmp_path, f"--screenshot={picture}", path.as_uri())
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    dom = chromium(tmp_path, "--dump-dom", path.as_uri())
    assert "<title>A &lt;title&gt;</title>" in dom
