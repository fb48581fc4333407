"""Mechanisms on plain Numba, without any hook, against closed forms."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from flexmb.kernels.compilation import INTERPRETED
from tests.models.pendulums import swung

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

#: a rod on a hinge, in the plane and in space, and beside it a ball that hits a wall, whose kernels are a user's own;
#: the derivative of 5 q³ at 2 by dual numbers
MECHANISMS = """
import numpy as np

import flexmb as fm
from flexmb.examples.own_elements import Wall
from flexmb.kernels import kernel
from flexmb.kernels.compiler import PLAIN, hooks
from flexmb.kernels.derivatives import tangent_of

plane = fm.PlanarModel("plane", gravity=(0.0, -9.81))
rod = plane.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0))
plane.revolute(plane.ground, rod.attach("pivot", (-0.5, 0.0)), name="hinge")
ball = plane.add_body("ball", mass=0.3, inertia=0.1, position=(5.0, 0.0))
ball.move((2.0, 0.0))
plane.add(Wall(ball.frame, 0.1, (5.2, 0.0), (-1.0, 0.0), 1e4, 0.2, name="wall"))
run = fm.simulate(plane, 0.3, method="rkf45")
print(PLAIN, "|", hooks)
print(run["rod"].angle[-1], run["ball"].velocity[-1, 0])

space = fm.SpatialModel("space", gravity=(0.0, 0.0, -9.81))
rod = space.add_body("rod", mass=1.0, inertia=(0.1, 1 / 12, 0.1), position=(0.5, 0.0, 0.0))
space.revolute(space.ground, rod.attach("pivot", (-0.5, 0.0, 0.0)), axis="y", name="hinge")
print(fm.simulate(space, 0.3, method="rkf45")["hinge"].angle[-1])


@kernel
def cubic(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 0] * q[iq[i, 0]] ** 3


K, one, none = np.zeros((1, 1, 1)), np.zeros((1, 1), dtype=np.int64), np.zeros((1, 0))
x = np.array([2.0])
given = np.array([[5.0]]), one, one, 0.0, x, x, x, none, np.array([0.0, 0.0, 1.0, 0.0])
tangent_of(cubic, (), 1)(*given, none, K, np.zeros(5))
print(K[0, 0, 0])
"""


def test_mechanisms_in_plane_and_space_and_a_users_kernel_move_as_their_closed_forms_say():
    # LLVM's optimizer is left out, which would take as long again
    settings = {**os.environ, "FLEXMB_PLAIN_NUMBA": "1", "NUMBA_OPT": "0"}
    run = subprocess.run([sys.executable, "-c", MECHANISMS], env=settings, capture_output=True, text=True, check=True)
    which, plane, space, slope = run.stdout.splitlines()
    assert which == "FLEXMB_PLAIN_NUMBA is set | None"
    angle, rebound = map(float, plane.split())
    assert angle == pytest.approx(swung(0.3), abs=1e-9)
    assert float(space) == pytest.approx(-swung(0.3), abs=1e-9)
    assert rebound < 0.0 and float(slope) == 60.0
    c, v, u = 0.2, 2.0, -rebound  # Hunt and Crossley: c v − ln(1 + c v) = −c u − ln(1 − c u)
    assert c * v - math.log1p(c * v) == pytest.approx(-c * u - math.log1p(-c * u), abs=2e-6)
