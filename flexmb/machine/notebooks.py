"""What only notebooks do: they show HTML below a cell, change what they show, and play films in it."""

from __future__ import annotations

import base64
import html
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12 only the class of this system's paths can have subclasses

#: how the HTML of a file begins and ends, by the ending of its name
_PLAYERS = {
    ".gif": ('<img src="data:image/gif;base64,', '">'),
    ".png": ('<img style="max-width:100%" src="data:image/png;base64,', '">'),
    ".jpg": ('<img style="max-width:100%" src="data:image/jpeg;base64,', '">'),
    ".jpeg": ('<img style="max-width:100%" src="data:image/jpeg;base64,', '">'),
    ".mp4": ('<video controls loop style="max-width:100%" src="data:video/mp4;base64,', '"></video>'),
}
#: the largest file that is put into a notebook [byte]
LARGEST = 30_000_000


def in_notebook() -> bool:
    """Whether Python runs as the kernel of a notebook, so that HTML can be shown."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class Shown:
    """HTML below the cell that is running, which can be changed as long as the notebook is open; `text` stands there
    for programs that show no HTML."""

    def __init__(self, page: str, text: str) -> None:
        from IPython.display import display

        self._handle: Any = display(_bundle(page, text), raw=True, display_id=True)

    def change(self, page: str, text: str = "") -> None:
        """Show something else in its place."""
        self._handle.update(_bundle(page, text), raw=True)


def _bundle(page: str, text: str) -> dict[str, str]:
    return {"text/html": page, "text/plain": text}


def frame(page: str, size: tuple[int, int]) -> str:
    """A page that stands in a frame of its own, as wide as the notebook but at most of a size [pixel]. Its program
    sees nothing of the notebook around it."""
    width, height = size
    style = f"width:100%;max-width:{width}px;aspect-ratio:{width}/{height};border:0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


class ShownPath(_Path):
    """The path of a picture or a film that was written. It is a :class:`pathlib.Path`; at the end of a cell of a
    notebook the picture is shown, or the film plays."""

    def _repr_html_(self) -> str | None:
        if self.suffix.lower() not in _PLAYERS or not self.is_file() or self.stat().st_size > LARGEST:
            return None
        begin, end = _PLAYERS[self.suffix.lower()]
        return begin + base64.b64encode(self.read_bytes()).decode("ascii") + end
