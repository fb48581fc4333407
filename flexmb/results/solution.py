"""The solution of a run."""
from __future__ import annotations
import numpy as np
class Solution:
    @classmethod
    def of_run(cls, run):
        s=cls(); s.system=run.system; s.t,s.q,s.v,s.a,s.lam=run.history.arrays(); s.status=run.status; s.message=run.message; s.statistics=run.statistics
        return s
