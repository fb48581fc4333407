"""Studies of mechanisms in space."""

from __future__ import annotations

import numpy as np

import flexmb as fm


def slewed(gain: float, angle: float) -> dict[str, float]:
    """A wheel turns a satellite back by an angle; what is left of it, and the largest torque."""
    m = fm.SpatialModel("satellite")
    hull = m.add_body("hull", mass=10.0, inertia=(2.0, 2.0, 2.0), orientation=fm.rotation_vector((0, 0, angle)))
    wheel = m.add_wheel("wheel", hull.frame, inertia=0.05, axis="z", torque=0.0)
    read = [fm.control.AttitudeError(hull.frame, "z"), fm.control.Gyro(hull.frame, "z")]
    m.add_controller("servo", period=0.1, sensors=read, commands=wheel, law=[[gain, 2.0 * gain]])
    run = fm.simulate(m, 2.0, step=0.1, progress=False)
    return {"left": float(read[0].readings(run)[-1]), "torque": float(np.abs(run.control["servo"]["wheel"]).max())}


def test_a_grid_of_slews_in_processes(tmp_path):
    found = fm.study(
        slewed, fm.grid(gain=[0.5, 1.0], angle=[0.2, 2.0]), workers=2, file=tmp_path / "slews.db", progress=False
    )
    assert len(found.ok) == 4
    for row in found:
        gain, angle = row["gain"], row["angle"]
        T, a, b = 0.1, 0.5 * gain, gain
        one = np.array([[1.0 - 0.5 * T * T * a, T - 0.5 * T * T * b], [-T * a, 1.0 - T * b]])
        left = (np.linalg.matrix_power(one, 20) @ [angle, 0.0])[0]
        assert abs(row["left"] - left) < 1e-9
        assert row["torque"] >= gain * angle * (1.0 - 1e-12)
