"""Forces in Python: differences of a function that is defined on one side of a state only."""

from __future__ import annotations

import math

import pytest

import flexmb as fm
from flexmb.errors import KernelError


def pulled(function, **options) -> fm.PlanarModel:
    m = fm.PlanarModel("m")
    stone = m.add_body("stone", mass=1.0, inertia=0.1)
    m.python_force(stone.frame, function, name="pull", **options)
    return m


@pytest.mark.parametrize("compiled", [False, True])
def test_a_function_may_end_at_the_state(compiled):
    """A constant pull beside a small root that ends at x = 0, where the run starts: x = t²/2."""

    def root(t, x, v):
        return 1.0 + 1e-9 * math.sqrt(x[0]), 0.0, 0.0

    solution = fm.simulate(pulled(root, compiled=compiled), 1.0, tolerance=1e-8, progress=False)
    assert solution["stone.x"][-1] == pytest.approx(0.5, rel=1e-6)


def test_the_message_tells_undefined_beside_a_state_from_undefined_at_it():
    def only_at_the_start(t, x, v):
        return 1.0 / (x[0] == 0.0), 0.0, 0.0

    says = (
        "force 'pull': its function is defined at a state but not beside it, 1e-05 to either side in x, where .*"
        "ZeroDivisionError.*give derivative="
    )
    with pytest.raises(KernelError, match=says):
        fm.simulate(pulled(only_at_the_start), 1.0, progress=False)


def test_a_mistake_in_the_function_is_reported_as_it_is():
    def wrong(t, x, v):
        return 1.0 / 0.0, 0.0, 0.0

    with pytest.raises(
        KernelError, match="force 'pull': its function raised ZeroDivisionError: float division by zero"
    ):
        fm.simulate(pulled(wrong), 1.0, progress=False)
