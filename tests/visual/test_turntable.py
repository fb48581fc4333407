"""Pages turn like a turntable: what is up stays upright."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib import resources

import numpy as np
import pytest

from flexmb.visual.cameras import CAMERAS, camera_axes

NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node to run the program of pages")


def turned(axes, up, steps):
    """The axes of the camera after each of steps (azimuth, rise), by the program of the page."""
    program = resources.files("flexmb.visual.rendering").joinpath("page.js").read_text(encoding="utf-8")
    function = re.search(r"^function turned\(.*?^}", program, re.DOTALL | re.MULTILINE).group()
    given = f"let axes = {json.dumps(np.asarray(axes).tolist())}; const up = {json.dumps(np.asarray(up).tolist())};"
    loop = f"const out = []; for (const [a, r] of {json.dumps(steps)}) out.push(axes = turned(axes, up, a, r));"
    text = "\n".join([function, given, loop, "console.log(JSON.stringify(out));"])
    done = subprocess.run([str(NODE), "-e", text], capture_output=True, text=True, check=True)
    return np.array(json.loads(done.stdout))


@needs_node
@pytest.mark.parametrize("camera", [*CAMERAS, (1.0, -2.0, 0.7)])
@pytest.mark.parametrize("up", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.48, 0.6, 0.64)])
def test_up_stays_upright_however_one_drags(camera, up):
    start = camera_axes(camera if isinstance(camera, str) else np.array(camera), np.array(up))
    steps = np.random.default_rng(1).normal(scale=1.5, size=(60, 2)).tolist()
    seen = turned(start, up, [[0.0, 0.0], *steps])
    assert np.allclose(seen[0], start)
    assert np.allclose(seen @ np.transpose(seen, (0, 2, 1)), np.eye(3)) and np.allclose(np.linalg.det(seen), 1.0)
    assert np.allclose(seen[:, 0] @ up, 0.0)  # nothing tilts to the side
    assert np.min(seen[:, 1] @ up) > -1e-9  # and nothing stands on its head


@needs_node
def test_a_drag_goes_round_and_up_by_the_angles_asked_for():
    up, start = np.array([0.0, 0.0, 1.0]), camera_axes("front", np.array([0.0, 0.0, 1.0]))
    around, above, beyond, back = turned(start, up, [[0.3, 0.0], [0.0, 0.5], [0.0, 9.0], [0.0, -9.0]])
    right, _, viewer = start
    assert np.allclose(around[2], np.cos(0.3) * viewer + np.sin(0.3) * right)
    assert np.arcsin(above[2] @ up) == pytest.approx(0.5) and np.allclose(above[0], around[0])
    assert np.allclose(beyond[2], up) and np.allclose(back[2], -up)
