"""Arms by Denavit–Hartenberg parameters: against products of 4 × 4 matrices, published arms and cantilevers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.spatial import ArmLink

RIGHT = 0.5 * np.pi
STEEL, TUBE = fm.Material(7850.0, 205e9, 0.3), fm.Tube(outer_diameter=0.06, inner_diameter=0.05)
BEAM = ArmLink(material=STEEL, section=TUBE, modes=1, elements=4)
#: Paul's parameters θ, d, a, α of the PUMA 560, as Corke's Robotics Toolbox has them
PUMA = [
    [0, 0, 0, RIGHT], [0, 0, 0.4318, 0], [0, 0.15005, 0.0203, -RIGHT], [0, 0.4318, 0, RIGHT], [0, 0, 0, -RIGHT],
    [0, 0, 0, 0],
]  # fmt: skip


def step(convention: str, theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    """The 4 × 4 matrix of one row, as books print it."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    rows = {
        "distal": [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d]],
        "proximal": [[c, -s, 0, a], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d]],
    }
    return np.array([*rows[convention], [0, 0, 0, 1]])


def matrix(frame: Any) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = frame.orientation.as_matrix(), frame.position
    return result


@pytest.mark.parametrize("convention", ["distal", "proximal"])
@pytest.mark.parametrize("moves", [False, True], ids=["at the start", "driven there"])
def test_the_links_stand_where_the_product_of_matrices_says(convention: str, moves: bool) -> None:
    rng = np.random.default_rng(4)
    table, q, kinds = rng.normal(size=(5, 4)), rng.normal(size=5), "RPRRP"
    names = ["waist", "rail", "elbow", "wrist", "finger"]
    start = {} if moves else dict(zip(names, q, strict=True))
    link = ArmLink(mass=1.0, inertia=(0.1, 0.1, 0.1))
    arm = fm.denavit_hartenberg(
        table, convention=convention, kinds=kinds, names=names, links=[link] * 5, positions=start, tool=(0.1, 0.2, 0.3)
    )
    if moves:
        for name, value in zip(names, q, strict=True):
            arm.drive(name, fm.SmoothStep(0.0, 1.0, 0.0, float(value)))
        motion = fm.kinematics(arm, 1.0, steps=40)
        reached = arm.positions(motion)
        assert [reached[n][-1] for n in names] == pytest.approx(q, abs=1e-9)
    wanted = np.eye(4)
    for k, (theta, d, a, alpha) in enumerate(table.tolist()):
        turn, shift = (q[k], 0.0) if kinds[k] == "R" else (0.0, q[k])
        wanted = wanted @ step(convention, theta + turn, d + shift, a, alpha)
        if moves:
            track = motion[f"link {k + 1}"]
            assert track.position[-1] == pytest.approx(wanted[:3, 3], abs=1e-8)
            assert track.orientation[-1].as_matrix() == pytest.approx(wanted[:3, :3], abs=1e-8)
        else:
            assert matrix(arm.links[f"link {k + 1}"]) == pytest.approx(wanted, abs=1e-13)
    if not moves:
        assert arm.links["tool"].position == pytest.approx(wanted[:3, :3] @ (0.1, 0.2, 0.3) + wanted[:3, 3], abs=1e-13)


def test_puma_560_stands_where_corkes_book_prints_it() -> None:
    """Corke, Robotics, Vision and Control: fkine of qz and qn, to the digits that it prints."""
    names = [f"joint {k}" for k in range(1, 7)]
    for q, wanted in (
        ([0.0] * 6, [[1, 0, 0, 0.4521], [0, 1, 0, -0.15], [0, 0, 1, 0.4318]]),
        ([0, np.pi / 4, np.pi, 0, np.pi / 4, 0], [[0, 0, 1, 0.5963], [0, 1, 0, -0.1501], [-1, 0, 0, -0.01435]]),
    ):
        arm = fm.denavit_hartenberg(PUMA, positions=dict(zip(names, q, strict=True)))
        assert matrix(arm.links["link 6"])[:3] == pytest.approx(np.array(wanted), abs=6e-5)


def test_puma_560_by_the_modified_parameters_is_craigs_closed_form() -> None:
    """Craig (2005), eq. (3.14): position of frame 6, and the third column of its axes."""
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.125, 0.4318
    table = [[0, 0, 0, 0], [0, 0, 0, -RIGHT], [0, d3, a2, 0], [0, d4, a3, -RIGHT], [0, 0, 0, RIGHT], [0, 0, 0, -RIGHT]]
    q = np.random.default_rng(7).uniform(-3.0, 3.0, 6)
    arm = fm.denavit_hartenberg(
        table, convention="proximal", positions={f"joint {k + 1}": x for k, x in enumerate(q.tolist())}
    )
    c, s, c23, s23 = np.cos(q), np.sin(q), np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    reach = a2 * c[1] + a3 * c23 - d4 * s23
    place = [c[0] * reach - d3 * s[0], s[0] * reach + d3 * c[0], -a3 * s23 - a2 * s[1] - d4 * c23]
    lean = c23 * c[3] * s[4] + s23 * c[4]
    column = [-c[0] * lean - s[0] * s[3] * s[4], -s[0] * lean + c[0] * s[3] * s[4], s23 * c[3] * s[4] - c23 * c[4]]
    assert arm.links["link 6"].position == pytest.approx(place, abs=1e-13)
    assert arm.links["link 6"].orientation.as_matrix()[:, 2] == pytest.approx(column, abs=1e-13)


@pytest.mark.parametrize("convention", ["distal", "proximal"])
def test_beams_between_the_frames_weigh_and_hang_as_a_cantilever(convention: str) -> None:
    """The arm stretched out and held: torque of its weight, and the sag of a uniform cantilever by Euler and
    Bernoulli."""
    length = 1.2
    table = [[0, 0, 0, RIGHT], [0, 0, length, 0]] if convention == "distal" else [[0, 0, 0, 0], [0, 0, 0, RIGHT]]
    tool = (0, 0, 0) if convention == "distal" else (length, 0, 0)
    arm = fm.denavit_hartenberg(table, convention=convention, links=[None, BEAM], tool=tool)
    for joint in arm.moving:
        arm.drive(joint.name, 0.0)
    rest = fm.equilibrium(arm)
    weight = STEEL.density * TUBE.area * 9.81
    assert arm.efforts(rest)["joint 2"] == pytest.approx(0.5 * weight * length**2, rel=1e-4)
    sag = weight * length**4 / (8.0 * STEEL.youngs_modulus * TUBE.second_moment)
    assert rest.solution["tool"].position[-1, 2] == pytest.approx(-sag, rel=6e-3)  # shear and axial force are left


def test_a_rigid_body_on_a_beam_stands_where_the_link_says() -> None:
    heavy = ArmLink(
        "boom", mass=5.0, center=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1), material=STEEL, section=TUBE, modes=0, elements=2
    )
    arm = fm.denavit_hartenberg([[0, 0, 0, RIGHT], [0, 0, 1.0, 0]], links=[None, heavy])
    for joint in arm.moving:
        arm.drive(joint.name, 0.0)
    assert arm.frames["boom.carrier"].position == pytest.approx([1.0, 0, 0], abs=1e-12)
    torque = 9.81 * (5.0 * 1.1 + 0.5 * STEEL.density * TUBE.area)
    assert arm.efforts(fm.equilibrium(arm))["joint 2"] == pytest.approx(torque, rel=1e-4)


def test_a_base_that_bends_and_links_that_begin_beside_their_frames() -> None:
    column = ArmLink(material=STEEL, section=TUBE, bearing=-0.8, elements=2, modes=0)
    yoke = ArmLink(material=STEEL, section=TUBE, bearing=-0.2, elements=2, modes=0)
    arm = fm.denavit_hartenberg([[0, 0, 0, RIGHT], [0, 0, 1.0, 0]], links=[yoke, None], base=column)
    places = {"base.beam.start": -0.8, "base.beam.end": -0.2, "link 1.beam.start": -0.2, "link 1.beam.end": 0.0}
    for name, z in places.items():
        assert arm.frames[name].position == pytest.approx([0, 0, z], abs=1e-12)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "columns": ({"table": [[0, 0, 1]]}, "has 3 columns; give θ, d, a, α"),
    "convention": ({"convention": "craig"}, "convention is 'craig'; choose one of"),
    "kinds": ({"kinds": "RS"}, r"kinds\[1\] is 'S'; give 'R'"),
    "number of kinds": ({"kinds": "R"}, "it has 1 kinds; its table has 2 rows"),
    "number of links": ({"links": [None]}, "it has 1 links; its table has 2 rows"),
    "names twice": ({"names": ["a", "a"]}, "joint .*a"),
    "links twice": ({"links": [ArmLink("a"), ArmLink("a")]}, "link .*a"),
    "no link": ({"links": [None, "boom"]}, r"links\[1\] is 'boom'; give a fm.spatial.ArmLink"),
    "mass alone": ({"links": [None, ArmLink(mass=1.0)]}, "link 'link 2': its inertia is missing"),
    "a beam without frames": ({"links": [BEAM, None]}, "link 'link 1': it begins and ends at the same place"),
    "no frame behind the last": (
        {"convention": "proximal", "links": [None, BEAM]}, "link 'link 2': it begins and ends at the same place"
    ),
    "rigid base": ({"base": ArmLink(mass=1.0, inertia=(1, 1, 1))}, "its base is rigid"),
    "no section": ({"links": [None, ArmLink(material=STEEL)]}, "link 'link 2'.*section="),
    "a joint that there is not": ({"positions": {"joint 7": 1.0}}, "no joint 'joint 7'"),
    "not finite": ({"table": [[0, 0, np.nan, 0], [0, 0, 1, 0]]}, "table"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_an_arm_is_refused_by_name(what: str) -> None:
    given, message = WRONG[what]
    arguments = {"table": [[0, 0, 0, RIGHT], [0, 0, 1.0, 0]], **given}
    with pytest.raises(fm.FlexmbError, match=message):
        fm.denavit_hartenberg(arguments.pop("table"), **arguments)
