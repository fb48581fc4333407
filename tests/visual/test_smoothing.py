"""Edges that are smoothed show what an edge covers of each pixel."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.visual.rendering.smoothing import smoothed

SIZE = 64
DARK, LIGHT = np.array([20.0, 40.0, 90.0]), np.array([250.0, 240.0, 200.0])


def covered(slope, samples):
    """A picture of a plane below a line through its middle: of each pixel the part that lies below, by samples²."""
    at = (np.arange(SIZE * samples) + 0.5) / samples
    below = at[:, None] - 0.5 * SIZE > slope * (at[None, :] - 0.5 * SIZE)
    part = below.reshape(SIZE, samples, SIZE, samples).mean(axis=(1, 3))[..., None]
    return np.rint((1.0 - part) * LIGHT + part * DARK).astype(np.uint8)


def error(image, exact):
    """The root of the mean square of distances of colors, off the rim of the picture."""
    return np.sqrt(np.mean((image.astype(float) - exact)[16:-16, 16:-16] ** 2))


@pytest.mark.parametrize("slope", [0.13, 0.3, 0.5, 0.8, 1.0, 1.7, -0.25, -3.0])
def test_a_smoothed_edge_is_near_to_what_it_covers(slope):
    steps, exact = covered(slope, 1), covered(slope, 16)
    smooth = smoothed(steps, 0, SIZE)
    assert error(smooth, exact) < 0.85 * error(steps, exact)
    assert np.all(smooth >= steps.min(axis=(0, 1))) and np.all(smooth <= steps.max(axis=(0, 1)))


def test_what_has_no_steps_stays():
    image = covered(0.4, 1)
    assert np.array_equal(smoothed(np.full_like(image, 130), 0, SIZE), np.full_like(image, 130))
    ramp = np.repeat(np.arange(SIZE, dtype=np.uint8)[None, :, None], SIZE, axis=0).repeat(3, axis=2)
    assert np.array_equal(smoothed(ramp, 0, SIZE), ramp)
    straight = image.copy()
    straight[:, : SIZE // 2], straight[:, SIZE // 2 :] = 30, 220
    softer = np.abs(smoothed(straight, 0, SIZE) - straight.astype(float)).max()
    assert softer == np.rint(190.0 * 0.75 * (3.0 / 9.0 - 2.0 / 27.0) ** 2)  # by a twentieth


def test_rows_beyond_stay():
    image = covered(0.4, 1)
    some, whole = smoothed(image, 20, 40), smoothed(image, -5, SIZE + 5)
    assert np.array_equal(some[:20], image[:20]) and np.array_equal(some[40:], image[40:])
    assert np.array_equal(some[20:40], whole[20:40])
    assert not np.array_equal(some, image)


def test_edges_that_lie_and_stand_are_smoothed_alike():
    image = covered(0.23, 1)
    turned = smoothed(np.ascontiguousarray(image.transpose(1, 0, 2)), 0, SIZE)
    assert np.array_equal(turned.transpose(1, 0, 2), smoothed(image, 0, SIZE))
