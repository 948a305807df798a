"""Discrete Fourier transforms, as `torch.fft` has them, differentiable in every mode."""

from __future__ import annotations

from functools import partial
from types import FunctionType

from ._tensor import Tensor
from .ops import checked, plain_case
from .ops.fourier.arguments import NATIVE
from .ops.fourier.forms import (
    c2c,
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
    signal_of_array,
    spectrum_of_array,
)
from .ops.fourier.frequencies import (
    fft_fftfreq as fftfreq,
    fft_fftshift as fftshift,
    fft_ifftshift as ifftshift,
    fft_rfftfreq as rfftfreq,
)
from .ops.fourier.transforms import complex_to_complex, complex_to_real, real_to_complex
from .ops.pointwise.unary import conjugate_complex

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

plain = partial(plain_case, module=__name__)
of_complex = ((complex_to_complex, complex_to_complex.native),)
fft = plain(fft, real_to_complex, translate=NATIVE["fft"], further=of_complex)
ifft = plain(ifft, real_to_complex, translate=NATIVE["ifft"], further=of_complex, then=(conjugate_complex,))
rfft = plain(rfft, real_to_complex, translate=NATIVE["rfft"])
irfft = plain(irfft, complex_to_real, translate=NATIVE["irfft"])
fft2 = plain_case(fft2, arrays=spectrum_of_array, needs=(c2c,), module=__name__, card="fft_fft2")
ifft2 = plain_case(ifft2, arrays=signal_of_array, needs=(c2c,), module=__name__, card="fft_ifft2")

functions = {
    name: function for name, function in globals().items() if name in __all__ and isinstance(function, FunctionType)
}
globals().update({name: checked(name, function, module=__name__) for name, function in functions.items()})
