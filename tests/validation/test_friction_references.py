"""The references of screws and pendulums with friction: balances of forces, energies, limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.validation.references.journal_pendulum import JournalPendulum
from flexmb.validation.references.screw import Nut, Thread


def test_without_friction_a_thread_is_a_nut() -> None:
    thread = Thread(coefficient=0.0)
    assert thread.efficiency == pytest.approx(1.0, rel=1e-14)
    assert thread.torque(True) == pytest.approx(thread.mass * thread.weight * thread.pitch, rel=1e-13)
    nut = Nut(mass=thread.mass, inertia=thread.inertia, pitch=thread.pitch)
    assert thread.fall == pytest.approx(nut.acceleration(0.0), rel=1e-13)


def test_the_torque_of_a_thread_holds_the_forces_on_the_flank() -> None:
    thread = Thread(coefficient=0.17)
    sine, cosine = np.sin(thread.lead), np.cos(thread.lead)
    N = thread.mass * thread.weight / (cosine - thread.coefficient * sine)
    assert thread.torque(True) == pytest.approx(thread.radius * N * (sine + thread.coefficient * cosine), rel=1e-13)
    work = thread.mass * thread.weight * thread.pitch / thread.torque(True)
    assert thread.efficiency == pytest.approx(work, rel=1e-13)


def test_a_thread_locks_itself_at_the_friction_angle() -> None:
    limit = float(np.tan(Thread().lead))
    at = replace(Thread(), coefficient=limit)
    assert at.torque(False) == pytest.approx(0.0, abs=1e-14)
    assert at.fall == pytest.approx(0.0, abs=1e-12)
    assert at.efficiency < 0.5
    locked, driven = (replace(at, coefficient=part * limit) for part in (1.01, 0.99))
    assert locked.torque(False) < 0.0 < driven.torque(False)


def test_without_friction_the_pendulum_keeps_its_energy() -> None:
    free = JournalPendulum(coefficient=0.0, static=0.0, viscous=0.0)
    e, r = np.array(free.axis), np.array(free.center)
    across = np.cross(e, r)
    inertia = e @ np.diag(free.inertia) @ e + free.mass * across @ across
    torque = -free.mass * free.weight * e @ np.cross(r, [0.0, 0.0, 1.0])
    assert free.second_rate(0.0, 0.0) == pytest.approx(torque / inertia, rel=1e-11)
    assert free.second_rate(0.0, 3.0) == pytest.approx(torque / inertia, rel=1e-9)


def test_friction_acts_against_the_motion_and_grows_with_its_speed() -> None:
    pendulum = JournalPendulum()
    assert pendulum.torque(0.3, 0.0, 1.0)[1] == 0.0
    slow, fast = (pendulum.torque(0.3, rate, 0.0)[1] for rate in (3.0, 9.0))
    assert 0.0 < slow < fast  # the centrifugal force presses the journal
    assert pendulum.torque(0.3, -3.0, 0.0)[1] == pytest.approx(-slow)
