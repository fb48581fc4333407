"""Outside of notebooks: paths of films are paths, and no progress bar is drawn where there is no terminal."""

from __future__ import annotations

import copy
import io
import pickle
import sys
from pathlib import Path

from flexmb.machine.notebooks import ShownPath, frame, in_notebook
from flexmb.machine.progress import PATIENCE, ProgressBar


def test_the_path_of_a_film_is_a_path_that_a_notebook_can_show(tmp_path):
    path = ShownPath(tmp_path / "film.mp4")
    assert isinstance(path, Path) and path == tmp_path / "film.mp4" and str(path).endswith("film.mp4")
    assert pickle.loads(pickle.dumps(path)) == copy.copy(path) == path and {path: 1}[tmp_path / "film.mp4"] == 1
    assert path._repr_html_() is None  # there is no file
    path.write_bytes(b"film")
    assert (
        path._repr_html_()
        == '<video controls loop style="max-width:100%" src="data:video/mp4;base64,ZmlsbQ=="></video>'
    )
    assert path.parent._repr_html_() is None and path.with_suffix(".txt")._repr_html_() is None
    (tmp_path / "a.gif").write_bytes(b"GIF")
    assert ShownPath(tmp_path / "a.gif")._repr_html_() == '<img src="data:image/gif;base64,R0lG">'


def test_a_page_in_a_frame_ends_no_attribute():
    shown = frame('<p title="a">&</p>', (900, 600))
    assert shown.count('"') == 6 and "&lt;p title=&quot;a&quot;&gt;&amp;&lt;/p&gt;" in shown


def test_without_terminal_or_notebook_no_bar_is_drawn(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert not in_notebook()
    bar = ProgressBar("run", 2.0)
    bar._begun -= PATIENCE
    bar.show(1.0, "1 of 2")
    bar.stop()
    assert stream.getvalue() == ""
