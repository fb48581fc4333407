"""flexmb: flexible multibody dynamics, for mechanisms that turn far and bend.

Everything a user needs stands here; it is imported when it is first used. The names are those of `__init__.pyi`.
"""

from __future__ import annotations

from importlib.util import find_spec

import lazy_loader

__version__ = "0.1.0"

if find_spec("flexmb.elements") is None:  # Python takes the folder in which it is started before what is installed
    raise ImportError(
        f"flexmb: {__file__} is a part of its source, in which its elements stand elsewhere; start Python in another "
        "folder, or install the source itself with: pip install -e ."
    )

__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_names]


def __dir__() -> list[str]:
    return list(__all__)
