"""The page of messages: every error and every warning, with its cause and what to do, as their docstrings say."""

from __future__ import annotations

import inspect
import re

import flexmb
from docs.tools import reference

TO_DO = "What to do: "
HEAD = """\
What messages mean
==================

A message of flexmb names the thing, says what is wrong with it, and what to do. Its type says what kind of failure it
is. An **error** ends the computation: it is raised, and is a :class:`flexmb.FlexmbError` too. Where a run has results
until then, the error holds them as its ``solution``. A **warning** comes beside a result. Turn warnings into errors
where nobody reads them::

    import warnings

    import flexmb as fm

    warnings.simplefilter("error", fm.errors.AccuracyWarning)

"""


def cause_and_remedy(name: str) -> tuple[str, str]:
    """What a docstring of :mod:`flexmb.errors` says of the cause, and of what to do (empty if it does not say).

    >>> cause_and_remedy("BalanceWarning")[0]
    'Small motions about a state that is not in balance.'
    """
    text = inspect.getdoc(getattr(flexmb.errors, name)) or ""
    causes, _, remedy = text.partition(f"\n\n{TO_DO}")
    return causes, remedy


def page() -> str:
    """The page, errors first."""
    text = HEAD
    for heading, names in reference.groups("flexmb.errors").items():
        text += f"{heading}\n{'-' * len(heading)}\n\n"
        for name in names:
            cause, remedy = cause_and_remedy(name)
            remedy = re.sub(r"\s+", " ", remedy)
            text += f"{name}\n{'^' * len(name)}\n\n*Cause.* {cause}\n\n"
            text += f"*What to do.* {remedy[:1].upper()}{remedy[1:]}\n\n"
            text += f":class:`Its place in the reference <flexmb.errors.{name}>`\n\n"
    return text
