"""Every source that is cited has its entry in SOURCES.md, under the words of the citation, and every entry is cited."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("flexmb", "elements", "validation", "examples", "tests", "docs")
FILES = [path for room in ROOMS for kind in ("*.py", "*.md") for path in (ROOT / room).rglob(kind)]
FILES = [path for path in FILES if "_build" not in path.parts]  # of the documentation
NAME = r"[A-Z][\w’'-]+"
#: one author, two, three, more ("et al."); a year, or "n.d." where there is none
CITATION = re.compile(rf"{NAME}(?:(?:, {NAME})* and {NAME}| et al\.)? \((?:\d{{4}}|n\.d\.)\)")
ENTRY = re.compile(r"^- \*\*(.+?)\.\*\* ", re.MULTILINE)


def cited(text: str) -> set[str]:
    """All citations in a text, also those that run over the end of a line of a docstring or a comment."""
    return set(CITATION.findall(re.sub(r"\s+(?:#:?\s+)?", " ", text)))


def entries() -> list[str]:
    return ENTRY.findall((ROOT / "SOURCES.md").read_text(encoding="utf-8"))


def test_citations_are_found_in_all_their_forms():
    text = """as Eich (1993) and
    #: Bottasso, Bauchau
    #: and Cardona (2007) say, after Wright et al. (1982); Simo and Vu-Quoc (1986),
    Kobayashi (n.d.), eq. (57). No citation: Run (3)
    """
    wanted = {"Eich (1993)", "Bottasso, Bauchau and Cardona (2007)", "Wright et al. (1982)", "Simo and Vu-Quoc (1986)"}
    assert cited(text) == wanted | {"Kobayashi (n.d.)"}


def test_entries_are_well_formed_and_single():
    found = entries()
    assert len(found) == len(set(found))
    assert all(CITATION.fullmatch(entry) for entry in found)
    # so that no entry is passed over because it is written in another form
    assert len(found) == sum(line.startswith("- ") for line in (ROOT / "SOURCES.md").read_text("utf-8").splitlines())


def test_citations_have_an_entry():
    known = set(entries())
    unknown = {str(path): missing for path in FILES if (missing := cited(path.read_text(encoding="utf-8")) - known)}
    assert not unknown


def test_entries_are_cited():
    here = Path(__file__)
    everywhere = set().union(*(cited(path.read_text(encoding="utf-8")) for path in FILES if path != here))
    assert not set(entries()) - everywhere


def test_no_source_goes_by_a_number():
    numbered = [str(path) for path in FILES if re.search(r"\bsource 0\d\d", path.read_text(encoding="utf-8"), re.I)]
    assert not numbered
