"""A user's own components are placed, drawn and loaded like built-in ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import meshio
import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.planar.rigid_body import RIGID_BODY, RigidBody
from flexmb.errors import ModelError, NamingError
from flexmb.forces.planar.point_force import POINT_FORCE
from flexmb.joints.planar.drive_angle import ANGLE
from flexmb.joints.planar.revolute import REVOLUTE
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model.appearance import GLYPHS, BeamPlace, BodyPlace, Load, PairPlace
from flexmb.model.pairs import pair_coordinates
from flexmb.results.pictures.scene import scene_of
from flexmb.visual import View
from flexmb.visual.stage import joints
from tests.visual.pieces import center_line, only


@dataclass(eq=False)
class Stone(fm.Component):
    """A body."""

    frame: fm.planar.Frame
    mass: float
    center: tuple[float, float]

    def frames(self):
        return [self.frame]

    def nodes(self):
        return [self.frame.node]

    def place(self):
        return BodyPlace(self.frame.name, self.center, self.mass)

    def assemble(self, assembly):
        p = np.array([*assembly.gravity, self.mass, 0.1, *self.center])
        assembly.instance(self, RIGID_BODY, assembly.node(self.frame.node), p)


@dataclass(eq=False)
class Revolute(fm.planar.Joint):
    """A joint."""

    glyphs = ("pin",)

    def assemble(self, assembly):
        self.add_instance(assembly, REVOLUTE, [("x", "length"), ("y", "length")])


@dataclass(eq=False)
class Turntable(fm.planar.Joint):
    """A drive."""

    turn: Any = 0.0
    prescribed = "turn"
    prescribed_unit = "rad"
    glyphs = ("motor",)

    def assemble(self, assembly):
        self.add_instance(assembly, ANGLE, [("turn", "angle")], assembly.prescribed(self).parameters(), prescribed=0)


@dataclass(eq=False)
class Wind(fm.Component):
    """A load along x."""

    frame: fm.planar.Frame
    gust: Any = 0.0
    external = True
    fixed_in_space = True
    strength = "gust"
    strength_unit = "N"

    def frames(self):
        return [self.frame]

    def assemble(self, assembly):
        frame = self.frame
        p = np.array([*frame.offset, frame.offset_angle, 1.0, 0.0, 0.0, *assembly.strength(self).slot()])
        assembly.instance(self, POINT_FORCE, assembly.node(frame.node), p, strength=6)

    def loads(self, solution, times, strength):
        return [Load(solution.track(self.frame).position, np.outer(strength, [1.0, 0.0]))]


@kernel
def strap_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(2):
            pull = p[i, 0] * (q[iq[i, 3 + j]] - q[iq[i, j]])
            out[i, j] = -pull
            out[i, 3 + j] = pull


@kernel
def strap_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(2):
            for k, sign in ((j, 1.0), (3 + j, -1.0)):
                K[i, k, j] += sign * w[2] * p[i, 0]
                K[i, k, 3 + j] -= sign * w[2] * p[i, 0]


@kernel
def strap_point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        s = (p[i, 1] + w[0]) * p[i, 2]
        for j in range(2):
            out[i, j] = (1.0 - s) * q[iq[i, j]] + s * q[iq[i, 3 + j]]
            out[i, 3 + j] = (1.0 - s) * v[iv[i, j]] + s * v[iv[i, 3 + j]]
            out[i, 6 + j] = (1.0 - s) * a[iv[i, j]] + s * a[iv[i, 3 + j]]


@kernel
def strap_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(2):
            out[i, 1] += 0.5 * p[i, 0] * (q[iq[i, 3 + j]] - q[iq[i, j]]) ** 2


STRAP = Kernels("strap", strap_residual, strap_tangent, strap_energy, point=strap_point)


@dataclass(eq=False)
class Strap(fm.Component):
    """A soft beam of two elements between two frames."""

    a: fm.planar.Frame
    b: fm.planar.Frame
    stiffness: float

    def frames(self):
        return [self.a, self.b]

    def place(self):
        return BeamPlace(2, 1.0, area=1e-4, outer_fiber=0.02)

    def assemble(self, assembly):
        numbers = pair_coordinates(assembly, self.a, self.b)
        for element in range(2):
            assembly.instance(self, STRAP, numbers, np.array([0.5 * self.stiffness, element, 0.5]))


GUST = fm.SmoothStep(0.0, 0.2, 0.0, 4.0)


def mechanism(own: bool) -> fm.PlanarModel:
    """A driven crank and a stone in the wind, made of own components or of built-in ones."""
    m = fm.PlanarModel("yard", gravity=(0.0, -9.81))
    crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    root = crank.attach("root", (-0.5, 0.0))
    spot = m.add_frame("spot", (1.0, 1.0))
    if own:
        m.add(Revolute(m.ground, root, name="hinge"))
        m.add(Turntable(m.ground, crank.frame, fm.SmoothStep(0.0, 0.2, 0.0, 0.3), name="drive"))
        m.add(Stone(spot, 2.0, (0.1, 0.0), name="stone"))
        m.add(Wind(spot, GUST, name="wind"))
        m.add(Strap(crank.frame, spot, 50.0, name="strap"))
    else:
        m.revolute(m.ground, root, name="hinge")
        m.drive_angle(m.ground, crank.frame, fm.SmoothStep(0.0, 0.2, 0.0, 0.3), name="drive")
        m.add(RigidBody("stone", spot, 2.0, 0.1, (0.1, 0.0)))
        m.point_force(spot, (1.0, 0.0), factor=GUST, name="wind")
        m.spring_damper(crank.frame, spot, stiffness=50.0, free_length=0.0, name="strap")
    return m


@pytest.fixture(scope="module")
def runs():
    return [fm.simulate(mechanism(own), 0.2, step=2e-3, progress=False) for own in (True, False)]


TIMES = [0.0, 0.11, 0.2]
SAME = (("hinge", "joint"), ("drive", "motor"), ("stone", "body"), ("wind", "force"))


def test_own_components_are_seen_as_built_in_ones(runs):
    own, built_in = (View(run).stage(TIMES) for run in runs)
    for name, role in SAME:
        one, other = only(own, name, role=role), only(built_in, name, role=role)
        assert np.array_equal(one.faces, other.faces)
        for k in range(3):
            np.testing.assert_allclose(one.points(k), other.points(k), atol=1e-9)
    wind = only(own, "wind")
    assert wind.visible_faces(0) == 0 and np.allclose(wind.vectors[2], wind.vectors[1] * 4.0 / GUST(0.11))
    assert np.allclose(only(own, "drive").poses[:, :2], 0.0, atol=1e-9), "about the pin, not the crank"


def test_own_components_are_in_the_scene_and_in_meshes(runs, tmp_path):
    own, built_in = (scene_of(run) for run in runs)
    for x, y in ((own.pins, built_in.pins), (own.bodies, built_in.bodies), (own.grounds, built_in.grounds)):
        assert len(x) == len(y) > 0
        for one, other in zip(x, y):
            np.testing.assert_allclose(one, other, atol=1e-9)
    kinds = []
    for k, run in enumerate(runs):
        mesh = meshio.read(next(iter(sorted(fm.export_vtk(run, tmp_path / f"out{k}", [0.1]).parent.glob("*.vtu")))))
        kinds.append(sorted({int(x) for rows in mesh.cell_data["kind"] for x in rows}))
    assert kinds == [[0, 1, 2], [0, 2, 5]], "the strap is a beam, the spring a spring"


def test_an_own_beam_is_known_to_results(runs, tmp_path):
    run = runs[0]
    ends = run["crank"].position, run["spot"].position
    np.testing.assert_allclose(run["strap@0.75"].position, 0.25 * ends[0] + 0.75 * ends[1], atol=1e-15)
    assert np.allclose(run["stone"].position, ends[1])
    strap = only(View(run).stage(TIMES), "strap", role="beam")
    seen = run.at(TIMES)
    for k in range(3):
        assert np.allclose(center_line(strap, k, 41)[:, :2], seen.axis("strap")[k], atol=1e-14)
    assert np.allclose(np.ptp(strap.points(0)[:, 2]), 0.04), "as thick as its place says"
    back = fm.load(run.save(tmp_path / "run.h5"))
    assert back.layout.pairs == run.layout.pairs and back.layout.bodies == run.layout.bodies
    assert back.layout.beams == run.layout.beams
    seen = {(piece.name, piece.role) for piece in View(back).stage(TIMES)}
    assert {("strap", "beam"), *SAME[:-1]} <= seen


def test_loads_grow_with_their_factors_and_stand_at_their_moment(runs):
    from flexmb.visual.stage.loads import applied_loads
    from flexmb.visual.stage.scales import Selection

    for run in runs:
        grown = Selection(factors={"wind": (run.t, 1.0 + run.t)}, load_time=0.1)
        (load,) = applied_loads(run, grown)["wind"]
        np.testing.assert_allclose(load.forces, np.outer(2.0 * (1.0 + run.t), [1.0, 0.0]), rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([Load(np.zeros((7, 2)))], r"component 'wind': loads gave places of shape \(7, 2\); they must be \(161, 2\)"),
        ([Load(np.zeros(2), torques=np.zeros((161, 1)))], r"loads gave torques of shape \(161, 1\)"),
        ([(0.0, 1.0)], r"component 'wind': loads gave \(0\.0, 1\.0\); give a list of flexmb\.model\.appearance\.Load"),
    ],
)
def test_loads_of_a_wrong_form_are_told(runs, monkeypatch, given, said):
    monkeypatch.setattr(runs[0].model.component("wind"), "loads", lambda *_: given, raising=False)
    with pytest.raises(ModelError, match=said):
        View(runs[0])


def test_places_of_a_wrong_form_are_told_when_they_are_added():
    m = fm.PlanarModel("m")
    frame = m.add_frame("spot")

    def stone(place):
        return type("Own", (Stone,), {"place": lambda self: place})(frame, 1.0, (0.0, 0.0), name="stone")

    for place, error, said in (
        (BodyPlace("sopt", (0.0, 0.0), 1.0), NamingError, "there is no frame 'sopt' .did you mean 'spot'"),
        (PairPlace("spot", "ground", "pin"), ModelError, r"glyphs is the text 'pin'; give a tuple, \('pin',\)"),
        (PairPlace("spot", "ground", ("gear",)), ModelError, "component 'stone': glyph is 'gear'; choose one of 'pin'"),
        ((1.0, 2.0), ModelError, r"its place is \(1\.0, 2\.0\); give a BodyPlace"),
    ):
        with pytest.raises(error, match=said):
            m.add(stone(place))


def test_every_glyph_is_drawn():
    """But for that of rolling, which only needs no support."""
    assert {*joints.PIECES_OF_GLYPHS, "rolling"} == set(GLYPHS)
