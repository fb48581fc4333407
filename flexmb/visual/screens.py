"""Whether this machine can open a window, and whether it can draw without one.

VTK ends the whole process when the display it needs is missing, so flexmb checks this first.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from flexmb.errors import DisplayError, MissingExtraError

_X11 = ("libX11.so.6", "libX11.so")
_OFF_SCREEN = ("libEGL.so.1", "libEGL.so", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")


def check_window() -> None:
    """Raise a DisplayError when no window can be opened here."""
    if sys.platform != "linux":
        return
    advice = "use .screenshot, .movie or .html, which need no screen"
    name = os.environ.get("DISPLAY", "")
    if not name:
        other = os.environ.get("WAYLAND_DISPLAY", "")
        wayland = f"; WAYLAND_DISPLAY is {other!r}, but windows are opened through X: start Xwayland" if other else ""
        raise DisplayError(f"window: there is no display here (DISPLAY is not set{wayland}); {advice}")
    if not _display_answers():
        raise DisplayError(f"window: the display {name!r} of DISPLAY does not answer; correct DISPLAY, or {advice}")


def check_off_screen() -> None:
    """Raise a DisplayError when no picture can be drawn here, with a screen or without."""
    if sys.platform != "linux" or _display_answers() or any(_library(name) for name in _OFF_SCREEN):
        return
    raise DisplayError(
        "picture: this machine has no display and neither of the libraries EGL and OSMesa, by which pictures are drawn "
        "without one; install one of them (Debian: libegl1 with libgl1-mesa-dri, or libosmesa6), or use .html, which "
        "draws in the browser"
    )


def pyvista() -> ModuleType:
    """The package pyvista."""
    try:
        import pyvista
    except ImportError as why:
        raise MissingExtraError(
            "pictures in space are drawn by the package pyvista, which is not installed: pip install pyvista"
        ) from why
    return pyvista


@contextmanager
def silent_vtk() -> Iterator[None]:
    """Keep VTK from writing about the drawing libraries that it looks for and does not find."""
    from vtkmodules.vtkCommonCore import vtkLogger

    before = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(vtkLogger.ConvertToVerbosity(before))


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _display_answers() -> bool:
    """Whether the X server that DISPLAY names takes a connection."""
    if not os.environ.get("DISPLAY"):
        return False
    x = next((lib for lib in map(_library, _X11) if lib is not None), None)
    if x is None:
        return False
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XOpenDisplay.argtypes = [ctypes.c_char_p]
    x.XCloseDisplay.argtypes = [ctypes.c_void_p]
    connection = x.XOpenDisplay(None)
    if not connection:
        return False
    x.XCloseDisplay(connection)
    return True
