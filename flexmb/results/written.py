"""How a solution is written to files, and handed to other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmb.model import checks
from flexmb.model.hints import AnswersCalls
from flexmb.results import export, tables
from flexmb.results.recorded import Recorded
from flexmb.results.store.writing import save

if TYPE_CHECKING:
    import pandas
    import xarray


class Written(metaclass=AnswersCalls):
    """Files and tables of a :class:`~flexmb.results.solution.Solution`."""

    def save(self: Recorded, path: str | Path, *, points: int = 21, between_steps: bool = True) -> Path:
        """Write the solution to an HDF5 file, with beams at `points` places along each; :func:`flexmb.load` reads it.
        An old file at `path` is replaced only when the new one is complete.

        Long steps of explicit methods ("dop853", "baumgarte", "projection") are made again for the file, which then has
        eight states `between_steps` each of them, so that :meth:`at` gives what it gives after the run. That takes some
        milliseconds a step; without it the file is up to nine times smaller, and has quintics between its steps.

        >>> import tempfile
        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fm.load(fm.simulate(build(), 0.1, step=0.01).save(f"{folder}/swing.h5"))
        Solution('pendulum', 11 times, finished)
        """
        return save(self, path, points, checks.flag(between_steps, "between_steps", f"save {self.where}"))

    def to_dict(self: Recorded, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """Quantities (k,) by name, and 't'; x, y and angle of all frames when no names are given.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> table = fm.simulate(build(), 0.1, step=0.01).to_dict(["rod.end.y", "hinge.fx"])
        >>> list(table), table["hinge.fx"].shape
        (['t', 'rod.end.y', 'hinge.fx'], (11,))
        """
        return export.to_dict(self, names)

    def to_csv(self: Recorded, path: str | Path, names: Sequence[str] | None = None) -> Path:
        """Write quantities as a table of comma-separated values, a row a time, units in its head.

        >>> import tempfile
        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = fm.simulate(build(), 0.1, step=0.01).to_csv(f"{folder}/swing.csv", ["rod.end.y"])
        ...     path.read_text().splitlines()[:2]
        ['t [s],rod.end.y [m]', '0.0,0.0']
        """
        return export.to_csv(self, path, names)

    def to_pandas(self: Recorded, names: Sequence[str] | None = None) -> pandas.DataFrame:
        """Quantities as a table: a column a name, a row a time, indexed by t [s]; `table.attrs["units"]` has the units.
        x, y and angle of all frames when no names are given.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> table = fm.simulate(build(), 0.1, step=0.01).to_pandas(["rod.end.y"])
        >>> table.shape, float(table["rod.end.y"].min().round(2)), table.attrs["units"]["rod.end.y"]
        ((11, 1), -0.05, 'm')
        """
        return tables.to_pandas(self, names)

    def to_xarray(
        self: Recorded,
        names: Sequence[str] | None = None,
        beams: Sequence[str] | None = None,
        points: int = 21,
    ) -> xarray.Dataset:
        """Quantities over the dimension `time`, and motion, strains and forces along `beams` (all of them when not
        given) as 'rod.x', 'rod.curvature', 'rod.bending_moment' … over (`time`, `s`), with units and long names.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> data = fm.simulate(build(), 0.1, step=0.01).to_xarray(["hinge.fx"], points=5)
        >>> dict(data.sizes), data["rod.bending_moment"].dims
        ({'time': 11, 's': 5}, ('time', 's'))
        """
        return tables.to_xarray(self, names, beams, points)
