"""Amplitude spectra of quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls
from flexmb.results.recorded import Recorded

DETRENDS = ("mean", "linear", "none")
#: the smallest and the largest number of values that a spectrum is made of
LEAST = 8
MOST_VALUES = 100_000_000

#: an amplitude is visible in a picture if it is more than this part of the largest one
VISIBLE = 0.01


@dataclass(frozen=True, eq=False)
class Spectrum(metaclass=AnswersCalls):
    """Amplitudes of the harmonics of a quantity: its `name`, the `unit` of the amplitudes, `frequency` (f,) [Hz] and
    `amplitude` (f,).

    A lasting harmonic A cos(ωt + φ) gives a peak of the height A.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> slide = m.prismatic(m.ground, body.frame, name="slide")
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0, 0, 0))
    >>> body.move((0.1, 0.0))
    >>> found = fm.simulate(m, 20.0, step=0.02).spectrum("body.x")
    >>> found.unit, round(float(found.frequency[found.amplitude.argmax()]), 1)  # 2 rad/s
    ('m', 0.3)
    """

    name: str
    unit: str
    frequency: np.ndarray
    amplitude: np.ndarray

    def __repr__(self) -> str:
        k = int(np.argmax(self.amplitude))
        peak = f"largest {self.amplitude[k]:.6g} {self.unit} at {self.frequency[k]:.6g} Hz"
        return f"Spectrum({self.name!r}, {len(self.frequency)} frequencies, {peak})"


def amplitudes(
    values: np.ndarray, rate: float, window: str = "hann", detrend: str = "mean", where: str = "spectrum"
) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and one-sided amplitudes of evenly spaced values, `rate` of them a second [Hz].

    With the window w_k, X_j = Σ w_k x_k e^{−2πi jk/n}:  A_j = 2 |X_j| / Σ w,  and half of that at zero and at rate/2.

    >>> t = np.arange(200) / 100
    >>> f, a = amplitudes(3.0 * np.cos(2 * np.pi * 5.0 * t), 100.0)
    >>> float(f[np.argmax(a)]), round(float(a.max()), 9)
    (5.0, 3.0)
    """
    from scipy import signal

    n = len(values)
    checks.choice(detrend, DETRENDS, "detrend", where)
    if n < LEAST:
        raise ModelError(f"{where}: a spectrum of {n} times says nothing; run longer, or give a higher sampling_rate")
    try:
        w = signal.get_window(window, n)
    except (ValueError, TypeError) as why:
        raise ModelError(
            f"{where}: window {window!r} is unknown ({why}); use 'hann', 'flattop', 'boxcar' or another of scipy.signal"
        ) from None
    x = values if detrend == "none" else signal.detrend(values, type="constant" if detrend == "mean" else "linear")
    amplitude = np.abs(np.fft.rfft(w * x)) * 2.0 / np.sum(w)
    amplitude[0] *= 0.5
    if n % 2 == 0:
        amplitude[-1] *= 0.5
    return np.fft.rfftfreq(n, 1.0 / rate), amplitude


def spectra(
    solution: Recorded, names: Sequence[str], window: str, detrend: str, sampling_rate: float | None
) -> list[Spectrum]:
    """Spectra of quantities of a solution, sampled at equal steps."""
    where = f"spectrum of {solution.where}"
    t = solution.t
    if sampling_rate is None and (len(t) < LEAST or not t[-1] > t[0]):
        raise ModelError(
            f"{where}: a spectrum of {len(t)} times says nothing; run longer, or give a higher sampling_rate"
        )
    sampling = (
        (len(t) - 1) / (t[-1] - t[0])
        if sampling_rate is None
        else checks.positive(sampling_rate, "sampling_rate", where)
    )
    steps = np.diff(t)
    if sampling_rate is not None or np.any(np.abs(steps * sampling - 1.0) > 1e-6):
        span = (t[-1] - t[0]) * sampling
        if span > MOST_VALUES:
            raise ModelError(
                f"{where}: sampling_rate is {sampling:g} Hz, which takes {span:.3g} values; give a lower one"
            )
        count = int(np.floor(span * (1.0 + 1e-12))) + 1
        solution = solution.at(np.minimum(t[0] + np.arange(count) / sampling, t[-1]))
    several = []
    for name in names:
        series = solution.series(name)
        several.append(Spectrum(series.name, series.unit, *amplitudes(series.values, sampling, window, detrend, where)))
    return several


def _last_visible(several: list[Spectrum]) -> float:
    """The frequency up to which amplitudes are visible, with a margin."""
    last = 0.0
    for s in several:
        visible = np.flatnonzero(s.amplitude > VISIBLE * s.amplitude.max(initial=0.0))
        last = max(last, float(s.frequency[visible[-1]]) if len(visible) else 0.0)
    whole = float(several[0].frequency[-1])
    return min(1.3 * last, whole) if last > 0.0 else whole


def panels(
    solution: Recorded,
    names: Sequence[str],
    window: str,
    detrend: str,
    sampling_rate: float | None,
    highest: float | None,
) -> tuple[dict[str, list], float]:
    """What a picture of spectra shows: names, frequencies and amplitudes by unit; and the frequency where it ends."""
    if not names:
        raise NamingError(f"{solution.where}: name what to plot, e.g. solution.plot_spectrum('rod.end.y')")
    several = spectra(solution, names, window, detrend, sampling_rate)
    limit = _last_visible(several) if highest is None else checks.positive(highest, "highest", solution.where)
    groups: dict[str, list] = {}
    for s in several:
        inside = s.frequency <= limit
        groups.setdefault(s.unit, []).append((s.name, s.frequency[inside], s.amplitude[inside]))
    return groups, limit


class Swings(metaclass=AnswersCalls):
    """The vibration in a :class:`~flexmb.results.solution.Solution`: its spectra, and what is left of it."""

    def spectrum(
        self: Recorded, name: str, *, window: str = "hann", detrend: str = "mean", sampling_rate: float | None = None
    ) -> Spectrum:
        """The amplitude spectrum of a quantity, see :class:`~flexmb.results.spectrum.Spectrum`.

        `window`: one that `scipy.signal.get_window` knows ('flattop' for heights, 'boxcar' for none); `detrend`: what
        is subtracted first, 'mean', 'linear' or 'none'; `sampling_rate` [Hz]: the number of samples a second, the mean
        rate of the run when not given.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> rim = wheel.attach("rim", (0.5, 0))
        >>> wheel.move(angular_velocity=10.0 * np.pi)  # five turns a second
        >>> fm.simulate(m, 0.99, step=0.01).spectrum("wheel.rim.x", window="boxcar")
        Spectrum('wheel.rim.x', 51 frequencies, largest 0.5 m at 5 Hz)
        """
        return spectra(self, [name], window, detrend, sampling_rate)[0]

    def residual(self: Recorded, *names: str, after: float, before: float | None = None) -> float:
        """The vibration of a quantity that is left after a time [s]: half the range of its values from then on, the
        amplitude of a harmonic that lasts. Of several names, such as the components of a vector, the largest distance
        from the middle of their ranges.

        `before` [s]: the end of what counts, that of the run when not given. A span of at least one period of the
        slowest vibration says its amplitude.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0, 0, 0))
        >>> body.move(velocity=(0.2, 0.0))
        >>> round(fm.simulate(m, 10.0, step=0.02).residual("body.x", after=5.0), 3)
        0.1
        """
        where = f"residual of solution {self.name!r}"
        if not names:
            raise ModelError(f"{where}: name a quantity, 'tip.ay'")
        begin = checks.number(after, "after", where)
        end = float(self.t[-1]) if before is None else checks.number(before, "before", where)
        within = (self.t >= begin) & (self.t <= end)
        if np.sum(within) < 3:
            raise ModelError(
                f"{where}: {np.sum(within)} times lie between {begin:g} and {end:g} s, and the run ends at "
                f"{self.t[-1]:g} s; run on, or give an earlier time"
            )
        x = np.array([self.series(one).values[within] for one in names])
        middle = 0.5 * (x.max(axis=1) + x.min(axis=1))
        return float(np.max(np.linalg.norm(x - middle[:, None], axis=0)))
