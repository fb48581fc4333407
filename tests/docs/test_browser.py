"""A browser without a screen typesets formulas of the site and turns a view, and asks the network for nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

import flexmb as fm
from docs.tools.places import DOCS

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
SWITCHES = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")

#: drags the canvas of a page to the side, and says what is seen before and after, and how the camera stands
DRAG = """
setTimeout(() => {
  const canvas = document.getElementById("view"), seen = [canvas.toDataURL()], before = axes.map(row => row.slice());
  const at = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind,
    {pointerId: 1, clientX: x, clientY: y, buttons: 1, isPrimary: true, bubbles: true}));
  canvas.setPointerCapture = () => {};
  at("pointerdown", 300, 200); at("pointermove", 380, 220); at("pointermove", 460, 260); at("pointerup", 460, 260);
  setTimeout(() => {
    seen.push(canvas.toDataURL());
    document.title = JSON.stringify({changed: seen[0] !== seen[1], before: before, after: axes, up: head.up});
  }, 500);
}, 500);
"""


def opened(page, folder) -> tuple[str, list[str]]:
    """The document of a page after its scripts have run, and the addresses that it asked for."""
    log = folder / "net.json"
    options = (f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--virtual-time-budget=15000")
    command = [str(BROWSER), *SWITCHES, *options, "--window-size=900,700", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    asked = re.findall(r'"url":"((?:https?|wss?|ftp):[^"]*)"', log.read_text(encoding="utf-8"))
    # the browser's own errands, which it does whatever page is open
    return done.stdout, [url for url in asked if not re.search(r"//[^/]*\.?(google|gvt1|googleapis)\.com", url)]


def test_formulas_are_typeset_by_the_file_beside_the_pages(tmp_path):
    script = (DOCS / "_static" / "mathjax" / "tex-svg.js").as_uri()
    page = tmp_path / "page.html"
    settings = {"options": {"enableMenu": False}, "svg": {"fontCache": "local"}}
    formula = r"\[\varepsilon = \frac{\bar u_4}{L} + \tfrac1{2L}\, g^{\mathsf T} S(L)\, g\]"
    page.write_text(
        f"<html><head><script>window.MathJax = {json.dumps(settings)}</script><script src='{script}'></script></head>"
        f"<body><p>{formula}</p></body></html>",
        encoding="utf-8",
    )
    document, asked = opened(page, tmp_path)
    assert document.count("<mjx-container") == 1 and "<svg" in document and '<g data-mml-node="merror"' not in document
    assert asked == []


def test_a_view_turns_upright_when_it_is_dragged(tmp_path):
    model = fm.SpatialModel("top", gravity=(0, 0, -9.81))
    body = model.add_body("brick", shape=fm.Box((0.4, 0.3, 0.2)), density=1000.0)
    model.spherical(model.ground, body.attach("corner", (-0.2, -0.15, -0.1)), name="ball")
    page = tmp_path / "top.html"
    fm.View(model).html(page)
    page.write_text(
        page.read_text(encoding="utf-8").replace("</body>", f"<script>{DRAG}</script></body>"), encoding="utf-8"
    )
    document, asked = opened(page, tmp_path)
    said = json.loads(re.search(r"<title>(.*?)</title>", document)[1])
    assert said["changed"]
    assert said["before"] != said["after"]
    assert sum(x * y for x, y in zip(said["after"][0], said["up"], strict=True)) == pytest.approx(0.0, abs=1e-9)
    assert asked == []


def test_what_a_script_asks_for_is_seen(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<html><body><script>fetch('http://127.0.0.1:9/x.js').catch(() => 0)</script></body></html>")
    assert opened(page, tmp_path)[1] != []
