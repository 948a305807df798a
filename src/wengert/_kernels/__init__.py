"""Kernels: plain functions from arrays to arrays, independent of tensors.

Each function exists in NumPy, complete, as the reference. Some exist in C++ too, under the same name and with the same
signature: those are used when the extension was built, unless WENGERT_KERNELS=numpy is set in the environment. A native
function calls its NumPy twin for arguments that it does not support (other dtypes, strides, array types). Twins that
few programs use are imported with their first call (`twins.Later`).

`direct` maps names to native functions that return NotImplemented instead of calling the twin; it is empty without the
extension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import twins
from .activation import (
    erf,
    expm1_saturates,
    gelu,
    gelu_backward,
    relu,
    relu_backward,
    sigmoid,
    sigmoid_backward,
    sigmoid_backward_from_input,
    sigmoid_saturates,
    silu,
    silu_backward,
    tanh_backward,
    tanh_backward_from_input,
    tanh_saturates,
)
from .copies import converted, copy_into
from .index import (
    embedding,
    embedding_backward,
    gather,
    index_add,
    index_put_add,
    index_select,
    masked_fill,
    scatter_add,
)
from .matmul import (
    addmm,
    linear,
    matmul,
)
from .normal import (
    normal_blocks,
    normal_pairs,
    shuffle,
)
from .pointwise import (
    absolute,
    add,
    add_scaled,
    arctan2,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    ceil,
    clamp,
    conjugate,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    fmod,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    power,
    reciprocal,
    remainder,
    rint,
    rsqrt,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
    trunc_divide,
    where,
)
from .random import (
    dropout_apply,
    dropout_mask,
    generator,
    integers,
    normal,
    permutation,
    uniform,
)
from .reduce import (
    all_along,
    amax,
    amin,
    any_along,
    argmax,
    argmin,
    cumulative_product,
    cumulative_sum,
    logsumexp,
    max_with_indices,
    mean,
    min_with_indices,
    prod,
    sum,
    variance,
)

if TYPE_CHECKING:
    direct: dict[str, twins.Function]
    from .conv import (
        convolution,
        convolution_backward_input,
        convolution_backward_weight,
    )
    from .fourier import (
        fft_lines,
        irfft_lines,
        rfft_lines,
    )
    from .loss import (
        bce_with_logits,
        mse_loss,
        nll_loss,
        nll_loss_backward,
    )
    from .norm import (
        batch_norm_apply,
        batch_norm_backward,
        batch_norm_statistics,
        layer_norm,
        layer_norm_backward,
    )
    from .optimiser import (
        adam_step,
        formula_step,
        sgd_step,
    )
    from .pool import (
        avg_pool2d,
        avg_pool2d_backward,
        max_pool2d,
        max_pool2d_backward,
    )
    from .recurrent import (
        gru_steps,
        gru_steps_backward,
        lstm_steps,
        lstm_steps_backward,
        rnn_steps,
        rnn_steps_backward,
    )
    from .softmaxes import (
        causal_softmax,
        log_softmax,
        log_softmax_backward,
        softmax,
        softmax_backward,
    )
else:
    convolution, convolution_backward_input, convolution_backward_weight = twins.later(
        "conv", "convolution convolution_backward_input convolution_backward_weight"
    )
    bce_with_logits, mse_loss, nll_loss, nll_loss_backward = twins.later(
        "loss", "bce_with_logits mse_loss nll_loss nll_loss_backward"
    )
    batch_norm_apply, batch_norm_backward, batch_norm_statistics, layer_norm, layer_norm_backward = twins.later(
        "norm", "batch_norm_apply batch_norm_backward batch_norm_statistics layer_norm layer_norm_backward"
    )
    fft_lines, irfft_lines, rfft_lines = twins.later("fourier", "fft_lines irfft_lines rfft_lines")
    adam_step, formula_step, sgd_step = twins.later("optimiser", "adam_step formula_step sgd_step")
    avg_pool2d, avg_pool2d_backward, max_pool2d, max_pool2d_backward = twins.later(
        "pool", "avg_pool2d avg_pool2d_backward max_pool2d max_pool2d_backward"
    )
    gru_steps, gru_steps_backward, lstm_steps, lstm_steps_backward, rnn_steps, rnn_steps_backward = twins.later(
        "recurrent", "gru_steps gru_steps_backward lstm_steps lstm_steps_backward rnn_steps rnn_steps_backward"
    )
    causal_softmax, log_softmax, log_softmax_backward, softmax, softmax_backward = twins.later(
        "softmaxes", "causal_softmax log_softmax log_softmax_backward softmax softmax_backward"
    )

native = twins.load_native()
if native is not None:
    globals().update(twins.native_functions(native, globals()))


def direct_function(name: str) -> twins.Function | None:
    """Return the native function of a plain case; None without the extension.

    Raises:
        ImportError: if the extension has no such function: the name is wrong, or it was built from other sources.
    """
    function: twins.Function | None = getattr(native, f"direct_{name}", None)
    if function is None and native is not None:
        raise ImportError(f"the native library has no function direct_{name}")
    return function


def __getattr__(name: str) -> Any:
    """Build `direct` at its first use: the cards ask for one function after the other."""
    if name != "direct":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["direct"] = functions = {} if native is None else twins.direct_functions(native)
    return functions


def natives(*names: str) -> tuple[Any, ...]:
    """`direct_function` of several names, for functions that are called only if none of them is None."""
    return tuple([direct_function(name) for name in names])


def set_num_threads(count: int) -> None:
    """Set the number of threads of large native kernels and of the BLAS of NumPy (OpenBLAS or MKL; others keep theirs).

    The number is that of the whole process. Results do not depend on it, except those of the BLAS for thin matrices.

    Args:
        count: 1 or more.

    Raises:
        RuntimeError: if `count` is not an integer, or less than 1.
        ValueError: if `count` is more than 4096.

    Examples:
        >>> import wengert as wg
        >>> wg.set_num_threads(wg.get_num_threads())
    """
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, but got {count}")
    if native is not None:
        native.set_num_threads(count)
    from . import blas

    blas.set_threads(count)


def get_num_threads() -> int:
    """Return the number of threads that large native kernels use; 1 without the extension.

    Examples:
        >>> import wengert as wg
        >>> wg.get_num_threads() >= 1
        True
    """
    return 1 if native is None else int(native.get_num_threads())
