"""Sensors of robots, in the coordinates of their files."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.io.elements import empty, joint, link


class TestSensors:
    def test_they_read_what_positions_and_rates_say(self, written):
        links = empty("base"), *(link(x, 1.0, "0 0 -0.5", (0.02, 0.02, 0.01)) for x in "abcd")
        kinds = {"hinge": "revolute", "wheel": "continuous", "slide": "prismatic", "table": "planar"}
        moving = (joint(name, kind, "base", x, axis="0 1 0") for (name, kind), x in zip(kinds.items(), "abcd"))
        at = {"hinge": 0.3, "wheel": 9.0, "slide": 0.2, "table": (0.1, 0.2, 0.4)}
        rates = {"wheel": 40.0, "hinge": 1.0}
        robot = fm.read_urdf(written(*links, *moving), positions=at, rates=rates, gravity=(0, 0, 0))
        push = robot.actuate("hinge")
        read = [robot.sensor(name, what) for what in ("position", "rate") for name in ("hinge", "wheel", "slide")]
        planar = [(what, k, c) for what in ("position", "rate") for k, c in enumerate(("x", "y", "angle"))]
        read += [robot.sensor("table", what, coordinate=c) for what, _, c in planar]
        robot.add_controller("log", period=0.01, sensors=read, commands=push, law=np.zeros((1, len(read))))
        run = fm.simulate(robot, 0.5, step=0.001, progress=False)
        told = {"position": robot.positions(run), "rate": robot.rates(run)}
        seen = [told[what][name] for what in ("position", "rate") for name in ("hinge", "wheel", "slide")]
        seen += [told[what]["table"][:, k] for what, k, _ in planar]
        np.testing.assert_allclose(run.control["log"].y, np.stack(seen, axis=1)[:-1:10], rtol=0, atol=1e-9)
        np.testing.assert_allclose([x.readings(run) for x in read], seen, rtol=0, atol=1e-12)
        assert told["position"]["wheel"][-1] > 25.0 and run.control["log"].y[0, 0] == pytest.approx(0.3)

    def test_what_has_no_coordinate(self, written):
        parts = empty("base"), *(link(x) for x in "abc")
        robot = fm.read_urdf(
            written(
                *parts, joint("free", "floating", "base", "a"), joint("held", "fixed", "a", "b"),
                joint("table", "planar", "base", "c"),
            )
        )  # fmt: skip
        for call, message in (
            (("free",), "joint 'free' is floating, and has no coordinate"),
            (("held",), "joint 'held' is fixed, and has no coordinate"),
            (("table",), "sensor of joint 'table': coordinate is ''; choose one of 'x', 'y', 'angle'"),
            (("tabel",), "no joint 'tabel' .did you mean 'table'"),
            (("table", "speed"), "what is 'speed'; choose one of 'position', 'rate'"),
        ):
            with pytest.raises(fm.errors.ModelError, match=message):
                robot.sensor(*call)
