"""Build the site, open it, write into pages what their blocks print, and record numbers of validation cases:

python -m docs build
python -m docs open
python -m docs outputs docs/start/first.md
python -m docs record four-bar
python -m docs wording --most 20
"""

from __future__ import annotations

import shutil
import sys
import time
import webbrowser
from pathlib import Path

import click

from docs.tools import foreign, places
from docs.tools import pages as running
from docs.tools.places import BUILD, DOCS, EXTRA, GALLERIES, HTML, SCRIPTS, SOURCE


@click.group()
def main() -> None:
    """The documentation of flexmb."""


@main.command()
@click.option("--fresh", is_flag=True, help="Build all pages anew.")
def build(fresh: bool) -> None:
    """Build the site into docs/_build/html; a warning is an error, and what a page loads from elsewhere is one."""
    from sphinx.cmd.build import build_main

    if fresh:
        shutil.rmtree(BUILD, ignore_errors=True)
    begun = time.perf_counter()
    prepare()
    trees = BUILD / "trees"
    failed = build_main(
        ["-q", "-W", "--keep-going", "-b", "html", "-c", str(DOCS), "-d", str(trees), str(SOURCE), str(HTML)]
    )
    if failed:
        sys.exit(failed)
    loaded = foreign.in_site(HTML)
    if loaded:
        raise click.ClickException("\n".join(["the site does not stand alone:", *loaded]))
    count = len(list(HTML.rglob("*.html"))) - len(list((HTML / "views").glob("*.html")))
    seconds = time.perf_counter() - begun
    click.echo(f"{count} pages, {len(places.scripts())} scripts, in {seconds:.0f} s: {HTML / 'index.html'}")


@main.command("open")
def open_site() -> None:
    """Open the site in the browser."""
    if not (HTML / "index.html").is_file():
        raise click.ClickException("there is no site yet; build it with: python -m docs build")
    webbrowser.open((HTML / "index.html").as_uri())


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def outputs(paths: tuple[Path, ...]) -> None:
    """Run the blocks of pages, and write what they print under them."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        changed = running.with_outputs(text, running.run(path.resolve(), text))
        if changed != text:
            path.write_text(changed, encoding="utf-8")
        click.echo(f"{path}: {'changed' if changed != text else 'as it was'}")


@main.command()
@click.option("--most", default=30, help="Lines of each list.", show_default=True)
def wording(most: int) -> None:
    """List docstrings that do not name what they describe, and sentences that are too long, the longest first."""
    from docs.tools import wording as words

    for title, found in (
        ("docstrings that begin with a word in place of their subject", words.openings(words.docstrings())),
        ("long sentences of docstrings", words.long_sentences(words.docstrings())),
        ("long sentences of pages", words.long_sentences(words.pages())),
    ):
        click.echo(f"{len(found)} {title}")
        for x in found[:most]:
            click.echo(f"  {x.path}:{x.line}: {x.words}")


@main.command()
@click.argument("names", nargs=-1, required=True)
def record(names: tuple[str, ...]) -> None:
    """Compute validation cases, and write their numbers in place of the old ones into docs/validation/results.json."""
    from docs.tools import validation

    failed = validation.record(names)
    if failed:
        raise click.ClickException("\n".join(["these are outside their tolerance:", *failed]))


def prepare() -> None:
    """Put together what Sphinx reads: pages, pictures and scripts of this folder, and generated pages. Files that have
    not changed keep their time, so that only changed pages are built again."""
    from docs.tools import mechanisms
    from docs.tools.generated import generated

    wanted: dict[Path, bytes] = {}
    for path in (path for room in places.rooms() for path in room.rglob("*") if path.is_file()):
        if "__pycache__" not in path.parts:
            to = SCRIPTS if path.relative_to(DOCS).parts[0] in GALLERIES else SOURCE
            wanted[to / path.relative_to(DOCS)] = path.read_bytes()
    wanted[SOURCE / "index.md"] = (DOCS / "index.md").read_bytes()
    film = Path("examples", "pictures", "pendulum.gif")  # with which the first page opens
    wanted[SOURCE.parent / film] = (DOCS.parent / film).read_bytes()
    for name, text in generated().items():
        wanted[SOURCE / name] = text.encode("utf-8")
    for folder in (SOURCE, SCRIPTS, EXTRA):
        folder.mkdir(parents=True, exist_ok=True)
    for path, data in wanted.items():
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    kept = (*(SOURCE / room for room in GALLERIES), places.FIGURES)
    for path in [*SOURCE.rglob("*"), *SCRIPTS.rglob("*.py")]:
        if path.is_file() and path not in wanted and not any(room in path.parents for room in kept):
            path.unlink()
    mechanisms.draw()


if __name__ == "__main__":
    main()
