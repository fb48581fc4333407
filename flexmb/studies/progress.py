"""The progress bar of a study."""

from __future__ import annotations

import time
from typing import Any


class Progress:
    """A bar on the terminal, which appears after one second."""

    def __init__(self, name: str, total: int, wanted: bool):
        self._name, self._total, self._wanted = name, total, wanted
        self._begun = time.perf_counter()
        self._bar: Any = None

    def show(self, done: int, lost: int) -> None:
        """Show how many runs are done, and how many of them have no results."""
        if not self._wanted or time.perf_counter() - self._begun < 1.0:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            console = Console(stderr=True)
            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed} of {task.total} runs{task.fields[lost]}"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
                disable=not console.is_terminal,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._name, total=self._total, lost="")
        self._bar.update(self._task, completed=done, lost=f", {lost} failed" if lost else "")

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
