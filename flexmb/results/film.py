"""Films from pictures: .gif by pillow, .mp4 by ffmpeg."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from flexmb.errors import MissingExtraError, ModelError, ResultFileError
from flexmb.model import files

ENDINGS = (".gif", ".mp4")
#: most pictures of a film: an hour of 30 a second
MOST_FRAMES = 108_001


def film_target(path: str | Path) -> Path:
    """The path of a film, or the error that says why it cannot be written."""
    target = files.to_write(path, "film", ENDINGS)
    if target.suffix.lower() == ".mp4":
        ffmpeg()
    return target


def frame_count(seconds: float, fps: int, where: str) -> int:
    """How many pictures a film has that lasts so long."""
    if not seconds * fps < MOST_FRAMES:
        raise ModelError(
            f"{where}: it would have {seconds * fps:.3g} pictures, of at most {MOST_FRAMES}; give fewer pictures a "
            "second (fps), or a higher speed"
        )
    return round(seconds * fps) + 1


def write_film(
    path: Path, images: Iterator[np.ndarray], fps: int, size: tuple[int, int], colours: np.ndarray | None = None
) -> None:
    """Write images (height, width, 3) as a film; the kind of file is told by its ending; `colours` (c, 3), 0 to 255,
    that must not be lost where a file has few colours."""
    with files.replaced(path, "film") as sink:
        if path.suffix.lower() == ".gif":
            _gif(sink, images, fps, colours)
        else:
            _mp4(sink.path, images, fps, size, f"film {path}")


def ffmpeg() -> str:
    """The program ffmpeg: that of the package imageio-ffmpeg, or of the machine."""
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as why:
        found = shutil.which("ffmpeg")
        if found is None:
            raise MissingExtraError(
                "film: the program ffmpeg, which makes .mp4 files, is not installed; pip install imageio-ffmpeg brings "
                "it, or use the ending .gif"
            ) from why
        return found


def _gif(file: files.Sink, images: Iterator[np.ndarray], fps: int, colours: np.ndarray | None) -> None:
    from PIL import Image

    frames = [Image.fromarray(image) for image in images]
    palette = _palette(
        [np.asarray(frames[k]) for k in sorted({0, len(frames) // 3, 2 * len(frames) // 3, -1})], colours
    )
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    rest, duration = flat[1:], round(1000 / fps)
    how: dict[str, Any] = {"save_all": True, "append_images": rest, "duration": duration, "loop": 0, "optimize": False}
    flat[0].save(cast(BinaryIO, file), "GIF", **how)


def _palette(samples: list[np.ndarray], colours: np.ndarray | None) -> Any:
    """One set of 256 colours for all images, so that nothing flickers. A colour counts with the root of its area: else
    the background and its shades would leave none for scales and thin lines."""
    from PIL import Image

    if colours is not None:
        shades = np.concatenate([np.rint(shade * colours) for shade in (1.0, 0.75, 0.5)]).astype(np.uint8)
        samples = [*samples, np.repeat(shades, 64, axis=0)]
    seen, area = np.unique(np.concatenate([x.reshape(-1, 3) for x in samples]), axis=0, return_counts=True)
    weighed = np.repeat(seen, np.ceil(np.sqrt(area)).astype(int), axis=0)
    return Image.fromarray(weighed[None]).quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=2)


def _mp4(path: Path, images: Iterator[np.ndarray], fps: int, size: tuple[int, int], where: str) -> None:
    import subprocess

    command = [ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-", "-an", "-c:v", "libx264", "-crf", "18"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdin is not None and program.stderr is not None
        try:
            for image in images:
                program.stdin.write(image.tobytes())
            program.stdin.close()
        except BrokenPipeError:
            pass
        said = program.stderr.read().decode(errors="replace").strip()
        code = program.wait()
    if code and "No space left" in said:
        raise OSError(errno.ENOSPC, "No space left on device")
    if code:
        raise ResultFileError(f"{where}: ffmpeg failed: {said}")
