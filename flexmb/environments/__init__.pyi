# The names of this room: `__init__.py` reads them at run time, and imports one when it is first used.

from .moments import Moment as Moment
from .single import Env as Env
from .tasks import Task as Task
from .vector import VectorEnv as VectorEnv
