"""Spectra and phase planes of known vibrations."""

import math

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.results.spectrum import amplitudes

matplotlib.use("Agg")
FREQUENCY, AMPLITUDE = 5.0, 0.01


@pytest.fixture(scope="module")
def oscillator():
    """x = A cos(2π f t), angle at rest; uneven steps."""
    m = fm.PlanarModel("oscillator")
    stone = m.add_body("stone", mass=2.0, inertia=0.1, position=(AMPLITUDE, 0.0))
    k = 2.0 * (2 * math.pi * FREQUENCY) ** 2
    m.bushing(m.ground, stone.frame, stiffness=(k, k, 1.0), free=(0.0, 0.0, 0.0), name="spring")
    return fm.simulate(m, 4.0, tolerance=1e-3, progress=False)


@given(
    st.floats(-4.0, 4.0),
    st.integers(3, 47),
    st.floats(0.0, 6.0),
    st.floats(-5.0, 5.0),
    st.sampled_from(["hann", "boxcar", "flattop"]),
    st.integers(100, 101),
)
def test_a_harmonic_of_whole_periods_has_its_amplitude(size, periods, phase, mean, window, count):
    """The peak is in the bin of its frequency with any window; the mean is subtracted, or it is at zero frequency."""
    t = np.arange(count) / 50.0
    f = periods * 50.0 / count
    x = mean + size * np.cos(2 * np.pi * f * t + phase)
    frequency, amplitude = amplitudes(x, 50.0, window)
    assert frequency[periods] == pytest.approx(f, rel=1e-12)
    assert amplitude[periods] == pytest.approx(abs(size), abs=2e-3 if periods > 45 else 1e-9)
    if periods > 5:
        assert amplitudes(x, 50.0, window, "none")[1][0] == pytest.approx(abs(mean), abs=1e-9)


def test_the_highest_frequency_has_its_amplitude():
    x = 3.0 * (-1.0) ** np.arange(64)
    assert amplitudes(x, 64.0, "boxcar")[1][-1] == pytest.approx(3.0, rel=1e-12)


def test_a_straight_line_is_taken_off():
    t = np.arange(200) / 100.0
    x = 7.0 * t + 0.5 * np.sin(2 * np.pi * 10.0 * t)
    f, linear = amplitudes(x, 100.0, detrend="linear")
    assert linear[f < 5.0].max() < 0.02 < amplitudes(x, 100.0, detrend="mean")[1][f < 5.0].max()
    assert linear[20] == pytest.approx(0.5, rel=1e-2)


def test_the_spectrum_of_an_oscillator(oscillator):
    assert np.ptp(np.diff(oscillator.t)) > 0.5 * np.median(np.diff(oscillator.t))
    found = oscillator.spectrum("stone.x", window="flattop", sampling_rate=200.0)
    peak = np.argmax(found.amplitude)
    assert found.unit == "m" and found.name == "stone.x"
    assert found.frequency[peak] == pytest.approx(FREQUENCY, abs=0.13)  # half a line: 1/(2 · 4 s)
    assert found.amplitude[peak] == pytest.approx(AMPLITUDE, rel=2e-3)
    assert found.frequency[-1] == pytest.approx(100.0, rel=2e-3)
    speed = oscillator.spectrum("stone.vx", window="flattop")
    assert speed.amplitude.max() == pytest.approx(AMPLITUDE * 2 * math.pi * FREQUENCY, rel=2e-3)
    even = (len(oscillator.t) - 1) / 4.0
    assert speed.frequency[-1] <= even / 2 * (1.0 + 1e-12) < speed.frequency[-1] + speed.frequency[1]


def test_what_cannot_be_a_spectrum(oscillator):
    with pytest.raises(ModelError, match="window 'hat' is unknown"):
        oscillator.spectrum("stone.x", window="hat")
    with pytest.raises(ModelError, match=r"detrend is 'cubic'; choose one of 'mean', 'linear', 'none'"):
        oscillator.spectrum("stone.x", detrend="cubic")
    with pytest.raises(ModelError, match=r"spectrum of 3 times says nothing"):
        oscillator.at([0.0, 0.1, 0.2]).spectrum("stone.x")
    with pytest.raises(NamingError, match=r"stone\.x"):
        oscillator.spectrum("stone.z")
    with pytest.raises(NamingError, match="name what to plot"):
        oscillator.plot_spectrum()


def test_the_picture_of_a_spectrum(oscillator, tmp_path):
    figure = oscillator.plot_spectrum("stone.x", "stone.y", "stone.vx", path=tmp_path / "spectrum.png", highest=12.0)
    length, speed = figure.axes
    found = oscillator.spectrum("stone.vx")
    x, y = speed.lines[0].get_data()
    assert x[-1] <= 12.0 and np.array_equal(y, found.amplitude[: len(x)])
    assert length.get_ylabel() == "amplitude [m]" and speed.get_ylabel() == "amplitude [m/s]"
    assert speed.get_xlabel() == "f [Hz]" and (tmp_path / "spectrum.png").stat().st_size > 10_000
    assert oscillator.plot_spectrum("stone.x", path=tmp_path / "log.png", log=True).axes[0].get_yscale() == "log"


def test_the_phase_plane_of_an_oscillator_is_an_ellipse(oscillator, tmp_path):
    figure = oscillator.plot_phase("stone.x", path=tmp_path / "phase.png")
    ax, bar = figure.axes
    points = np.concatenate([piece for piece in ax.collections[0].get_segments()])
    radius = np.hypot(points[:, 0], points[:, 1] / (2 * math.pi * FREQUENCY))
    assert radius == pytest.approx(np.full(len(radius), AMPLITUDE), rel=1e-3)
    assert ax.get_xlabel() == "stone.x [m]" and ax.get_ylabel() == "stone.vx [m/s]" and bar.get_ylabel() == "t [s]"


def test_phase_planes_of_other_quantities(oscillator, tmp_path):
    against = oscillator.plot_phase("energy.kinetic", "energy.strain", path=tmp_path / "energy.png").axes[0]
    assert against.get_ylabel() == "energy.strain [J]"
    with pytest.raises(NamingError, match=r"of 'energy\.kinetic' no rate is known; name what to draw it against"):
        oscillator.plot_phase("energy.kinetic")
    rod = fm.PlanarModel("rod")
    rod.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=1e5, EI=3.0, rhoA=0.6))
    drift = fm.simulate(rod, 0.01, step=0.005, progress=False)
    axes = drift.plot_phase("rod.bending1", path=tmp_path / "mode.png").axes[0]
    assert axes.get_ylabel() == "d(rod.bending1)/dt [m/s]"


def test_what_is_left_of_a_vibration_is_its_amplitude_about_where_it_rests():
    model = fm.PlanarModel("oscillator")
    body = model.add_body("body", mass=2.0, inertia=0.1)
    model.prismatic(model.ground, body.frame, name="slide")
    model.bushing(model.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0, 0, 0))
    model.point_force(body.frame, (4.0, 0.0), name="push")
    run = fm.simulate(model, 10.0, step=0.01)
    assert run.residual("body.x", after=4.0) == pytest.approx(0.5, abs=1e-3)  # about 0.5 m
    assert run.residual("body.x", "body.y", after=4.0, before=9.0) == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(ModelError, match="the run ends at 10 s"):
        run.residual("body.x", after=10.0)
    with pytest.raises(ModelError, match="name a quantity"):
        run.residual(after=1.0)
