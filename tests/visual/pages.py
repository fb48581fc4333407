"""Pictures and pages as files: what is in them, and whether pictures can be drawn here."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest
from PIL import Image

from flexmb.errors import DisplayError
from flexmb.visual import screens


def _draws() -> bool:
    try:
        screens.check_off_screen()
    except DisplayError:
        return False
    return True


needs_drawing = pytest.mark.skipif(not _draws(), reason="there is neither a display here nor EGL or OSMesa")


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), dtype=int)


def page_parts(path):
    """The parts of a page: its text without numbers, its head and its numbers."""
    text = path.read_text(encoding="utf-8")
    head = json.loads(re.search(r'<script id="head"[^>]*>(.*?)</script>', text, re.DOTALL).group(1))
    data = base64.b64decode(re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL).group(1))
    return text, head, data


def numbers(data, where, kind):
    return np.frombuffer(data, dtype=kind, count=where[1], offset=where[0])
