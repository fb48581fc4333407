"""What sensors read at every instant, by their formulas, against what solutions show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.kernels import Kernels
from flexmb.quantities.places import InAssembly
from flexmb.testing import Recorder
from tests.models import pairs, pairs_in_space
from tests.models.states import PLANAR_SENSORS, SENSORS


def read(m: fm.PlanarModel | fm.SpatialModel, sensor: fm.control.Sensor) -> tuple[float, float]:
    """The number of the formula and that of the solution, in the state of the model."""
    recorder = Recorder(np.zeros(m.dimension))
    signal = sensor.at_every_instant(InAssembly(recorder))
    owner = next(iter(m.components.values()))
    seen = float(sensor.measured(fm.assemble(m).solution)[0])
    row, none = np.array(signal.values, dtype=float), np.zeros(1, dtype=np.int64)
    if not signal.coordinates:
        return signal.formula(row, none, none, 0.0, row, row, row), seen
    recorder.instance(owner, Kernels("none"), signal.coordinates, row)
    (instance,) = recorder.instances
    instance.settle(recorder.numbering)
    q, v = recorder.q[instance.coordinates], recorder.v[instance.columns]
    (iq,), (iv,) = instance.numbers(1)
    return signal.formula(row, iq, iv, 0.0, q, v, np.zeros(len(v))) + signal.constant, seen


def moving(m: Any) -> None:
    """Give the bodies speeds."""
    for k, name in enumerate("ab", start=1):
        motion = ((0.3 * k, -0.2), 0.7 * k) if m.dimension == 2 else ((0.3 * k, -0.2, 0.1), (0.2, 0.1, k))
        m.components[name].move(*motion)


@pytest.mark.parametrize("kind", [kind for kind in PLANAR_SENSORS if kind != "MotorAngle"])
def test_in_the_plane(kind: str) -> None:
    m, a, b = pairs.pair()
    moving(m)
    found, seen = read(m, PLANAR_SENSORS[kind](m, a, b))
    assert found == pytest.approx(seen, abs=1e-12) and seen != 0.0


#: those of joints, which the frames of this pair need not meet, read a coordinate that a recorder makes up
BY_COORDINATE = ("JointAngle", "JointRate")


@pytest.mark.parametrize("kind", [kind for kind in SENSORS if kind not in BY_COORDINATE])
def test_in_space(kind: str) -> None:
    m, a, b = pairs_in_space.pair() if "Joint" not in kind else pairs_in_space.coincident()
    if "Joint" not in kind:
        moving(m)
    found, seen = read(m, SENSORS[kind](m, a, b))
    assert found == pytest.approx(seen, abs=1e-12)


@pytest.mark.parametrize(
    "sensor, wanted",
    [
        (lambda hinge: fm.control.JointAngle(hinge), 0.3), (lambda hinge: fm.control.JointRate(hinge), 0.2),
    ],
)  # fmt: skip
def test_coordinates_that_joints_own(sensor: Any, wanted: float) -> None:
    m, a, b = pairs_in_space.coincident()
    hinge = m.revolute(a, b, axis=(0.3, 0.2, 1.0), count_turns=True)
    assert read(m, sensor(hinge))[0] == wanted  # of a recorder
