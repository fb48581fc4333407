"""flexmb: flexible multibody dynamics, for mechanisms that turn far and bend.

Everything a user needs stands here; it is imported when it is first used. The names are those of `__init__.pyi`.
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.1.0"

__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_names]


def __dir__() -> list[str]:
    return list(__all__)
