"""Short-time Fourier transform: spectra of overlapping pieces of a signal, and the inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import Truth, integer
from ..._core.cards.card import Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..._core.types.sizes import normalise
from ..create.create import tensor
from ..images.pad import constant_pad_nd, pad
from ..pointwise.complex import view_as_real
from ..shapes.strided import unfold_backward
from .transforms import complex_to_complex, complex_to_real, real_to_complex

NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress "
    "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to "
    "make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`."
)
REAL_RESULT = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the "
    "complex output to recover the old return format."
)
ONESIDED = "Cannot have onesided output if window or input is complex"


def kind_of(tensor: Any) -> str:
    """Name of the type of a tensor in torch's errors."""
    name = tensor.dtype.legacy
    return f"CPU{name[:-6]}Type" if tensor.dtype.is_complex else f"torch.{name}"


def described(name: str, input: Any, window: Any, **options: Any) -> str:
    """Return a call as torch's errors show it."""
    frame = {key: options.pop(key) for key in ("n_fft", "hop_length", "win_length")}
    parts = [f"{kind_of(input)}{errors.shown(input.shape)}", *(f"{key}={value}" for key, value in frame.items())]
    parts.append("window=None" if window is None else f"window={kind_of(window)}{{{errors.shown(window.shape)}}}")
    parts += [f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in options.items()]
    return f"{name}({', '.join(parts)})"


def read_frame(name: str, n_fft: Any, hop_length: Any, win_length: Any) -> tuple[int, int, int]:
    """Return the number of points of a transform, the distance of pieces, and the length of a window."""
    points = integer(name, "n_fft", n_fft)
    hop = points // 4 if hop_length is None else integer(name, "hop_length", hop_length)
    return points, hop, points if win_length is None else integer(name, "win_length", win_length)


def centred(window: Any, points: int) -> Any:
    """Append zeros to both sides of a window, up to the number of points of a transform."""
    spare = points - window.shape[0]
    return constant_pad_nd(window, (spare // 2, spare - spare // 2)) if spare else window


def padded(input: Any, points: int, mode: str) -> Any:
    """Extend a signal on both sides by half a piece, so that the first piece is centred at its first element."""
    room = input.reshape((1,) * (3 - input.ndim) + tuple(input.shape))
    result = pad(room, [points // 2, points // 2], mode)
    return result.reshape(result.shape[result.ndim - input.ndim :])


def read_result(input: Any, window: Any, return_complex: bool | None) -> bool:
    """Return whether the result of `stft` is complex.

    Raises:
        RuntimeError: if `return_complex` is not given, and neither input nor window is complex.
    """
    if return_complex is None:
        if not input.dtype.is_complex and (window is None or not window.dtype.is_complex):
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        return True
    if not return_complex:
        anomaly.warn_once(REAL_RESULT)
    return return_complex


def check_signal(call: str, input: Any, points: int, hop: int, width: int, window: Any) -> None:
    """Refuse signals that cannot be divided into pieces.

    Raises:
        RuntimeError: if the signal cannot be divided.
    """
    wrong = ""
    if input.dtype.category < dtypes.FLOAT:
        wrong = "expected a tensor of floating point or complex values"
    elif input.ndim not in (1, 2):
        wrong = "expected a 1D or 2D tensor"
    elif not 0 < points <= input.shape[-1]:
        wrong = f"expected 0 < n_fft < {input.shape[-1]}, but got n_fft={width}"
    elif hop <= 0:
        wrong = f"expected hop_length > 0, but got hop_length={hop}"
    elif not 0 < width <= points:
        wrong = f"expected 0 < win_length <= n_fft, but got win_length={width}"
    elif window is not None and tuple(window.shape) != (width,):
        wrong = (
            f"expected a 1D window tensor of size equal to win_length={width}, but got window with size "
            f"{errors.shown(window.shape)}"
        )
    if wrong:
        raise RuntimeError(f"{call} : {wrong}")


def spectra(pieces: Any, normalized: bool, onesided: bool | None) -> Any:
    """Return the spectra of pieces, along the last dimension.

    Raises:
        RuntimeError: if half of a complex spectrum is requested, or the dtype is half precision.
    """
    dims, scale = (pieces.ndim - 1,), 1 if normalized else 0
    if pieces.dtype in dtypes.HALVES:
        raise RuntimeError("MKL FFT doesn't support tensors of type: " + pieces.dtype.legacy[:-6])
    if not pieces.dtype.is_complex:
        return real_to_complex(pieces, dims, scale, onesided is not False)
    if onesided:
        raise RuntimeError(ONESIDED)
    return complex_to_complex(pieces, dims, scale, True)


@composite()
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: Truth = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    """Short-time Fourier transform: the spectra of overlapping pieces of signals, each times a window.

    Args:
        input: (L,) or (B, L), floating or complex.
        n_fft: number of points of each piece.
        hop_length: distance of pieces; a quarter of `n_fft` by default.
        win_length: length of the window; `n_fft` by default.
        window: (win_length,); ones by default. If it is shorter than `n_fft`, zeros are added on both sides.
        center: extend the signal on both sides, so that piece t has its middle at t * hop_length.
        pad_mode: the extension, a mode of `nn.functional.pad`.
        normalized: divide by the square root of `n_fft`.
        onesided: return only the terms 0 to n_fft // 2; the default for real signals.
        return_complex: must be given for real signals; False adds a last dimension of real and imaginary parts.
        align_to_window: without `center`, start pieces where their windows start.

    Returns:
        A new complex tensor (terms, pieces) or (B, terms, pieces).

    Raises:
        RuntimeError: if the signal is shorter than a piece, or an argument does not fit.

    Examples:
        >>> import wengert as wg
        >>> signal = wg.ones(8)
        >>> wg.stft(signal, 4, window=wg.hann_window(4), return_complex=True).shape
        torch.Size([3, 9])
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    points, hop, width = read_frame("stft", n_fft, hop_length, win_length)
    signal = padded(input, points, pad_mode) if center and points > 0 and input.ndim < 3 else input
    if window is None:
        anomaly.warn_once(NO_WINDOW)
    return_complex = read_result(input, window, return_complex)
    frame = {"n_fft": points, "hop_length": hop, "win_length": width, "normalized": normalized, "onesided": onesided}
    call = described("stft", signal, window, **frame, return_complex=return_complex, align_to_window=align_to_window)
    check_signal(call, signal, points, hop, width, window)
    if align_to_window:
        spare = points - width
        signal = constant_pad_nd(signal, (spare // 2, spare - spare // 2))
    pieces = (signal.unsqueeze(0) if input.ndim == 1 else signal).unfold(-1, points, hop)
    if window is not None or width < points:
        weights = signal.new_ones(width) if window is None else window
        pieces = pieces * centred(weights, points)
    result = spectra(pieces, normalized, onesided).transpose_(1, 2)
    if input.ndim == 1:
        result.squeeze_(0)
    return result if return_complex else view_as_real(result)


def check_spectra(call: str, input: Any, frame: tuple[int, int, int], window: Any, onesided: bool) -> None:
    """Refuse anything but spectra of pieces.

    Raises:
        RuntimeError: if the arguments do not fit.
    """
    (points, hop, width), terms = frame, input.shape[-2]
    place = "expected the frequency dimension (3rd to the last) of the input tensor to match"
    wrong = ""
    if input.numel() == 0:
        wrong = "input tensor cannot be empty."
    elif input.ndim not in (2, 3):
        wrong = f"expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}"
    elif onesided and points // 2 + 1 != terms:
        wrong = f"{place} n_fft / 2 + 1 when onesided=True, but got {terms}"
    elif not onesided and points != terms:
        wrong = f"{place} n_fft when onesided=False, but got {terms}"
    elif not 0 < hop <= width:
        wrong = "expected 0 < hop_length <= win_length"
    elif not 0 < width <= points:
        wrong = "expected 0 < win_length <= n_fft"
    elif window is not None and tuple(window.shape) != (width,):
        wrong = "Invalid window shape. window has to be 1D and length of `win_length`"
    if wrong:
        raise RuntimeError(f"{call} : {wrong}")


def pieces_of(spectrum: Any, points: int, window: Any, normalized: bool, onesided: bool, return_complex: bool) -> Any:
    """Return the pieces of a signal, from their spectra along the last dimension.

    Raises:
        RuntimeError: if real and complex do not fit.
    """
    dims, scale = (spectrum.ndim - 1,), 1 if normalized else 2
    if return_complex:
        if onesided:
            raise RuntimeError(ONESIDED)
        return complex_to_complex(spectrum, dims, scale, False)
    if window is not None and window.dtype.is_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    half = spectrum if onesided else spectrum.narrow(-1, 0, points // 2 + 1)
    return complex_to_real(half, dims, scale, points)


@composite()
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """The inverse of `stft`: the signal whose pieces have the given spectra, by least squares.

    Args:
        input: complex, (terms, pieces) or (B, terms, pieces).
        n_fft, hop_length, win_length, window, center, normalized, onesided: arguments of `stft`.
        length: length of the signal; by default the extension by `center` is cut off.
        return_complex: whether the signal is complex.

    Returns:
        A new tensor (L,) or (B, L).

    Raises:
        RuntimeError: if an argument does not fit, or the windows leave an element of the signal without weight.

    Source:
        D. W. Griffin and J. S. Lim, Signal estimation from modified short-time Fourier transform, 1984.

    Examples:
        >>> import wengert as wg
        >>> window = wg.hann_window(4)
        >>> spectra = wg.stft(wg.tensor([1.0, 2.0, 3.0, 4.0]), 4, window=window, return_complex=True)
        >>> wg.istft(spectra, 4, window=window)
        tensor([1., 2., 3., 4.])
    """
    points, hop, width = read_frame("istft", n_fft, hop_length, win_length)
    wanted = None if length is None else integer("istft", "length", length)
    if window is None:
        anomaly.warn_once(NO_WINDOW_BACK)
    if not input.dtype.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    normalise(-3, input.ndim + 1)
    frame = {"n_fft": points, "hop_length": hop, "win_length": width, "center": center, "normalized": normalized}
    call = described("istft", input, window, **frame, onesided=onesided, length=wanted, return_complex=return_complex)
    half = input.shape[-2] != points if onesided is None else onesided
    check_spectra(call, input, (points, hop, width), window, half)
    channels = (input.unsqueeze(0) if input.ndim == 2 else input).transpose(1, 2)
    pieces = pieces_of(channels, points, window, normalized, half, return_complex)
    weights = centred(pieces.new_ones(width, dtype=input.dtype.to_real()) if window is None else window, points)
    added = overlapped(pieces * weights, hop)
    divisor = overlapped(weights.pow(2).expand((1, *pieces.shape[1:])), hop)
    total = added.shape[1]
    first = points // 2 if center else 0
    last = (total - points // 2 if center else total) if wanted is None else first + wanted
    check_divisor(call, divisor[:, first:last])
    result = added[:, first:last] / divisor[:, first:last]
    return extended_by_zeros(result.squeeze(0) if input.ndim == 2 else result, last - total)


def overlapped(pieces: Any, hop: int) -> Any:
    """Return the sum of pieces (B, pieces, points) at their places in a signal."""
    lead, count, points = pieces.shape
    return unfold_backward(pieces, (lead, points + hop * (count - 1)), 1, points, hop)


def extended_by_zeros(result: Any, missing: int) -> Any:
    """Append zeros to a signal, for the part that its pieces do not reach."""
    if missing > 0:
        anomaly.warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings."
        )
        result = constant_pad_nd(result, (0, missing))
    return result


def is_small(divisor: Any) -> bool:
    """Return whether an element is too small to divide by."""
    return bool((np.abs(divisor) < 1e-11).any())


def check_divisor(call: str, divisor: Any) -> None:
    """Refuse windows that leave elements of the signal without weight.

    Raises:
        RuntimeError: if an element has no weight.
    """
    if not divisor.numel():
        raise RuntimeError(
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            f"'dim' argument. {call} leaves nothing of the signal."
        )
    if not is_batched(divisor) and not is_meta(divisor) and decided(is_small, (divisor,)):
        raise RuntimeError(f"{call} window overlap add min: 1")


@stft.samples
def signals(make: Any) -> Any:
    yield Sample(make(12), 4, window=make(4), return_complex=True)
    yield Sample(make(2, 12), 4, 3, 3, make(3), False, return_complex=True)
    yield Sample(make(12), 4, window=make(4), normalized=True, onesided=False, return_complex=True)
    yield Sample(make(12), 8, 2, 4, make(4), False, return_complex=True, align_to_window=True)
    yield Sample(make(12), 4, window=make(4), pad_mode="constant", return_complex=True)
    yield Bad(make(12), 4, window=make(4), raises=RuntimeError, says="requires the return_complex parameter be given")
    yield Bad(make(12), 16, 4, 16, make(16), False, return_complex=True, raises=RuntimeError, says="expected 0 < n_fft")
    yield Bad(make(12), 4, 0, window=make(4), return_complex=True, raises=RuntimeError, says="expected hop_length > 0")
    yield Bad(make(12), 4, window=make(3), return_complex=True, raises=RuntimeError, says="expected a 1D window tensor")


@istft.samples
def spectrograms(make: Any) -> Any:
    if make.dtype.is_complex:
        window = tensor([0.5, 1.0, 1.5, 1.0], dtype=make.dtype.to_real())
        yield Sample(make(3, 5), 4, window=window)
        yield Sample(make(2, 3, 5), 4, 2, 4, window, False, True)
        yield Sample(make(4, 5), 4, 1, 2, window[:2], return_complex=True)
        yield Sample(make(3, 5), 4, window=window, length=3)
        yield Bad(make(3, 5), 8, window=window, raises=RuntimeError, says="expected the frequency dimension")
        yield Bad(make(3, 5), 4, 5, window=window, raises=RuntimeError, says="expected 0 < hop_length <= win_length")
        yield Bad(make(3, 5), 4, window=window * 0, raises=RuntimeError, says="window overlap add min: 1")
    else:
        yield Bad(make(3, 5), 4, window=make(4), raises=RuntimeError, says="istft requires a complex-valued input")
