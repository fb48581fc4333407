"""The command `flexmb`: demos, validation, compiling ahead, and what is installed."""

from __future__ import annotations

import json
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from flexmb import __version__
from flexmb.errors import FlexmbError
from flexmb.machine import files
from flexmb.model.given_names import similar

#: packages whose version `flexmb info` prints: those that flexmb needs, and those that it can use
PACKAGES = (
    *("numpy", "scipy", "numba", "platformdirs", "threadpoolctl", "scikit-sundae", "h5py", "meshio", "pyvista"),
    *("matplotlib", "rich", "click", "cloudpickle"),
    *("pandas", "xarray", "control", "distributed", "imageio", "imageio-ffmpeg", "meshlane", "yourdfpy", "pycollada"),
    *("sectionproperties", "sympy", "scikit-fem", "pyyeti", "pytetwild"),
    *("exudyn", "pin", "example-robot-data"),
)


#: the time between two tables of a run of the fuzzer [s]
TABLE_EVERY = 300.0


class _Command(click.Group):
    """A group of commands that shows errors of flexmb itself as one line, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FlexmbError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Command)
@click.version_option(__version__, prog_name="flexmb")
def main() -> None:
    """Flexible multibody dynamics."""


@main.command()
@click.argument("name", required=False)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("flexmb-demo"), show_default=True)
@click.option("--list", "listing", is_flag=True, help="List the demos.")
def demo(name: str | None, out: Path, listing: bool) -> None:
    """Run a demo (the spin-up beam when no NAME is given), and write its pictures and result files."""
    import flexmb.examples as examples

    if listing:
        for key, about in examples.DEMOS.items():
            click.echo(f"{key:16s} {about}")
        return
    name = name or next(iter(examples.DEMOS))
    if name not in examples.DEMOS:
        known = ", ".join(examples.DEMOS)
        raise click.ClickException(f"there is no demo {name!r}{similar(name, examples.DEMOS)}; choose one of {known}")
    out = files.folder_to_write(out, "demo")
    begun = time.perf_counter()
    written = examples.load(name).run(out)
    click.echo(f"demo {name!r} took {time.perf_counter() - begun:.1f} s and wrote:")
    for path in written:
        click.echo(f"  {path}")


@main.command()
@click.argument("names", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="List the cases.")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the results to a file."
)
@click.option("--fuzz", "count", type=click.IntRange(min=1), help="Try so many random mechanisms instead.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Which random mechanisms.")
@click.option("--first", type=click.IntRange(min=0), default=0, show_default=True, help="The number of the first one.")
def validate(
    names: tuple[str, ...], listing: bool, json_file: Path | None, count: int | None, seed: int, first: int
) -> None:
    """Compute validation cases (all when no NAME is given) and compare them with their references; or try random
    mechanisms, and check every answer."""
    from rich.console import Console

    from flexmb.validation import cases, checks_of
    from flexmb.validation.recorded import Results

    if count is not None:
        if names or listing:
            raise click.ClickException("--fuzz takes no cases; leave the names and --list out")
        _fuzz(count, seed, first, json_file)
        return
    known = cases()
    if listing:
        for case in known.values():
            click.echo(f"{case.name:20s} {case.about}")
        return
    for name in names:
        if name not in known:
            raise click.ClickException(
                f"there is no case {name!r}{similar(name, known)}; choose from {', '.join(known)}"
            )
    if json_file is not None:
        files.path_to_write(json_file, "results")
    results = Results(__version__)
    console = Console(width=None if sys.stdout.isatty() else 160)
    left_out = []
    for name in names or known:
        begun = time.perf_counter()
        try:
            records = known[name].compute()
        except ImportError as error:  # an optional package
            click.echo(f"{name}: left out: {error}", err=True)
            left_out.append(name)
            continue
        seconds = time.perf_counter() - begun
        console.print(_table(known[name], checks_of(records), seconds))
        results.add(known[name], records, seconds)
    if json_file is not None:
        files.write_text(json_file, "results", results.text())
    counted = [r for r in results.checks if not r["identified"]]
    failed = sum(not r["passed"] for r in counted)
    click.echo(f"{len(counted) - failed} of {len(counted)} checks passed")
    if left_out:
        click.echo(f"left out: {', '.join(left_out)}; pip install 'flexmb[test]' has the packages that they need")
    if failed or left_out:
        sys.exit(1)


def _table(case: Any, checks: list[Any], seconds: float) -> Any:
    from rich.markup import escape
    from rich.table import Table

    title = f"{case.name}: {case.about} ({seconds:.1f} s)"
    table = Table(title=escape(title), title_justify="left", title_style="bold")
    for heading in ("quantity", "got", "reference", "tolerance", "reference is from", "tolerance is", ""):
        table.add_column(heading, justify="right" if heading in ("got", "reference", "tolerance") else "left")
    for c in checks:
        mark = "[green]pass[/green]" if c.passed else "[bold red]FAIL[/bold red]"
        mark = "identified" if c.identified else mark
        numbers = (f"{c.got:.7g}", f"{c.reference:.7g}", f"{c.tolerance:.2g}")
        table.add_row(escape(c.quantity), *numbers, escape(c.source), escape(c.because), mark)
    return table


def _fuzz(count: int, seed: int, first: int, json_file: Path | None) -> None:
    from flexmb.validation.fuzz.fuzz import fuzz

    begun = last = time.perf_counter()

    def told(report: Any, new: list[Any]) -> None:
        """Print faults as they are found, and a table now and then."""
        nonlocal last
        for o in new:
            if o.fault:
                click.echo(f"mechanism {o.number}, {o.task}: {o.outcome}: {o.text}")
                click.echo(f"  again: flexmb validate --fuzz 1 --seed {seed} --first {o.number}")
        if time.perf_counter() - last > TABLE_EVERY:
            last = time.perf_counter()
            _print_outcomes(report, last - begun)

    report = fuzz(count, seed, first, progress=told)
    _print_outcomes(report, time.perf_counter() - begun)
    if json_file is not None:
        outcomes = [asdict(o) for o in report.outcomes]
        json_file.write_text(json.dumps({"flexmb": __version__, "seed": seed, "outcomes": outcomes}, indent=1) + "\n")
    click.echo(f"{len(report.faults)} faults in {len(report.outcomes)} tasks")
    if report.faults:
        sys.exit(1)


def _print_outcomes(report: Any, seconds: float) -> None:
    """The table of tasks and their outcomes."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from flexmb.validation.fuzz.fuzz import FAULTS

    tasks, kinds, table = report.table()
    done = len({o.number for o in report.outcomes})
    title = f"{done} numbers of random mechanisms, seed {report.seed} ({seconds:.0f} s)"
    shown = Table(title=title, title_justify="left", title_style="bold")
    shown.add_column("")
    for kind in kinds:
        shown.add_column(escape(kind), justify="right", style="bold red" if kind in FAULTS else "")
    for name, row in zip((*tasks, "all"), (*table, table.sum(axis=0)), strict=True):
        shown.add_row(escape(name), *(str(n) if n else "" for n in row))
    Console(width=None if sys.stdout.isatty() else 200).print(shown)


@main.command("warm-up")
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Compile for all kinds of mechanisms.")
@click.option("--list", "listing", is_flag=True, help="List the kinds of mechanisms, with their numbers of functions.")
@click.option(
    "--processes", type=click.IntRange(min=1), help="Processes that share the work [as many as processors are free]."
)
@click.option("--library", is_flag=True, help="Compile for x86-64-v3, and build a library of these kernels.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="The file of the library [in the cache folder]."
)
def warm_up(
    names: tuple[str, ...], everything: bool, listing: bool, processes: int | None, library: bool, out: Path | None
) -> None:
    """Compile kernels ahead for the kinds of mechanisms in NAMES, such as `cms spatial`: their first run then starts as
    fast as a second one. Ctrl-C keeps what is done."""
    from flexmb.kernels.compiler import PLAIN

    if PLAIN:
        raise click.ClickException(f"nothing can be compiled ahead by plain Numba, which keeps nothing; {PLAIN}")
    from flexmb.kernels.library.building import build_library, prepare, recorded_functions
    from flexmb.kernels.warming.recorded import recorded
    from flexmb.kernels.warming.sharing import Progress, compile_list
    from flexmb.machine.processors import free_processors
    from flexmb.machine.progress import ProgressBar

    known = recorded()
    if listing:
        for name in known.names:
            click.echo(f"{name:34s} {len(known.numbers_of([name]))}")
        return
    for name in names:
        if name not in known.names:
            hint = similar(name, known.names) or "; `flexmb warm-up --list` lists all"
            raise click.ClickException(f"there is no kind of mechanism {name!r}{hint}")
    if everything == bool(names):
        raise click.ClickException("name kinds of mechanisms, or give --all; `flexmb warm-up --list` lists them")
    if out is not None and not library:
        raise click.ClickException("--out names the file of a library; give --library too")
    if library:
        prepare()
    numbers = known.numbers_of(known.names if everything else names)
    begun, count = time.perf_counter(), processes or 1 + free_processors()
    bar = ProgressBar("compiling", 1.0)

    def show(progress: Progress) -> None:
        now = ", ".join(known.functions[number].name.removeprefix("flexmb.") for number in progress.now.values())
        bar.show(progress.done / max(progress.total, 1), f"{progress.done} of {progress.total}: {now}"[:100])

    try:
        done = compile_list(numbers, count, show)
    except KeyboardInterrupt:
        raise click.ClickException("stopped; what was compiled so far is kept") from None
    finally:
        bar.stop()
    click.echo(
        f"compiled {done.new} functions in {time.perf_counter() - begun:.1f} s by {done.processes} "
        f"{'process' if done.processes == 1 else 'processes'}; {done.there} were there"
    )
    if done.gone:
        click.echo(
            f"{done.gone} of the list are none of these sources, and are compiled when they are needed", err=True
        )
    if library:
        path, left_out = build_library(recorded_functions(numbers), out)
        click.echo(f"wrote {path}, {path.stat().st_size / 1e6:.1f} MB")
        for text in left_out:
            click.echo(f"  not in it: {text}", err=True)


@main.command()
@click.option("--clear-cache", is_flag=True, help="Delete the compiled kernels; they are compiled again when needed.")
def info(clear_cache: bool) -> None:
    """Versions, and the cache of compiled kernels."""
    from importlib import metadata

    from flexmb.kernels.cache import ROOM, chosen, clear, kernel_cache, unusable
    from flexmb.kernels.compilation import INTERPRETED
    from flexmb.kernels.compiler import PLAIN

    click.echo(f"flexmb {__version__}, Python {platform.python_version()}, {platform.machine()} {platform.system()}")
    for package in PACKAGES:
        try:
            click.echo(f"  {package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            click.echo(f"  {package} is not installed")
    processor, library, unused = (None, None, None) if PLAIN else chosen()
    if library is not None:
        size = f"{library.code.nbytes / 1e6:.1f} MB"
        click.echo(f"library: {len(library.functions)} kernels, {size}, in {library.path}")
    click.echo(f"kernels are compiled for {'this processor' if processor is None else f'{processor} processors'}")
    if unused:
        click.echo(f"  {unused}")
    cache = kernel_cache()
    size = f"{cache.size / 1e6:.1f} of at most {ROOM / 1e6:.0f} MB"
    click.echo(f"kernel cache: {len(cache.files)} kernels, {size}, in {cache.folder}")
    why = unusable(cache.folder)
    if why:
        click.echo(f"  it is not used: {why}; let NUMBA_CACHE_DIR name a folder")
    if INTERPRETED:
        click.echo(
            "  Numba is switched off (NUMBA_DISABLE_JIT): kernels run as plain Python, some hundred times slower"
        )
    elif PLAIN:
        click.echo(f"  it is not used: plain Numba compiles in every process anew, since {PLAIN}")
    if clear_cache:
        click.echo(f"deleted {clear()} kernels")
