"""Films are complete, with all their pictures and the right colors."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageSequence

from flexmb.errors import ModelError, ResultFileError
from flexmb.plots import film

COUNT, SHAPE = 12, (48, 64, 3)


def images(colors=((31, 78, 140), (209, 98, 43))):
    """A square that moves over white, and over a fixed strip that has all shades."""
    shades = np.linspace(0, 255, SHAPE[1]).astype(np.uint8)
    for k in range(COUNT):
        image = np.full(SHAPE, 255, dtype=np.uint8)
        image[40:, :, 0], image[40:, :, 1], image[40:, :, 2] = shades, shades[::-1], 128
        image[4:20, 4 * k : 4 * k + 16] = colors[k % 2]
        yield image


def test_a_gif_has_its_colors_and_what_stands_still_does_not_flicker(tmp_path):
    rare = np.array([[138.0, 59.0, 143.0]])
    film.write_film(tmp_path / "film.gif", images(), 20, rare)
    with Image.open(tmp_path / "film.gif") as file:
        assert (file.n_frames, file.info["duration"], file.info["loop"]) == (COUNT, 50, 0)
        frames = [np.asarray(frame.convert("RGB"), dtype=int) for frame in ImageSequence.Iterator(file)]
    for frame, true in zip(frames, images()):
        assert np.array_equal(frame[24:], frames[0][24:])
        assert np.abs(frame - true).max() <= 12


def test_an_mp4_has_all_pictures(tmp_path):
    v2 = pytest.importorskip("imageio.v2")
    pytest.importorskip("imageio_ffmpeg")
    path = film.film_target(tmp_path / "film.mp4")
    film.write_film(path, images(), 20)
    with v2.get_reader(path) as reader:
        assert reader.get_meta_data()["fps"] == 20 and reader.get_meta_data()["codec"] == "h264"
        frames = list(reader.iter_data())
    assert len(frames) == COUNT and frames[0].shape == SHAPE
    for frame, true in zip(frames, images()):
        assert np.abs(frame[8:16, ::4].astype(int) - true[8:16, ::4]).mean() < 8.0  # colors are stored two by two
    content = path.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")  # it plays while it is loaded


@pytest.mark.parametrize("fate", ["exit 1", "cat > /dev/null; exit 1", "cat > /dev/null; exit 0"])
def test_where_ffmpeg_fails_the_old_film_stays(tmp_path, monkeypatch, fate):
    """The program fails at once, or at the end, or writes nothing and reports nothing."""
    pytest.importorskip("imageio_ffmpeg")
    program, path = tmp_path / "ffmpeg", tmp_path / "film.mp4"
    program.write_text(f"#!/bin/sh\n{fate}\n")
    program.chmod(0o755)
    path.write_text("old")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    with pytest.raises(ResultFileError, match=r"film .*film\.mp4: ffmpeg failed"):
        film.write_film(path, images(), 20)
    assert path.read_text() == "old" and {p.name for p in tmp_path.iterdir()} == {"ffmpeg", "film.mp4"}


def test_an_error_in_a_picture_is_not_one_of_the_film(tmp_path):
    def broken():
        yield from images()
        raise ZeroDivisionError("in the picture")

    for name in ("film.gif", "film.mp4"):
        with pytest.raises(ZeroDivisionError, match="in the picture"):
            film.write_film(tmp_path / name, broken(), 20)
    assert not list(tmp_path.iterdir())


def test_how_many_pictures():
    assert film.frame_count(2.0, 30, "film") == 61 and film.frame_count(0.0, 30, "film") == 1
    with pytest.raises(ModelError, match=r"film: it would have 3e\+05 pictures, of at most 108001"):
        film.frame_count(1e4, 30, "film")
