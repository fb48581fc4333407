"""Pictures, films, pages and scenes show what they should, and errors say what they cannot show."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest
from PIL import Image

from flexmb.errors import DisplayError, MissingExtraError, ModelError, ResultFileError
from flexmb.visual import View, screens
from flexmb.visual.cameras import camera_axes
from flexmb.visual.rendering.look import LOOKS, rgb
from flexmb.visual.rendering.render import framing_of
from tests.visual.pages import numbers, page_parts, pixels

SMALL = (200, 140)


def test_a_picture_has_the_ground_and_the_colors_of_its_look(swing, tmp_path):
    for name in ("light", "dark"):
        view = View(swing, background=name, camera="front", forces=False)
        path = view.screenshot(tmp_path / f"{name}.png", time=0.3, size=SMALL)
        seen = pixels(path)
        assert seen.shape == (140, 200, 3)
        assert np.array_equal(seen[0, 0], np.rint(255 * rgb(LOOKS[name].background)))
        assert 0.02 < np.mean(np.any(seen != seen[0, 0], axis=2)) < 0.5


def test_the_beam_is_in_the_picture_where_the_solution_is(swing, tmp_path):
    """The middle of the rod, projected by the camera, has the color of a beam; a point beside it that of the
    ground."""
    view = View(swing, camera="front", forces=False)
    size = (600, 420)
    path = view.screenshot(tmp_path / "rod.png", time=0.15, size=size)
    seen = pixels(path)
    low, high = view.extent(view.stage([0.15]), 1)
    frame = framing_of(low, high, camera_axes("front"), size, False)

    def at(point):
        away = np.array([*point, 0.0]) - frame.middle
        x, y = away @ frame.right, away @ frame.up
        scale = 0.5 * size[1] / frame.half
        return seen[round(0.5 * size[1] - scale * y), round(0.5 * size[0] + scale * x)]

    axis = swing.at(0.15).axis("rod")[0]
    background = seen[0, 0]
    for j in (15, 20, 30):
        red, _, blue = at(axis[j])
        assert blue > red + 40, "blue, as a beam without a quantity is"
        across = np.array([axis[j + 1, 1] - axis[j, 1], axis[j, 0] - axis[j + 1, 0]])
        across *= 0.06 / np.hypot(*across)
        assert np.array_equal(at(axis[j] + across), background)
        assert np.array_equal(at(axis[j] - across), background)


def test_colors_tell_the_quantity(swing, tmp_path):
    """With limits far above, everything is the low color; far below, the high one."""
    shades = []
    for limits in ((1e6, 2e6), (-2e6, -1e6)):
        view = View(swing, color="bending_moment", color_limits=limits, camera="front", forces=False)
        seen = pixels(view.screenshot(tmp_path / "rod.png", time=0.15, size=(300, 220)))[10:150]
        colored = seen[np.ptp(seen, axis=2) > 60]
        shades.append(np.median(colored, axis=0))
    (low_red, _, low_blue), (high_red, _, high_blue) = shades
    assert low_blue > low_red + 50
    assert high_red > high_blue + 50


def test_a_picture_is_as_high_as_it_has_to_be(swing, tmp_path):
    view = View(swing, color="stress", ghosts=[0.1, 0.2], trails=["rod.end"], reactions=["hinge"])
    seen = pixels(view.screenshot(tmp_path / "whole.png", time=0.4))
    assert seen.shape[1] == 1600
    assert 640 <= seen.shape[0] <= 1440
    edges = np.concatenate([seen[0], seen[-1], seen[:, 0], seen[:, -1]])
    assert np.all(edges == 255), "nothing is cut off"


def test_ghosts_are_behind_and_arrows_before_all_else(swing, tmp_path, monkeypatch):
    """A ghost that crosses the mechanism changes nothing but the ground; the arrow of the hinge is whole."""
    monkeypatch.setattr(View, "extent", lambda *_: (np.array([-0.4, -1.2, -0.2]), np.array([1.2, 0.4, 0.2])))
    given = {"camera": "tilted", "forces": False}
    shots = {}
    for name, extra in {"alone": {}, "ghosts": {"ghosts": [0.35, 0.4, 0.5]}, "arrow": {"reactions": ["hinge"]}}.items():
        path = View(swing, **given, **extra).screenshot(tmp_path / f"{name}.png", time=0.42, size=(300, 300))
        shots[name] = pixels(path)
    there = np.any(shots["alone"] != 255, axis=2)
    changed = np.abs(shots["ghosts"] - shots["alone"]).max(axis=2) > 40
    inner = there.copy()
    for axis in (0, 1):  # without the edge, which blends with the ground
        inner &= np.roll(there, 1, axis) & np.roll(there, -1, axis)
    assert np.sum(inner) > 200
    assert not np.any(changed & inner)
    pale = np.any(shots["ghosts"] != 255, axis=2) & ~there
    assert np.sum(pale) > 200
    # along the arrow, from within the pin on, all is green
    arrow = next(p for p in View(swing, **given, reactions=["hinge"]).stage([0.42]) if p.role == "reaction")
    low, high = View.extent()
    frame = framing_of(low, high, camera_axes("tilted"), (300, 300), False)
    for part in (0.05, 0.3, 0.6, 0.9):
        away = arrow.tails[0] + part * arrow.vectors[0] - frame.middle
        x, y = 150.0 / frame.half * np.array([away @ frame.right, away @ frame.up])
        red, green, blue = shots["arrow"][round(150.0 - y), round(150.0 + x)]
        assert green > red + 40 and green > blue


def test_films(swing, tmp_path):
    view = View(swing, color="bending_moment", trails=["rod.end"])
    gif = view.movie(tmp_path / "film.gif", fps=10, pace=0.6, size=SMALL)
    with Image.open(gif) as images:
        assert (images.n_frames, images.size, images.info["duration"]) == (11, SMALL, 100)
        first = np.asarray(images.convert("RGB"), dtype=int)
        images.seek(10)
        assert np.mean(np.any(np.asarray(images.convert("RGB"), dtype=int) != first, axis=2)) > 0.01
    pytest.importorskip("imageio_ffmpeg")
    import imageio_ffmpeg

    film_path = view.movie(tmp_path / "film.mp4", fps=10, pace=0.6, size=SMALL)
    frames = imageio_ffmpeg.read_frames(film_path)
    about = next(frames)
    assert (about["size"], about["fps"]) == (SMALL, 10.0)
    assert len(list(frames)) == 11


def test_films_say_what_is_missing(swing, tmp_path, monkeypatch):
    view = View(swing)
    with pytest.raises(ModelError, match=r"\.gif or \.mp4"):
        view.movie(tmp_path / "film.avi")
    with pytest.raises(ResultFileError, match="no folder"):
        view.movie(tmp_path / "nowhere" / "film.gif")
    with pytest.raises(ModelError, match="pace"):
        view.movie(tmp_path / "film.gif", pace=0.0)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'flexmb\[film\]'"):
        view.movie(tmp_path / "film.mp4")
    with pytest.raises(ModelError, match=r"\.png"):
        view.screenshot(tmp_path / "picture.txt")
    with pytest.raises(ModelError, match="outside the run"):
        view.screenshot(tmp_path / "picture.png", time=5.0)


def test_a_page_is_one_file_that_holds_the_motion(swing, tmp_path):
    view = View(swing, color="bending_moment", ghosts=[0.2], trails=["rod.end"], reactions=["hinge"])
    text, head, data = page_parts(view.html(tmp_path / "page.html", pictures=7))
    assert not re.search(
        r"https?:|//[a-z]|<link|<script[^>]*src|@import|url\(|fetch\(|import\(", text.split("<script id")[0]
    )
    program = text.split("</script>")[2]
    assert not re.search(r"https?:|fetch\(|XMLHttp|import\(|src\s*=", program)
    times = np.linspace(0.0, 0.6, 7)
    assert head["titles"] == [view.title(t) for t in times]
    assert head["seconds"] == pytest.approx(0.6)
    rod = next(p for p in head["pieces"] if p["name"] == "rod" and not p["flat"])
    frames = numbers(data, rod["frames"], "<i2").reshape(7, -1, 3) / 32767.0
    points = np.array(head["box"][0]) + np.array(head["box"][1]) * frames
    rings = points[:, : 41 * 16].reshape(7, 41, 16, 3).mean(axis=2)
    assert np.allclose(rings[:, :, :2], swing.at(times).axis("rod"), atol=2e-5)
    faces = numbers(data, rod["faces"], "<u4")
    assert faces.max() == points.shape[1] - 1
    index = numbers(data, rod["values"], "u1").reshape(7, -1)[:, : 41 * 16 : 16]
    low, high = view.coloring.limits
    moment = swing.at(times).along("rod", "bending_moment", 41)
    assert np.abs(low + (high - low) * index / 255.0 - moment).max() < (high - low) / 255.0
    bob = next(p for p in head["pieces"] if p["name"] == "bob" and not p["flat"])
    poses = numbers(data, bob["poses"], "<f4").reshape(7, 7)
    assert np.allclose(poses[:, :2], swing.at(times)["bob"].position, atol=1e-6)
    trail = next(p for p in head["pieces"] if p["role"] == "trail")
    assert numbers(data, trail["shown"], "<u4")[0] == 0
    assert len(head["map"]) == 3 * 256
    assert head["bar"]["title"] == "bending moment [Nm]"


def test_names_cannot_break_out_of_a_page(swing, tmp_path, monkeypatch):
    monkeypatch.setattr(swing.layout, "model", "</script><script>alert(1)</script>")
    text = View(swing).html(tmp_path / "page.html", pictures=2).read_text(encoding="utf-8")
    assert "alert(1)</script>" not in text


def test_a_scene_as_gltf(swing, tmp_path):
    path = View(swing, color="stress").gltf(tmp_path / "scene.gltf", time=0.2)
    scene = json.loads(path.read_text())
    assert scene["asset"]["version"] == "2.0"
    assert len(scene["meshes"]) >= 5
    boxes = [a for a in scene["accessors"] if a["type"] == "VEC3" and "max" in a]
    assert max(a["max"][0] for a in boxes) > 0.9


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a screen to ask for")
def test_a_window_without_a_screen_is_an_error_in_words(swing, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(DisplayError, match=r"DISPLAY is not set.*screenshot"):
        View(swing).show()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with pytest.raises(DisplayError, match="start Xwayland"):
        View(swing).show()
    monkeypatch.setenv("DISPLAY", ":4711")
    with pytest.raises(DisplayError, match="':4711' of DISPLAY does not answer"):
        View(swing).show()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems bring what draws")
def test_a_machine_that_cannot_draw_at_all_is_an_error_in_words(swing, tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(screens, "_library", lambda name: None)
    with pytest.raises(DisplayError, match="neither of the libraries EGL and OSMesa"):
        View(swing).screenshot(tmp_path / "picture.png")
    assert View(swing).html(tmp_path / "page.html", pictures=2).stat().st_size > 10_000, "a page needs neither"
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(MissingExtraError, match="pip install pyvista"):
        View(swing).screenshot(tmp_path / "picture.png")


def test_the_window_goes_through_time(swing, monkeypatch):
    """The window itself needs a screen; what its button, slider and clock do does not."""
    from flexmb.visual.rendering import window

    view = View(swing)
    made = view.picture
    monkeypatch.setattr(view, "picture", lambda times, size, where, window: made(times, size, where))
    monkeypatch.setattr(window.time, "perf_counter", lambda: clock[0])
    clock = [100.0]
    shown = window.Window(view, np.linspace(0.0, 0.6, 7), 0.5, SMALL)
    try:
        assert shown.seconds == pytest.approx(1.2)
        clock[0] += 0.41
        shown.tick()
        assert (shown.instant, shown.picture.text.GetInput()) == (2, view.title(0.2))
        shown.step(1)
        clock[0] += 5.0
        shown.tick()
        assert (shown.instant, shown.playing) == (3, False)
        shown._slider_moved(0.52)
        assert shown.instant == 5
        shown.step(99)
        assert shown.instant == 6
        shown.play(True)
        assert (shown.instant, shown.playing) == (0, True)
        clock[0] += 1.5
        shown.tick()
        assert shown.instant == 0, "from the start again at the end"
    finally:
        shown.picture.close()


def test_cameras_look_from_the_front_and_from_above_left():
    right, up, back = camera_axes("front")
    assert np.allclose([right, up, back], np.eye(3))
    right, up, back = camera_axes("tilted")
    assert np.allclose(np.stack([right, up, back]) @ np.stack([right, up, back]).T, np.eye(3))
    assert back[0] < 0.0 < back[1] < back[2]
