"""Slots: components of a user's own are commanded, scaled, driven and swept like built-in ones."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb import testing
from flexmb.errors import KernelError, ModelError
from flexmb.joints.planar.drive_angle import ANGLE
from flexmb.kernels import Kernels, kernel, strength_at
from flexmb.model.pairs import pair_coordinates, pair_offsets


@kernel
def thrust_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = -p[i, 0] * strength_at(p[i], 1, t)


@kernel
def thrust_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    pass


@kernel
def thrust_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 4] = p[i, 0] * strength_at(p[i], 1, t) * v[iv[i, 0]]


THRUST = Kernels("thrust", thrust_residual, thrust_tangent, thrust_energy)


@dataclass(eq=False)
class Thruster(fm.Component):
    """A force along x whose throttle is a function of time."""

    frame: fm.planar.Frame
    size: float = 1.0
    throttle: Any = 1.0
    strength = "throttle"
    external = True
    fixed_in_space = True
    kind = "thruster"

    def frames(self):
        return [self.frame]

    def assemble(self, assembly):
        p = np.array([self.size, *assembly.strength(self).slot()])
        assembly.instance(self, THRUST, assembly.node(self.frame.node)[0].v[:1], p, strength=1)


@dataclass(eq=False)
class Turntable(fm.Component):
    """The angle between two frames follows a function of time."""

    a: fm.planar.Frame
    b: fm.planar.Frame
    turn: Any = 0.0
    prescribed = "turn"
    prescribed_unit = "rad"

    def frames(self):
        return [self.a, self.b]

    def assemble(self, assembly):
        p = np.concatenate([pair_offsets(self.a, self.b), assembly.prescribed(self).parameters()])
        rows = [("turn", "angle")]
        assembly.instance(self, ANGLE, pair_coordinates(assembly, self.a, self.b), p, rows, prescribed=0)


def cart(throttle: Any, own: bool = True) -> fm.PlanarModel:
    """A cart on a spring, pushed by a component of one's own or by a built-in force."""
    m = fm.PlanarModel("cart")
    body = m.add_body("body", mass=2.0, inertia=0.1)
    m.prismatic(m.ground, body.frame)
    m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
    if own:
        m.add(Thruster(body.frame, 3.0, throttle, name="push"))
    else:
        m.point_force(body.frame, (3.0, 0.0), factor=throttle, name="push")
    return m


def crank(own: bool, turn: Any) -> fm.PlanarModel:
    m = fm.PlanarModel("crank")
    bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    m.revolute(m.ground, bar.attach("foot", (-0.5, 0.0)))
    if own:
        m.add(Turntable(m.ground, bar.frame, turn, name="drive"))
    else:
        m.drive_angle(m.ground, bar.frame, turn, name="drive")
    return m


def test_it_is_commanded_like_a_built_in_one():
    runs = []
    for own in (True, False):
        m = cart(0.2, own)
        read = [fm.control.Reference(fm.Polynomial([0.3, 1.0]))]
        m.add_controller("hold", period=0.01, sensors=read, commands="push", law=[[1.0]])
        runs.append(fm.simulate(m, 0.5, step=1e-3))
    assert np.array_equal(runs[0].q, runs[1].q) and np.ptp(runs[0]["body.x"]) > 1e-3
    assert np.array_equal(runs[0].energy.input, runs[1].energy.input)


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_it_is_scaled_and_an_input_like_a_built_in_one():
    paths = [fm.equilibrium_path(cart(1.0, own), "push") for own in (True, False)]
    assert paths[0]["body.x"][-1] == paths[1]["body.x"][-1] == pytest.approx(3.0 / 8.0)
    assert np.array_equal(paths[0]["body.x"], paths[1]["body.x"])
    own, built_in = (fm.linearize(cart(0.7, own), "push", "body.x") for own in (True, False))
    assert np.array_equal(own.B, built_in.B) and np.max(np.abs(own.B)) == pytest.approx(1.5)


def test_it_drives_and_is_swept_like_a_built_in_one():
    found = []
    for own in (True, False):
        swept = fm.kinematics(crank(own, 0.0), drive="drive", over=(0.0, 2.0), progress=False)
        timed = fm.kinematics(crank(own, fm.Polynomial([0.0, 0.5])), 1.0, progress=False)
        found.append((swept["bar.angle"][-1], timed["bar.angle"][-1]))
        loose = crank(own, 0.0)
        tail = loose.add_body("tail", mass=1.0, inertia=0.1, position=(1.5, 0.0))
        loose.revolute(loose.frame("bar"), tail.attach("foot", (-1.0, 0.0)))
        linear = fm.linearize(loose, "drive", "tail.angle")
        assert linear.inputs == ["drive"] and linear.input_units == ["rad/s²"]
    assert found[0] == found[1] == pytest.approx((2.0, 0.5))


def test_a_model_is_not_changed_by_what_is_asked_of_it():
    m = cart(fm.Harmonic(1.0, 3.0))
    given = m.components["push"].throttle
    m.add_controller("hold", period=0.01, sensors=[fm.control.Reference(1.0)], commands="push", law=[[1.0]])
    before = dict(vars(m.components["push"]))
    runs: list[fm.Solution] = []

    def work():
        runs.append(fm.simulate(m, 0.3, step=1e-3, progress=False))

    work()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fm.linearize(m, "push", "body.x", controllers="held")
    fm.equilibrium_path(m, "push", controllers="held")
    m.controllers.clear()
    fm.simulate(m, 0.1, progress=False)
    m.add_controller("other", period=0.02, sensors=[fm.control.Reference(1.0)], commands="push", law=[[2.0]])
    fm.simulate(m, 0.1, progress=False)
    m.controllers.clear()
    m.add_controller("hold", period=0.01, sensors=[fm.control.Reference(1.0)], commands="push", law=[[1.0]])
    work()
    assert m.components["push"].throttle is given and vars(m.components["push"]) == before
    assert len(runs) == 4 and all(np.array_equal(run.q, runs[0].q) for run in runs)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"strength": None}, "says where its strength stands, but not which field that is"),
        ({"place": 0}, "there is no slot for its strength at parameter 0 of 7"),
        ({"place": 3}, "there is no slot for its strength at parameter 3 of 7"),
        ({"place": -1}, "there is no slot for its strength at parameter -1 of 7"),
    ],
)
def test_slots_that_are_none(changed, says):
    class Wrong(Thruster):
        strength = changed.get("strength", "throttle")

        def assemble(self, assembly):
            p = np.array([self.size, *fm.Constant(1.0).slot()])
            along = assembly.node(self.frame.node)[0].v[:1]
            assembly.instance(self, THRUST, along, p, strength=changed.get("place", 1))

    m = fm.PlanarModel("m")
    m.add(Wrong(m.add_body("body", mass=1.0, inertia=0.1).frame, name="push"))
    with pytest.raises(KernelError, match=f"thruster 'push': .*{says}"):
        fm.System(m)


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_what_is_not_said_is_missed_when_it_is_needed():
    class Silent(Thruster):
        def assemble(self, assembly):
            p = np.array([self.size, *fm.Constant(1.0).slot()])
            assembly.instance(self, THRUST, assembly.node(self.frame.node)[0].v[:1], p)

    m = cart(1.0)
    del m.components["push"]
    m.add(Silent(m.frame("body"), name="push"))
    with pytest.raises(ModelError, match=r"'push': its strength cannot be changed.*take assembly.strength\(self\)"):
        fm.equilibrium_path(m, "push")
    with pytest.raises(ModelError, match=r"'push': its assemble.. does not say where its strength stands"):
        fm.linearize(m, "push", "body.x")


def test_the_row_that_follows_a_motion_is_one_of_its_own():
    class Wrong(Turntable):
        def assemble(self, assembly):
            p = np.concatenate([pair_offsets(self.a, self.b), assembly.prescribed(self).parameters()])
            rows = [("turn", "angle")]
            assembly.instance(self, ANGLE, pair_coordinates(assembly, self.a, self.b), p, rows, prescribed=1)

    m = fm.PlanarModel("m")
    m.add(Wrong(m.ground, m.add_body("bar", mass=1.0, inertia=0.1).frame, name="drive"))
    with pytest.raises(KernelError, match="prescribed is row 1 of 1"):
        fm.System(m)


def test_the_conformance_suite_holds_commands_against_the_function_of_a_strength():
    class HalfDeaf(Thruster):
        """Two instances, of which one cannot be commanded."""

        def assemble(self, assembly):
            p = np.array([self.size, *assembly.strength(self).slot()])
            column = assembly.node(self.frame.node)[0].v[:1]
            assembly.instance(self, THRUST, column, p, strength=1)
            assembly.instance(self, THRUST, column, p)

    class Mute(Thruster):
        def assemble(self, assembly):
            p = np.array([self.size, *assembly.strength(self).slot()])
            assembly.instance(self, THRUST, assembly.node(self.frame.node)[0].v[:1], p)

    frame = fm.PlanarModel("m").add_body("body", mass=1.0, inertia=0.1).frame
    testing.conformance(Thruster(frame, 3.0, fm.Harmonic(1.0, 3.0), name="push"))
    with pytest.raises(AssertionError, match="'push': residual under a command of 1 on its strength, entry 0 is"):
        testing.check_strength(HalfDeaf(frame, 3.0, fm.Harmonic(1.0, 3.0), name="push"))
    with pytest.raises(AssertionError, match="'push': it does not say where its strength 'throttle' stands"):
        testing.check_strength(Mute(frame, 3.0, 1.0, name="push"))
