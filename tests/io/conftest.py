"""Files for readers."""

from __future__ import annotations

import pytest


@pytest.fixture
def written(tmp_path):
    """Write a URDF of some elements."""

    def write(*parts, text=None):
        path = tmp_path / "robot.urdf"
        path.write_text(text or f'<robot name="robot">{"".join(parts)}</robot>')
        return path

    return write
