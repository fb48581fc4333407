"""The benchmarks of what surrounds the loop say whose time it is, and measure what they name."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import flexmb as fm
from flexmb.machine import interruption
from flexmb.validation.performance import around, laws, linear_models, saved


def frame_in(*modules: str):
    """A stack of frames of functions of these modules, the innermost last."""
    found = sys._getframe
    for name in reversed(modules):
        scope = {"inner": found, "__name__": name}
        exec("def outer(): return inner()", scope)
        found = scope["outer"]
    return found()


def test_the_innermost_module_of_flexmb_is_at_work():
    assert around.module_at_work(frame_in("flexmb.plots.film", "flexmb.visual.view", "numpy")) == "visual.view"
    assert around.module_at_work(frame_in("flexmb.cli", "importlib._bootstrap", "scipy")) == around.IMPORTS
    assert around.module_at_work(None) == "others"
    scope = {"get": sys._getframe, "__name__": "flexmb.feedback.laws"}
    exec("def evaluate(): return get()", scope)
    called = interruption.callback(scope["evaluate"])
    assert around.module_at_work(called()) != "feedback.laws"  # compiled code has called it, and is the caller's


def test_samples_of_all_laws_are_torques():
    found = laws.laws(7)
    assert set(found) == {"computed torque", "virtual loop", "virtual springs", "reaction null space"}
    for sample in found.values():
        value = sample()
        assert value.shape == (7,) and np.all(np.isfinite(value)) and np.any(value)


def test_the_chain_and_the_shaft_of_linear_models():
    assert len(fm.linearize(linear_models.chain(4), "body 0.fx").A) == 24
    found = fm.campbell(linear_models.shaft, [1.0, 2.0], 2)
    forward, backward = np.sort(found.frequencies[0])[::-1]
    assert forward == pytest.approx(backward, rel=1e-2) and backward > 1.0  # a round shaft that hardly turns


def test_files_and_pages_are_measured(capsys, tmp_path):
    m = fm.PlanarModel("stone", gravity=(0.0, -9.81))
    m.add_body("stone", mass=1.0, inertia=0.1)
    solution = fm.simulate(m, 0.1, progress=False)
    saved.measure("stone", solution, tmp_path, 1e8)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["stone", "file"], ["stone", "page"]]
