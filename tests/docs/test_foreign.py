"""Nothing of the site is loaded from elsewhere; `python -m docs build` fails if something is."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from docs import __main__ as commands
from docs.tools.foreign import in_page, in_site


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://example.org/x.js"></script>',
        '<img src="//example.org/x.png">',
        '<img srcset="a.png 1x, https://example.org/x.png 2x">',
        '<link rel="stylesheet" href="http://example.org/x.css">',
        '<link rel="preconnect" href="https://example.org">',
        "<style>@import 'https://example.org/x.css';</style>",
        '<p style="background: url(https://example.org/x.png)"></p>',
        '<iframe src="HTTPS://example.org"></iframe>',
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(text):
    assert len(in_page(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://example.org">a source</a>',
        '<link rel="canonical" href="https://example.org/page.html">',
        '<img src="../_images/x.png"><script src="x.js"></script>',
        '<img src="data:image/svg+xml;base64,Ly9h">',
        "<style>a { background: url(x.png) }</style>",
    ],
)
def test_what_is_linked_or_near_is_not(text):
    assert in_page(text) == []


def test_a_site_tells_where(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text("<p></p>", encoding="utf-8")
    (tmp_path / "sub" / "a.css").write_text("@import url('https://example.org/b.css');", encoding="utf-8")
    assert in_site(tmp_path) == ["sub/a.css loads https://example.org/b.css"]


def test_a_build_with_a_foreign_address_fails(tmp_path, monkeypatch):
    pytest.importorskip("sphinx")
    (tmp_path / "index.html").write_text('<img src="https://example.org/x.png">', encoding="utf-8")
    monkeypatch.setattr(commands, "HTML", tmp_path)
    monkeypatch.setattr(commands, "prepare", lambda: None)
    monkeypatch.setattr("sphinx.cmd.build.build_main", lambda arguments: 0)
    result = CliRunner().invoke(commands.main, ["build"])
    assert result.exit_code == 1 and "index.html loads https://example.org/x.png" in result.output
