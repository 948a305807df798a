"""Windows, as `torch.signal.windows` has them."""

from __future__ import annotations

from ..ops import checked
from ..ops.fourier.signal_windows import (
    bartlett,
    blackman,
    cosine,
    exponential,
    gaussian,
    general_cosine,
    general_hamming,
    hamming,
    hann,
    kaiser,
    nuttall,
)

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]

globals().update({name: checked(name, globals()[name], module=__name__) for name in __all__})
