"""Every page runs, prints what it says, and has numbers that agree with closed forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tools.pages import PageError, blocks, differences, run, with_outputs
from docs.tools.places import DOCS, pages
from tests.docs.numbers import CHECKS

PAGE = """# A page

```python
x = 1
print(x)
```

```python
# needs a_package_that_nobody_has
import a_package_that_nobody_has
```

```python
print(x + 1)
x
```

```text
3
```
"""


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(DOCS).as_posix())
def test_the_page_prints_what_it_says(path):
    text, check = path.read_text(encoding="utf-8"), CHECKS.get(path.relative_to(DOCS).as_posix())
    last = max((k for k, block in enumerate(blocks(text)) if not block.missing), default=-1)

    def after(k, outcome):
        if k == last and check is not None:
            check(outcome.names)

    found = differences(text, run(path, text, after))
    assert not found, "\n".join([*found, f"to write what it prints: python -m docs outputs {path}"])


def test_checks_are_of_pages():
    assert len(CHECKS) >= 14 and {DOCS / page for page in CHECKS} <= {*pages()}


def test_blocks_share_their_names_and_are_compared_with_what_they_print():
    found = blocks(PAGE)
    assert [(block.line, block.shown, block.missing) for block in found] == [
        (4, "", ""),
        (9, "", "a_package_that_nobody_has"),
        (14, "3\n", ""),
    ]
    outcomes = run(Path("page.md"), PAGE)
    assert outcomes[1] is None and outcomes[2].printed == "2\n" and outcomes[2].value == 1
    assert len(differences(PAGE, outcomes)) == 2


def test_outputs_are_written_under_their_blocks():
    outcomes = run(Path("page.md"), PAGE)
    written = with_outputs(PAGE, outcomes)
    assert "print(x)\n```\n\n```text\n1\n```\n\n```python\n# needs" in written
    assert written.endswith("```text\n2\n```\n") and not differences(written, outcomes)
    assert with_outputs(written, outcomes) == written


def test_a_block_that_fails_is_named_by_its_line():
    with pytest.raises(PageError, match=r"^page.md:2: ZeroDivisionError: division by zero$"):
        run(Path("page.md"), "```python\n1 / 0\n```\n")


def test_a_warning_that_a_page_does_not_name_is_an_error():
    code = "import warnings\nimport flexmb as fm\nwarnings.warn('far', getattr(fm.errors, 'Accuracy' + 'Warning'))\n"
    gives = f"```python\n{code}```\n"
    with pytest.raises(PageError, match="does not say that this gives a AccuracyWarning: far"):
        run(Path("page.md"), gives)
    run(Path("page.md"), f"{gives}\nThat is an `AccuracyWarning`.\n")
