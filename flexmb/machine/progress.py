"""Progress bars: one line that moves, on a terminal or below the cell of a notebook, and nothing elsewhere."""

from __future__ import annotations

import html
import sys
import time
from typing import Any

from flexmb.machine.notebooks import Shown, in_notebook

#: a bar appears after this time [s], and in a notebook it moves after this time again
PATIENCE, PERIOD = 1.0, 0.1


class NoTerminal:
    """A stream that claims to be no terminal, so that runs within a study draw no progress bars of their own."""

    def __init__(self, stream: Any):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def isatty(self) -> bool:
        """False: no terminal."""
        return False


class ProgressBar:
    """A bar that appears after a second, and leaves nothing behind. `name`: of what goes on; it is done at `total`."""

    def __init__(self, name: str, total: float, wanted: bool = True):
        self._name, self._total, self._wanted = name, total, wanted
        self._begun = time.perf_counter()
        self._bar: _Terminal | _Notebook | None = None

    def show(self, done: float, text: str) -> None:
        """Show how much is done of the total, and a `text` about it."""
        if not self._wanted or time.perf_counter() - self._begun < PATIENCE:
            return
        if self._bar is None:
            inside = in_notebook() and not isinstance(sys.stderr, NoTerminal)
            self._bar = (_Notebook if inside else _Terminal)(self._name, self._total)
        self._bar.show(done, text)

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class _Terminal:
    """A bar of the package rich, where the error stream is a terminal."""

    def __init__(self, name: str, total: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"))
        self._bar = Progress(
            *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
        )
        self._bar.start()
        self._task = self._bar.add_task(name, total=total, text="")

    def show(self, done: float, text: str) -> None:
        self._bar.update(self._task, completed=done, text=text)

    def stop(self) -> None:
        self._bar.stop()


class _Notebook:
    """A bar below the cell that is running. At the end it is empty: what else the cell shows stays as it is."""

    def __init__(self, name: str, total: float) -> None:
        self._name, self._total = name, total
        self._begun, self._moved = time.perf_counter(), 0.0
        self._before: float | None = None
        self._shown: Shown | None = None

    def show(self, done: float, text: str) -> None:
        now = time.perf_counter()
        if now - self._moved < PERIOD:
            return
        self._moved = now
        if self._before is None:
            self._before = done
        rate = (done - self._before) / max(now - self._begun, 1e-9)
        left = f", {round((self._total - done) / rate)} s left" if rate > 0.0 else ""
        line = f"{self._name}: {text}{left}"
        share = min(max(done / self._total, 0.0), 1.0) if self._total else 0.0
        page = f'<progress value="{share:.4f}" max="1"></progress> {html.escape(line)}'
        if self._shown is None:
            self._shown = Shown(page, line)
        else:
            self._shown.change(page, line)

    def stop(self) -> None:
        if self._shown is not None:
            self._shown.change("")
