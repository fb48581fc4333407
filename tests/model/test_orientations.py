"""How a user says an orientation, and what is refused by which message."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError

LEAN = Rotation.from_rotvec([0.3, -0.8, 1.1])


def classic(phi, theta, psi):
    """The matrix of Shimizu (2024), eq. (4.50)."""
    (s1, s2, s3), (c1, c2, c3) = np.sin([phi, theta, psi]), np.cos([phi, theta, psi])
    return np.array(
        [
            [c1 * c3 - s1 * c2 * s3, -c1 * s3 - s1 * c2 * c3, s1 * s2],
            [s1 * c3 + c1 * c2 * s3, -s1 * s3 + c1 * c2 * c3, -c1 * s2],
            [s2 * s3, s2 * c3, c2],
        ]
    )


def test_euler_angles_of_the_classic_sequence():
    angles = (0.4, 1.1, -2.0)
    np.testing.assert_allclose(fm.euler_angles("ZXZ", angles).as_matrix(), classic(*angles), atol=1e-15)


def test_capital_letters_are_axes_that_turn_along():
    off = fm.euler_angles("XYZ", (0.1, 0.2, 0.3)).inv() * fm.euler_angles("zyx", (0.3, 0.2, 0.1))
    assert off.magnitude() < 1e-15
    assert (fm.euler_angles("XYZ", (0.1, 0.2, 0.3)).inv() * fm.euler_angles("xyz", (0.1, 0.2, 0.3))).magnitude() > 0.03


def test_euler_parameters_have_their_scalar_first():
    p0, p1, p2, p3 = p = np.array([0.1, -0.7, 0.5, 0.5]) / math.sqrt(1.0)
    wanted = [
        [2 * (p0**2 + p1**2) - 1, 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p3 + p0 * p2)],
        [2 * (p1 * p2 + p0 * p3), 2 * (p0**2 + p2**2) - 1, 2 * (p2 * p3 - p0 * p1)],
        [2 * (p1 * p3 - p0 * p2), 2 * (p2 * p3 + p0 * p1), 2 * (p0**2 + p3**2) - 1],
    ]
    np.testing.assert_allclose(fm.euler_parameters(p).as_matrix(), wanted, atol=1e-15)


@pytest.mark.parametrize("pair", ["xy", "yx", "yz", "zy", "zx", "xz"])
def test_axes_along_two_directions(pair):
    first, second = np.array([1.0, 2.0, -2.0]), np.array([3.0, 0.1, 0.4])
    axes = fm.axes_along(**dict(zip(pair, (first, second)))).as_matrix().T
    one, two = axes["xyz".index(pair[0])], axes["xyz".index(pair[1])]
    np.testing.assert_allclose(one, first / 3.0, atol=1e-15)
    assert two @ second > 0.0
    assert abs(np.linalg.det([one, two, second])) < 1e-15


WAYS = {
    "Rotation": LEAN,
    "matrix": LEAN.as_matrix(),
    "rows": LEAN.as_matrix().tolist(),
    "angles": fm.euler_angles("ZYX", LEAN.as_euler("ZYX")),
    "parameters": fm.euler_parameters(np.roll(LEAN.as_quat(), 1)),
    "vector": fm.rotation_vector(LEAN.as_rotvec()),
    "axes": fm.axes_along(x=LEAN.apply([2, 0, 0]), y=LEAN.apply([1, 1, 0])),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_taken_wherever_an_orientation_is_given(way):
    m = fm.SpatialModel("m")
    frame = m.add_frame("frame", orientation=WAYS[way], fixed=True)
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1), orientation=WAYS[way])
    tip = m.ground.attach("tip", (0, 0, 1), WAYS[way])
    for placed in (frame, body.frame, tip):
        assert (placed.orientation.inv() * LEAN).magnitude() < 4e-16
    m.bushing(m.ground, body.frame, stiffness=(1,) * 6, free_orientation=WAYS[way])
    state = fm.assemble(m)
    assert (state["body"].orientation.inv() * LEAN).magnitude() < 1e-15


@pytest.mark.parametrize(
    ("orientation", "message"),
    [
        ((1, 0, 0, 0), "orientation is .1, 0, 0, 0.: 4 bare numbers.*euler_parameters.*scalar first"),
        ([0.1, 0.2, 0.3], "3 bare numbers.*euler_angles.sequence.*rotation_vector"),
        (np.ones((2, 2)), "an array of shape .2, 2.: give a Rotation"),
        ("ZXZ", "must be a Rotation of SciPy.*not 'ZXZ'"),
        (0.3, "is 0.3: give a Rotation"),
        (np.diag([1.0, 1.0, 1.001]), "not orthogonal unit axes.*off by 0.002;.*axes_along"),
        (np.diag([1.0, 1.0, -1.0]), "left-handed"),
        (np.full((3, 3), np.nan), r"orientation\[0, 0\] is nan"),
        (Rotation.from_rotvec(np.ones((2, 3))), "one rotation, not 2"),
    ],
)
def test_what_may_mean_many_things_is_refused(orientation, message):
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    for call in (
        lambda: m.add_body("b", mass=1.0, inertia=(1, 1, 1), orientation=orientation),
        lambda: m.add_frame("b", orientation=orientation),
        lambda: body.attach("b", orientation=orientation),
    ):
        with pytest.raises(ModelError, match=f"^(frame|body) '(body.)?b': .*{message}"):
            call()
    with pytest.raises(ModelError, match=r"^bushing 'soft': .*free_orientation"):
        m.bushing(m.ground, body.frame, stiffness=(1,) * 6, free_orientation=orientation, name="soft")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fm.euler_angles((0.1, 0.2, 0.3)), "need a sequence, and .0.1, 0.2, 0.3. is none.*3-1-3"),
        (lambda: fm.euler_angles("ZXZ"), "'ZXZ' needs three angles"),
        (lambda: fm.euler_angles("ZXZ", (1, 2)), "3 numbers"),
        (lambda: fm.euler_angles("ZXZ", (1, 2, math.inf)), r"angles\[2\] is inf"),
        (lambda: fm.euler_angles("ZXz", (1, 2, 3)), "no sequence 'ZXz'"),
        (lambda: fm.euler_angles("ZX", (1, 2, 3)), "no sequence 'ZX'"),
        (lambda: fm.euler_angles("313", (1, 2, 3)), "no sequence '313'.*'ZXZ'.*3-1-3"),
        (lambda: fm.euler_angles("ZZX", (1, 2, 3)), "one axis twice in a row"),
        (lambda: fm.euler_parameters((1, 1, 0, 0)), "length 1.414213562; it must be 1, scalar part first"),
        (lambda: fm.euler_parameters((0, 0, 0)), "4 numbers"),
        (lambda: fm.rotation_vector((1, 0, 0, 0)), "3 numbers"),
        (lambda: fm.axes_along(x=(1, 0, 0)), "two axes"),
        (lambda: fm.axes_along(x=(1, 0, 0), n=(0, 1, 0)), "two axes"),
        (lambda: fm.axes_along(x=(1, 0, 0), y=(-2, 0, 0)), "x and y have one direction"),
        (lambda: fm.axes_along(x=(0, 0, 0), y=(-2, 0, 0)), "direction of x has the length 0"),
    ],
)
def test_wrong_numbers_are_named(call, message):
    with pytest.raises(ModelError, match=message):
        call()


def test_initial_speeds_in_the_axes_of_the_body():
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 2, 2.5), orientation=LEAN)
    body.move((1, 2, 3), (0.1, 0.2, 0.3), axes="body")
    np.testing.assert_allclose(body.frame.node.velocity, LEAN.apply([1, 2, 3]), atol=1e-15)
    np.testing.assert_allclose(body.frame.node.coordinates()[1][3:], [0.1, 0.2, 0.3], atol=1e-15)
    tip = body.attach("tip", (0, 0, 1), fm.rotation_vector((0.5, 0, 0)))
    tip.move((1, 0, 0), (0, 1, 0), axes="body")
    track = fm.assemble(m)["body.tip"]
    np.testing.assert_allclose(track.velocity, tip.orientation.apply([1, 0, 0]), atol=1e-15)
    np.testing.assert_allclose(track.angular_velocity, tip.orientation.apply([0, 1, 0]), atol=1e-15)
    with pytest.raises(ModelError, match="axes is 'own'; choose one of 'ground', 'body'"):
        body.move(axes="own")
