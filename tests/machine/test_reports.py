"""Reports for notebooks: what users wrote is escaped, and whatever they tell of, they are short."""

from __future__ import annotations

import re

import numpy as np
import pytest

from flexmb.machine.reports import LONGEST_ENTRY, LONGEST_LINE, MOST_LINES, entry, report, report_of, some, table

HOSTILE = "<script>alert('x')</script>&\""


def test_whatever_comes_from_users_is_escaped():
    page = report(HOSTILE, [HOSTILE], table([HOSTILE], [[HOSTILE]]))
    assert "<script" not in page and page.count("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;&quot;") == 4


def test_of_many_rows_the_first_are_shown_and_the_others_are_counted():
    page = table(["k", "square"], ((k, k * k) for k in range(10**9)), 10**9)
    assert page.count("<tr>") == 1 + 20 + 1 and "<td>361</td>" in page and "<td>400</td>" not in page
    assert "… 999999980 more" in page
    assert "more" not in table(["k"], [(k,) for k in range(20)]) and table(["k"], []) == ""
    assert "… 1 more" in table(["k"], [(k,) for k in range(21)])


def test_of_many_columns_the_first_are_shown_and_the_others_are_counted():
    page = table([f"c{k}" for k in range(30)], [range(30)])
    assert "<th>c10</th><th>… 19 more</th>" in page and "c11" not in page and page.count("<td>") == 12
    assert "more" not in table([f"c{k}" for k in range(12)], [range(12)])


def test_long_texts_are_cut():
    assert len(entry("x" * 1000)) == LONGEST_ENTRY
    page = report("t" * 1000, ["l" * 1000] * 100)
    assert page.count("<br>") == MOST_LINES + 1 and "… 80 more" in page
    assert len(page) < (MOST_LINES + 2) * (LONGEST_LINE + 10)
    assert report_of("title\n  a < b\n\n") == "<div><b>title</b><br>a &lt; b</div>"
    assert some([str(k) for k in range(9)]) == "0, 1, 2, 3, 4, 5, 6, 7, … 1 more"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "yes"),
        (np.bool_(False), "no"),
        (12345678, "12345678"),
        (np.float64(-1.23456789e-7), "−1.23457e−07"),
        (float("nan"), "nan"),
        (-1e-17 + 4j, "0 + 4i"),
        (1.5 - 2j, "1.5 − 2i"),
        (np.zeros((3, 4)), "12 numbers"),
    ],
)
def test_entries_of_tables(value, text):
    assert entry(value) == text


def test_columns_of_texts_stand_to_the_left():
    sides = re.findall(r"<th( style=\"text-align:left\")?>", table(["n", "name"], [(1, "a"), (2, "b")]))
    assert [bool(side) for side in sides] == [False, True]
