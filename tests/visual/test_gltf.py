"""Scenes in glTF that play: where their vertices are, by a reader of its own, against the mesh of the view."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.visual import View
from flexmb.visual.rendering.look import color_map
from tests.visual.gltf_player import Player, farthest
from tests.visual.mixed import mixed_run

#: the largest distance of a vertex from where the view has it, as a part of the size of the mechanism
NEAR = 1e-3


@pytest.fixture(scope="module")
def mixed():
    return mixed_run()


VIEWS = {
    "plain": {},
    "colored beams": {"color": "torque"},
    "colored bodies": {"color": "deformation", "ghosts": [0.1], "trails": ["ball", "arm.end"]},
    "magnified": {"magnify": 3.0, "background": "dark"},
    "followed": {"follow": "ball", "trails": ["arm.end"], "triads": ["ball"]},
}


@pytest.mark.parametrize("how", VIEWS)
def test_a_mechanism_in_space_is_where_the_view_has_it(mixed, tmp_path, how):
    view = View(mixed, **VIEWS[how])
    path = view.gltf(tmp_path / "mixed.glb", pictures=31)
    found = farthest(view, path, view.frame_times(31), (0, 7, 18, 30))
    assert {("blob", "body"), ("arm", "beam"), ("ball", "body"), ("coil", "spring")} <= set(found)
    assert max(found.values()) < NEAR * view.scales.unit, found


def test_a_mechanism_of_the_plane_is_where_the_view_has_it(work, tmp_path):
    view = View(work, color="bending_moment", reactions=["axle"], trails=["crank"])
    path = view.gltf(tmp_path / "yard.gltf", pictures=13)
    found = farthest(view, path, view.frame_times(13), (0, 5, 12))
    assert {role for _, role in found} >= {"beam", "body", "spring", "force", "torque", "reaction", "trail", "rod"}
    assert max(found.values()) < NEAR * view.scales.unit, found


def test_beams_are_skins_with_one_joint_a_section_and_bodies_have_their_modes_once(mixed, tmp_path):
    view = View(mixed, points=25)
    player = Player(view.gltf(tmp_path / "mixed.glb", pictures=9))
    skins = {skin["name"]: skin for skin in player.head["skins"]}
    assert set(skins) == {"arm"} and len(skins["arm"]["joints"]) == 25
    moved = {(c["target"]["node"], c["target"]["path"]) for c in player.animation["channels"]}
    assert all({(joint, "translation"), (joint, "rotation")} <= moved for joint in skins["arm"]["joints"][1:])
    (blob,) = (mesh for mesh in player.head["meshes"] if mesh["name"] == "blob")
    names = blob["extras"]["targetNames"]
    assert names[:3] == ["blob.mode1", "blob.mode2", "blob.mode3"]
    assert 1 <= len(names) - 3 <= 2 and all("products" in name for name in names[3:])
    assert all(set(target) == {"POSITION"} for target in blob["primitives"][0]["targets"])
    assert player.head["extensionsRequired"] == ["KHR_mesh_quantization"]


def test_a_scene_without_bodies_that_deform_needs_no_extension(swing, tmp_path):
    head = Player(View(swing).gltf(tmp_path / "swing.glb", pictures=3)).head
    assert "extensionsUsed" not in head and head["scenes"][0]["name"] == "pendulum"


def linear(shown):
    """Colors of a screen as linear ones (IEC 61966-2-1)."""
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize(("quantity", "name"), [("deformation", "blob"), ("torque", "arm")])
def test_colors_of_a_quantity_change_with_it(mixed, tmp_path, quantity, name):
    view = View(mixed, color=quantity)
    player, times = Player(view.gltf(tmp_path / "mixed.glb", pictures=31)), view.frame_times(31)
    piece = next(p for p in view.stage(times) if p.name == name)
    (node,) = (n for n in player.meshes() if player.head["nodes"][n]["extras"]["part"] == name)
    low, high = view.coloring.limits
    seen = []
    for k in (0, 9, 22, 30):
        part = np.clip((piece.values(k) * view.coloring.factor - low) / (high - low), 0.0, 1.0)
        wanted = linear(color_map(view.coloring.both_signs)(part)[:, :3])
        got = player.attribute(node, "COLOR_0", player.seconds * k / 30)
        assert np.sqrt(np.mean((got - wanted) ** 2)) < 0.015
        seen.append(got)
    assert np.max(np.abs(seen[1] - seen[0])) > 0.05
    assert player.head["scenes"][0]["extras"]["color"] == view.coloring.title


def test_a_scene_of_one_time_stands_still(swing, tmp_path):
    view = View(swing, color="stress", trails=["bob"])
    path = view.gltf(tmp_path / "scene.gltf", time=0.2)
    player = Player(path)
    assert "animations" not in player.head and "skins" not in player.head
    assert max(farthest(view, path, np.array([0.2]), (0,)).values()) < 1e-6
    assert not view.gltf(tmp_path / "scene.glb", time=0.2).read_bytes() == path.read_bytes()


def test_the_pace_and_modes_say_how_long_a_scene_plays(swing, tmp_path):
    assert Player(View(swing).gltf(tmp_path / "a.glb", pictures=5)).seconds == pytest.approx(0.6)
    assert Player(View(swing).gltf(tmp_path / "b.glb", pictures=5, pace=0.1)).seconds == pytest.approx(6.0, rel=1e-6)
    view = View(fm.modes(fm.equilibrium(swing.model)))
    assert Player(view.gltf(tmp_path / "c.glb", pictures=5)).seconds == pytest.approx(view.seconds(1.0), rel=1e-6)


def test_what_comes_and_goes_vanishes_in_between(tmp_path):
    """A force that acts for a while has an arrow only then."""
    m = fm.PlanarModel("pushed")
    block = m.add_body("block", mass=1.0, inertia=0.1)
    m.point_force(
        block.frame, (20.0, 0.0), factor=fm.PiecewiseLinear([0.0, 0.1, 0.2, 0.3, 0.5], [0, 0, 1, 0, 0]), name="push"
    )
    run = fm.simulate(m, 0.5, step=0.01, progress=False)
    view = View(run)
    path = view.gltf(tmp_path / "pushed.glb", pictures=51)
    times = view.frame_times(51)
    arrow = next(p for p in view.stage(times) if p.name == "push")
    assert {arrow.visible_faces(k) > 0 for k in range(51)} == {True, False}
    assert max(farthest(view, path, times, range(0, 51, 3)).values()) < NEAR * view.scales.unit


@pytest.mark.parametrize("given", [{"pictures": 5}, {"pace": 0.5}])
def test_a_time_and_what_plays_are_refused_together(swing, tmp_path, given):
    with pytest.raises(ModelError, match=f"stands still, so it has no {next(iter(given))}; leave out one of both"):
        View(swing).gltf(tmp_path / "scene.glb", time=0.1, **given)
    assert not list(tmp_path.iterdir())


def test_what_is_no_scene_is_refused(swing, tmp_path):
    view = View(swing)
    with pytest.raises(ModelError, match=r"'.obj' is unknown; use .glb or .gltf"):
        view.gltf(tmp_path / "scene.obj")
    with pytest.raises(ModelError, match="pictures"):
        view.gltf(tmp_path / "scene.glb", pictures=1)
    with pytest.raises(ModelError, match="pace"):
        view.gltf(tmp_path / "scene.glb", pace=0.0)


def test_no_two_nodes_have_one_name(mixed, tmp_path):
    """Readers find what moves by its name, some without spaces and signs."""
    player = Player(View(mixed, color="torque", trails=["arm.end"], ghosts=[0.1]).gltf(tmp_path / "a.glb", pictures=3))
    names = ["".join(filter(str.isalnum, node["name"])) for node in player.head["nodes"] if "name" in node]
    assert len(set(names)) == len(names) > 20
    assert {"mixed", "ball", "blob", "arm"} <= {node.get("name") for node in player.head["nodes"]}
