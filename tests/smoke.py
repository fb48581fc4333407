"""What runs with the lowest and the newest versions of all dependencies: a few tests of each, with small mechanisms.
Run, it prints the lowest versions that setup.cfg allows, as pip's constraints."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

#: tests, in files of this folder
SMOKE = """
test_package.py::test_import_is_light
test_package.py::test_the_ten_lines_of_the_readme_run
test_cli.py::test_info_shows_versions_and_the_cache
algebra/test_multifrontal.py
bodies/test_reduced_body.py
forces/spatial/test_python_force.py
io/test_meshes.py
kernels/hooks/test_calls.py::test_what_is_called_and_lent_is_what_python_does
kernels/hooks/test_places.py
kernels/hooks/test_typed_operators.py
kernels/test_cache.py::test_kernels_lie_in_the_users_cache_and_nothing_beside_the_code
kernels/test_lending.py
machine/test_threads.py
plots/test_plots.py
results/test_files.py
solvers/coordinates/joints/test_onto_rows.py
solvers/test_methods.py::test_methods_agree_on_a_flexible_pendulum
solvers/test_orientations.py::test_a_hinge_counts_its_turns
studies/test_study.py::test_processes_give_the_table_of_this_process_bit_by_bit
studies/test_study.py::test_functions_that_no_module_has_are_sent_with_their_code
visual/test_stage.py::test_beams_bend_as_the_solution_says
visual/test_stage.py::test_the_view_of_a_solution_and_the_public_names
""".split()


def lowest() -> list[str]:
    """The lowest version of each package that flexmb needs, as `name==version`."""
    setup = ConfigParser()
    setup.read(Path(__file__).parent.parent / "setup.cfg")
    needed = setup["options"]["install_requires"].split()
    return [re.sub(r"^([\w-]+)>=([\d.]+).*", r"\1==\2", each) for each in needed]


if __name__ == "__main__":
    print(*lowest(), sep="\n")
