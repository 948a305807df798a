"""`torch.backends`: settings of and queries about the libraries behind torch, none of which is available here.

Settings can be written, so that programs that choose between them run; they change nothing.
"""

from __future__ import annotations

from wengert._start.loading import on_demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import (
        cpu as cpu,
        cuda as cuda,
        cudnn as cudnn,
        mkl as mkl,
        mkldnn as mkldnn,
        mps as mps,
        openmp as openmp,
        opt_einsum as opt_einsum,
        quantized as quantized,
    )

__getattr__, __dir__ = on_demand(globals())
