"""`torch.backends`: what programs ask and set of the libraries behind torch; here each says that it is not there.

Settings can be written, so that programs that choose between them run; they change nothing.
"""

from __future__ import annotations

from wengert._start.loading import on_demand

_NAMES = ("cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum", "quantized")
__getattr__, __dir__ = on_demand(globals(), {name: name for name in _NAMES})
