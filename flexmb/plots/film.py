"""Films from pictures: .gif by pillow, .mp4 by ffmpeg through imageio."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from flexmb.errors import MissingExtraError, ModelError, ResultFileError
from flexmb.machine import files
from flexmb.machine.notebooks import ShownPath

ENDINGS = (".gif", ".mp4")
#: the largest number of pictures of a film: one hour at 30 a second
MOST_FRAMES = 108_001
#: constant quality of .mp4, with its index first, so that a film plays while it loads
QUALITY = ("-crf", "18", "-movflags", "+faststart")
#: if this many bytes still fit on the disk, a film did not fail for want of room [byte]
ROOM = 1 << 16


def film_target(path: str | Path) -> ShownPath:
    """The path of a film, or the error that says why it cannot be written."""
    target = ShownPath(files.path_to_write(path, "film", ENDINGS))
    if target.suffix.lower() == ".mp4":
        _ffmpeg()
    return target


def frame_count(seconds: float, fps: int, where: str) -> int:
    """The number of pictures of a film that lasts so many seconds."""
    if not seconds * fps < MOST_FRAMES:
        raise ModelError(
            f"{where}: it would have {seconds * fps:.3g} pictures, of at most {MOST_FRAMES}; give fewer pictures a "
            "second (fps), or a higher speed"
        )
    return round(seconds * fps) + 1


def write_film(path: Path, images: Iterator[np.ndarray], fps: int, colors: np.ndarray | None = None) -> None:
    """Write images (height, width, 3), of even sizes, as a film; the ending of the path says the kind of file.
    `colors` (c, 3), 0 to 255, are kept even in a file that has few colors."""
    with files.replaced(path, "film") as sink:
        if path.suffix.lower() == ".gif":
            _write_gif(sink, images, fps, colors)
        else:
            _write_mp4(sink, images, fps, f"film {path}")


def _ffmpeg() -> Any:
    """The package imageio-ffmpeg, which brings the program ffmpeg or finds that of the machine."""
    try:
        import imageio.v2  # noqa: F401
        import imageio_ffmpeg

        imageio_ffmpeg.get_ffmpeg_exe()
        return imageio_ffmpeg
    except (ImportError, RuntimeError) as why:
        raise MissingExtraError(
            "film: the program ffmpeg, which makes .mp4 files, is not installed; pip install 'flexmb[film]' brings it, "
            "or use the ending .gif"
        ) from why


def _write_gif(file: files.Sink, images: Iterator[np.ndarray], fps: int, colors: np.ndarray | None) -> None:
    from PIL import Image

    frames = [Image.fromarray(image) for image in images]
    palette = _palette([np.asarray(frames[k]) for k in sorted({0, len(frames) // 3, 2 * len(frames) // 3, -1})], colors)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    rest, duration = flat[1:], round(1000 / fps)
    how: dict[str, Any] = {"save_all": True, "append_images": rest, "duration": duration, "loop": 0, "optimize": False}
    flat[0].save(cast(BinaryIO, file), "GIF", **how)


def _palette(samples: list[np.ndarray], colors: np.ndarray | None) -> Any:
    """One set of 256 colors for all images, so that nothing flickers. Each color counts by the square root of its
    area; otherwise the background and its shades would leave none for scales and thin lines."""
    from PIL import Image

    if colors is not None:
        shades = np.concatenate([np.rint(shade * colors) for shade in (1.0, 0.75, 0.5)]).astype(np.uint8)
        samples = [*samples, np.repeat(shades, 64, axis=0)]
    parts = np.array([65536, 256, 1], dtype=np.uint32)  # a color as one number, of which many are sorted quickly
    occurring, area = np.unique(np.concatenate([x.reshape(-1, 3) @ parts for x in samples]), return_counts=True)
    weighed = np.repeat(occurring[:, None] // parts % 256, np.ceil(np.sqrt(area)).astype(int), axis=0).astype(np.uint8)
    return Image.fromarray(weighed[None]).quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=2)


def _write_mp4(sink: files.Sink, images: Iterator[np.ndarray], fps: int, where: str) -> None:
    from imageio.v2 import get_writer

    how: dict[str, Any] = {"codec": "libx264", "quality": None, "output_params": list(QUALITY), "macro_block_size": 2}
    count = 0
    writer: Any = get_writer(sink.path, "FFMPEG", fps=fps, ffmpeg_log_level="error", **how)
    with contextlib.closing(writer):  # the writer alone would go on when a picture fails
        for image in images:
            try:
                writer.append_data(image)
            except OSError:  # ffmpeg has ended; the reason is looked for below
                break
            count += 1
    try:  # imageio does not say whether ffmpeg finished; the film itself shows it
        whole = count == _ffmpeg().count_frames_and_secs(sink.path)[0]
    except RuntimeError:
        whole = False
    if not whole:
        sink.raw.seek(0, os.SEEK_END)
        for _ in range(2):  # on a full disk the first write may still fit in part, but the second one fails
            sink.raw.write(bytes(ROOM))
        raise ResultFileError(f"{where}: ffmpeg failed; the error stream has what it says")
