"""Derivatives of functions checked against finite differences, as `torch.autograd.gradcheck` does.

`wengert.autograd.gradcheck` is, as an attribute, the function; as a module to import from, this package. So it is
loaded with `wengert.autograd`, and loads what it needs with the first check.
"""

from __future__ import annotations

from ..._start.boundary import boundary
from ..._start.loading import on_demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..._core.tensor.base import Tensor
    from .errors import GradcheckError
    from .former import get_analytical_jacobian, get_numerical_jacobian, get_numerical_jacobian_wrt_specific_input


@boundary
def gradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Check the derivatives of a function against central differences.

    Every element of each input that requires a gradient is moved by `eps` to both sides, in its memory; how the outputs
    change is compared with the Jacobian that backward passes give, one for each element of the outputs. Of complex
    outputs the real and the imaginary part are checked one after the other; the derivative by a complex input is the
    conjugate Wirtinger derivative, which gradients are (docs/complex_autograd.md).

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: its arguments. Those that require a gradient should have double precision, since differences of single
            precision say little (a warning), and no two of their elements may be one in memory.
        eps: how far elements are moved.
        atol, rtol: a derivative may differ from the numerical one by `atol + rtol * abs(numerical)`.
        raise_exception: raise an error where a derivative is wrong, rather than return False.
        nondet_tol: how far two runs of the same backward pass may differ.
        check_undefined_grad: also see that backward functions treat a missing gradient as zeros.
        check_grad_dtypes: also see that gradients have the dtypes of their inputs.
        check_batched_grad: also see that a batch of cotangents gives what they give one by one.
        check_batched_forward_grad: the same for tangents in forward mode.
        check_forward_ad: check forward mode.
        check_backward_ad: check reverse mode; False leaves everything out that has to do with it.
        fast_mode: compare products of the Jacobians with random vectors (of fixed seed), which takes two evaluations
            and two backward passes instead of one or two for each element. A wrong element shows in them unless chance
            hides it.
        masked: of sparse inputs only entries are moved, and have derivatives, rather than all elements; zero
            cotangents may give gradients up to 1e-8.

    Returns:
        True; False where a derivative is wrong and `raise_exception` is.

    Raises:
        GradcheckError: a derivative is wrong. The text shows both Jacobians and names the worst element.
        RuntimeError: an input has a dimension with stride 0, or its memory is read-only.
        ValueError: no input requires a gradient, or an output is sparse.
        AssertionError: options contradict each other, or the outputs change their shape or dtype with the inputs.
        NotImplementedError: forward mode or batching, which was asked for, is not there yet.

    >>> import wengert as wg
    >>> x = wg.tensor([0.5, -1.5], dtype=wg.float64, requires_grad=True)
    >>> wg.autograd.gradcheck(lambda x: (x.sin() * x).sum(), x)
    True
    """
    from . import checks
    from .errors import GradcheckError
    from .subject import Options

    options = Options(
        eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
        check_batched_forward_grad, check_forward_ad, check_backward_ad, fast_mode, masked,
    )  # fmt: skip
    try:
        return checks.check_first_order(func, inputs, options)
    except GradcheckError:
        if raise_exception:
            raise
        return False


@boundary
def gradgradcheck(
    func: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the derivatives of the gradients of a function, by its inputs and by `grad_outputs`.

    It is `gradcheck` of the function that maps both to the gradients of the inputs.

    Args:
        func, inputs: as for `gradcheck`.
        grad_outputs: the cotangents of the outputs that require a gradient; random ones unless given, drawn as
            `uniform_(-1, 1)` draws them, so that a program's next random numbers are torch's.
        gen_non_contig_grad_outputs: random ones are not contiguous.
        check_fwd_over_rev: check the gradients by forward mode.
        check_rev_over_rev: check them by reverse mode.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
            fast_mode, masked: as for `gradcheck`.

    Returns:
        True; False where a derivative is wrong and `raise_exception` is.

    Raises:
        GradcheckError: a second derivative is wrong.
        ValueError: no input or no output requires a gradient.
        RuntimeError, AssertionError, NotImplementedError: as `gradcheck`.

    >>> import wengert as wg
    >>> x = wg.tensor([0.5, -1.5], dtype=wg.float64, requires_grad=True)
    >>> wg.autograd.gradgradcheck(lambda x: x.sin() * x, x)
    True
    """
    from . import checks
    from .errors import GradcheckError
    from .subject import Options

    checks.check_second_options(check_fwd_over_rev, check_rev_over_rev, check_undefined_grad, check_batched_grad)
    gradient, arguments = checks.gradient_of(func, inputs, grad_outputs, gen_non_contig_grad_outputs)
    options = Options(
        eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
        False, check_fwd_over_rev, check_rev_over_rev, fast_mode, masked,
    )  # fmt: skip
    try:
        return checks.check_first_order(gradient, arguments, options)
    except GradcheckError:
        if raise_exception:
            raise
        return False


__getattr__, __dir__ = on_demand(globals())

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "get_numerical_jacobian_wrt_specific_input",
    "gradcheck",
    "gradgradcheck",
]
