"""Pictures of robots: each part of a link in its color and in its place, and nothing that hides them."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import robots
from flexmb.visual.projection import projected

ARM = robots.folder() / "arm.urdf"


@pytest.fixture(scope="module")
def shown():
    robot = fm.read_urdf(ARM, positions={"joint2": 0.5, "joint4": 1.2}, stops=True)
    robot.drive("joint1", fm.Polynomial([0.0, 1.0]))
    robot.add_figure("floor", robot.ground, fm.Box((1.0, 1.0, 0.01)))
    return robot, fm.simulate(robot, 0.1, progress=False)


def test_parts_have_their_colors_and_places(shown):
    _, run = shown
    pieces = run.view(forces=False).stage([0.0, 0.1])
    of_hand = [piece for piece in pieces if piece.name == "hand"]
    assert [piece.color for piece in of_hand] == ["#6b7580"]
    corners = of_hand[0].points(1)
    local = run["hand"].orientation[-1].inv().apply(corners - run["hand"].position[-1])
    assert np.ptp(local, axis=0) == pytest.approx([0.06, 0.18, 0.05]) and local.mean(axis=0)[2] == pytest.approx(0.025)
    base = [piece for piece in pieces if piece.name == "base"]
    assert {piece.color for piece in base} == {"#293038", "#edf0f2"} and not any(piece.moves for piece in base)


def test_nothing_hides_the_shapes(shown):
    _, run = shown
    pieces = run.view(forces=False).stage([0.0])
    assert {piece.role for piece in pieces} == {"body"}
    plain = fm.read_urdf(ARM, meshes=False)
    assert {"joint", "body"} <= {piece.role for piece in fm.View(plain).stage([0.0])}


def test_what_stands_still_does_not_cover_drawings(shown):
    _, run = shown
    parts = sum(len(body.shape.pieces) for name, body in run.layout.bodies.items() if name not in ("base", "floor"))
    assert len(projected(run).bodies) == parts
