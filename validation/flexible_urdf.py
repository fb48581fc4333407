"""Robots from URDF files with links that bend: mass, sag, the limit of stiff links, beams against solids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.examples import robots
from flexmb.validation.registry import Check, case

FILE, LINKS, G = robots.folder() / "six_joints.urdf", {"upper": 0.6, "fore": 0.5}, 9.81
STEEL, TUBE = fm.Material(density=7850.0, youngs_modulus=205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.044)
#: a square bar of aluminium that weighs less than the links of the file [m]
ALUMINIUM, SIDE = fm.Material(density=1200.0, youngs_modulus=7e10), 0.03
#: a posture and speeds in which all axes turn
MOVING: dict[str, Any] = {
    "positions": {"joint2": 0.4, "joint3": 0.9, "joint5": 0.3},
    "rates": {"joint1": 1.0, "joint2": -0.5, "joint3": 0.7, "joint4": 2.0},
}


def beams(stiffer: float = 1.0) -> dict[str, fm.FlexibleLink]:
    """Both long links as tubes of steel, so many times stiffer."""
    material = fm.Material(STEEL.density, stiffer * STEEL.youngs_modulus)
    return dict.fromkeys(LINKS, fm.FlexibleLink.beam(material, TUBE))


def solids() -> dict[str, fm.FlexibleLink]:
    """Both long links as square bars of bricks of 27 nodes, held at their whole end faces."""
    import skfem

    found = {}
    for (name, length), joints in zip(LINKS.items(), (("joint2", "joint3"), ("joint3", "joint4"))):
        across, along = np.array([-0.5, 0.0, 0.5]) * SIDE, np.linspace(0.0, length, 13)
        ends = {joint: bodies.on_plane((0, 0, z), (0, 0, 1)) for joint, z in zip(joints, (0.0, length))}
        mesh = skfem.MeshHex.init_tensor(across, across, along)
        found[name] = fm.FlexibleLink.solid(ALUMINIUM, mesh=mesh, interfaces=ends, modes=4)
    return found


def bars() -> dict[str, fm.FlexibleLink]:
    """The same bars as beams."""
    return dict.fromkeys(LINKS, fm.FlexibleLink.beam(ALUMINIUM, fm.Rectangle(SIDE, SIDE)))


def build(flexible: Mapping[str, fm.FlexibleLink] | None = None, **options: Any) -> fm.Robot:
    """The arm with six joints and two long links."""
    return fm.read_urdf(FILE, flexible=flexible, meshes=False, **options)


def held(flexible: Mapping[str, fm.FlexibleLink], **options: Any) -> fm.Robot:
    """The arm stretched out level, its joints held."""
    robot = build(flexible, positions={"joint2": 0.5 * np.pi}, **options)
    for joint in robot.moving:
        robot.drive(joint.name, joint.start)
    return robot


def sag(flexible: Mapping[str, fm.FlexibleLink]) -> float:
    """How far the hand of the level arm sinks [m]."""
    robot = held(flexible)
    return float(robot.links["hand"].position[2] - fm.equilibrium(robot, tolerance=1e-13)["hand"].position[2])


def sag_of_beams(stiffer: float = 1.0) -> float:
    """The same by Timoshenko's cantilevers, one at the end of the other, for small deflections.

    Under q along it, and F and M at its end, a beam sinks by q L⁴/8EI + F L³/3EI + M L²/2EI + (q L²/2 + F L)/kGA, and
    its end turns by q L³/6EI + F L²/2EI + M L/EI. The masses are those of the file; what the tubes weigh less than
    their links sits at the start of these.
    """
    E, G_, q = stiffer * STEEL.youngs_modulus, stiffer * STEEL.shear_modulus, STEEL.density * TUBE.area * G
    EI, kGA = E * TUBE.second_moment, G_ * TUBE.area * TUBE.shear_coefficient
    behind = np.array([(1.0, 0.03), (0.6, 0.11), (0.8, 0.2)])  # wrist, knuckle, hand: masses, places behind the wrist
    W, M = G * behind[:, 0].sum(), G * behind[:, 0] @ behind[:, 1]

    def bent(L: float, F: float, M: float) -> tuple[float, float]:
        down = q * L**4 / 8 / EI + F * L**3 / 3 / EI + M * L**2 / 2 / EI + (q * L**2 / 2 + F * L) / kGA
        return down, q * L**3 / 6 / EI + F * L**2 / 2 / EI + M * L / EI

    upper, fore = LINKS.values()
    down, turn = bent(fore, W, M)
    fore_weight, fore_moment = 3.7 * G, G * (2.0 * 0.25 + 1.4 * 0.05 + 0.3 * 0.48)  # of the whole link in the file
    down1, turn1 = bent(upper, W + fore_weight, M + W * fore + fore_moment)
    return down1 + turn1 * (fore + 0.16) + down + turn * 0.16


@case("flexible-urdf", draw=lambda: build(beams(), positions=MOVING["positions"]))
def compute() -> Iterator[Check]:
    """links of a URDF that bend: the robot's mass, the sag of its hand, stiff links against the rigid robot, and beams
    against solids"""
    rigid, bending = (fm.assemble(build(x, **MOVING)).solution.energy for x in (None, beams()))
    for what in ("kinetic", "potential"):
        one, two = (float(getattr(x, what)[0]) for x in (rigid, bending))
        yield Check(f"{what} energy at the start, relative", two / one - 1.0, 0.0, 1e-12, "rigid robot", "rounding")
    down, expected = sag(beams()), sag_of_beams()
    why = "the square of the slope at the hand, 3e-6, which the formula leaves out"
    yield Check("sag of the hand, relative", down / expected - 1.0, 0.0, 1e-5, "Timoshenko's cantilevers", why)
    order = np.log10(sag(beams(10.0)) / sag(beams(100.0)))
    yield Check("sag falls with the stiffness by the order", float(order), 1.0, 1e-5, "1/E", "square of the slope")
    runs = [fm.simulate(build(x, **MOVING), 0.3, "radau", times=np.linspace(0.0, 0.3, 31), tolerance=1e-9,
                        progress=False) for x in (None, beams(1e5))]  # fmt: skip
    off = float(np.abs(runs[1]["hand"].position - runs[0]["hand"].position).max())
    why = "ten times the sag of links of that stiffness; 1e-8 of the method"
    yield Check("stiff links in motion: hand off by [m]", off, 0.0, 10.0 * expected / 1e5 + 1e-8, "rigid robot", why)
    beam, solid = (fm.modes(held(x, gravity=(0, 0, 0)), 2).frequencies for x in (bars(), solids()))
    for k, name in enumerate(("first", "second")):
        why = "1 %: end faces that stay flat and do not widen stiffen the solid"
        yield Check(f"{name} frequency of the level arm, solid against beam", solid[k] / beam[k], 1.0, 0.01,
                    "beams of the same bars", why)  # fmt: skip
