"""Discrete Fourier transforms, as `torch.fft` has them, differentiable in every mode."""

from __future__ import annotations

from types import FunctionType

from .ops import checked
from .ops.fourier.forms import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from .ops.fourier.frequencies import (
    fft_fftfreq as fftfreq,
    fft_fftshift as fftshift,
    fft_ifftshift as ifftshift,
    fft_rfftfreq as rfftfreq,
)
from .tensor import Tensor

__all__ = [
    "Tensor",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

functions = {name: made for name, made in globals().items() if name in __all__ and isinstance(made, FunctionType)}
globals().update({name: checked(name, made, module=__name__) for name, made in functions.items()})
