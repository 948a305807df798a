"""Windows, as `torch.signal.windows` has them."""

from __future__ import annotations

from ..ops import checked
from ..ops.fourier.signal_windows import (
    bartlett_window as bartlett,
    blackman_window as blackman,
    cosine_window as cosine,
    exponential_window as exponential,
    gaussian_window as gaussian,
    general_cosine_window as general_cosine,
    general_hamming_window as general_hamming,
    hamming_window as hamming,
    hann_window as hann,
    kaiser_window as kaiser,
    nuttall_window as nuttall,
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
