"""What controllers read and commanded: by name, at any time, with units, in pictures and files."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.feedback.sensors import Reference, RelativeAngle, RelativeRate
from flexmb.results.signals import ControlLog

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def run():
    m = fm.PlanarModel("wheel")
    body = m.add_body("wheel", mass=2.0, inertia=1.0)
    m.revolute(m.ground, body.frame, name="axle")
    m.point_torque(body.frame, 0.0, name="motor")
    sensors = [RelativeAngle(m.ground, body.frame), RelativeRate(m.ground, body.frame), Reference(1.0)]
    law = np.array([[-4.0, -2.0, 4.0]])
    m.add_controller("servo", period=0.1, sensors=sensors, commands="motor", law=law, delay=0.05)
    return fm.simulate(m, 0.5, step=0.02, progress=False)


def test_signals_by_name(run):
    servo = run.control["servo"]
    angle, rate, reference, motor = servo.signals
    assert (reference, motor) == ("reference", "motor")
    assert [servo.unit(name) for name in servo.signals] == ["rad", "rad/s", "–", "Nm"]
    assert np.array_equal(servo[rate], servo.y[:, 1]) and np.array_equal(servo["motor"], servo.u[:, 0])
    assert np.allclose(servo["motor"], -4.0 * servo[angle] - 2.0 * servo[rate] + 4.0)
    with pytest.raises(NamingError, match=r"controller 'servo': there is no signal 'moter' .did you mean 'motor'"):
        servo["moter"]
    with pytest.raises(NamingError, match=r"solution\.control: there is no controller 'sevro' .did you mean 'servo'"):
        run.control["sevro"]
    with pytest.raises(NamingError, match=r"'servo\.motor'"):
        run.series("servo.moter")


def test_commands_act_late_and_readings_at_once(run):
    servo = run.control["servo"]
    held = servo.at("motor", [0.0, 0.049, 0.051, 0.149, 0.151])
    assert held.tolist() == [0.0, 0.0, 4.0, 4.0, servo["motor"][1]]
    assert np.array_equal(servo.at(servo.signals[0], servo.t), servo.y[:, 0])
    assert np.isnan(servo.at("reference", -1.0)).all()
    assert np.array_equal(run["servo.motor"], servo.at("motor", run.t))
    # the wheel's momentum is the impulse of what the plot shows
    t, torque = servo.course("motor", 0.0, 0.5)
    impulse = np.sum(np.diff(t) * torque[:-1])
    assert impulse == pytest.approx(run["wheel.angular_velocity"][-1], rel=1e-6)


def test_pictures_show_steps(run, tmp_path):
    servo = run.control["servo"]
    figure = servo.plot(path=tmp_path / "servo.png")
    assert (tmp_path / "servo.png").stat().st_size > 10_000 and len(figure.axes) == 4
    assert figure.axes[3].get_ylabel() == "motor [Nm]"
    t, u = figure.axes[3].lines[0].get_data()
    jumps = np.flatnonzero(np.diff(u))
    assert np.allclose(t[jumps], servo.t[: len(jumps)] + 0.05) and np.allclose(np.diff(t)[jumps], 0.0)
    assert np.allclose(np.diff(u)[np.diff(t) > 0.0], 0.0)
    figure = run.plot("servo.motor", "wheel.angle", path=tmp_path / "plot.png")
    assert np.array_equal(figure.axes[0].lines[0].get_data()[1], servo.course("motor", 0.0, 0.5)[1])
    back = fm.load(run.save(tmp_path / "run.h5"))
    assert back.control["servo"].signals == servo.signals and back.control["servo"].unit("motor") == "Nm"
    assert np.array_equal(back["servo.motor"], run["servo.motor"])
    assert list(run.to_dict(["servo.motor"])) == ["t", "servo.motor"]


def test_what_cannot_be_shown_is_said():
    none = ControlLog("servo", np.zeros(0), np.zeros((0, 1)), np.zeros((0, 1)), ["angle"], ["motor"])
    with pytest.raises(ModelError, match="controller 'servo': it has read and commanded nothing"):
        none.plot()
    twice = ControlLog("servo", np.zeros(1), np.zeros((1, 2)), np.zeros((1, 1)), ["reference"] * 2, ["motor"])
    assert twice.signals == ["reference", "reference 2", "motor"]
    with pytest.raises(ModelError, match="controller 'servo': t must be a time"):
        twice.at("motor", "now")
