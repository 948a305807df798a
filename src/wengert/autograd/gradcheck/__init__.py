"""Checks of derivatives against finite differences: the mirror of `torch.autograd.gradcheck`.

As an attribute, `wengert.autograd.gradcheck` is the function; as a module to import from, this package. So it is
loaded with `wengert.autograd`, and loads what it needs at the first check.
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

    Each element of each input that requires a gradient is moved by `eps` to both sides, in place. The change of the
    outputs is compared with the Jacobian from backward passes, one for each element of the outputs. The real and the
    imaginary part of complex outputs are checked one after the other; the derivative with respect to a complex input is
    the conjugate Wirtinger derivative, as gradients are (docs/complex_autograd.md).

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: its arguments. Those that require a gradient should have double precision (a warning otherwise), and
            must not overlap themselves in memory.
        eps: step of the differences.
        atol, rtol: a derivative may differ from the numerical one by `atol + rtol * abs(numerical)`.
        raise_exception: raise an error if a derivative is wrong, rather than return False.
        nondet_tol: largest allowed difference between two runs of the same backward pass.
        check_undefined_grad: also check that backward functions treat a missing gradient as zeros.
        check_grad_dtypes: also check that gradients have the dtypes of their inputs.
        check_batched_grad: also check that a backward pass over a batch of gradients equals one pass for each.
        check_batched_forward_grad: the same for tangents in forward mode.
        check_forward_ad: check forward mode.
        check_backward_ad: check reverse mode; False leaves all its checks out.
        fast_mode: compare products of the Jacobians with random vectors (of fixed seed), which takes two evaluations
            and two backward passes instead of one or two for each element. A wrong element is found with high
            probability.
        masked: move and differentiate only the specified entries of sparse inputs, rather than all elements; gradients
            for zero gradients of the outputs may be up to 1e-8.

    Returns:
        True; False if a derivative is wrong and `raise_exception` is False.

    Raises:
        GradcheckError: if a derivative is wrong. The text shows both Jacobians and names the worst element.
        RuntimeError: if an input has a dimension with stride 0, or its memory is read-only.
        ValueError: if no input requires a gradient, or an output is sparse.
        AssertionError: if options contradict each other, or the shape or dtype of an output depends on the values of
            inputs.
        NotImplementedError: if an operator does not support the forward mode or batching that was asked for.

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
    """Check the derivatives of the gradients of a function, with respect to its inputs and to `grad_outputs`.

    It is `gradcheck` of the function that maps both to the gradients of the inputs.

    Args:
        func, inputs: as for `gradcheck`.
        grad_outputs: the gradients of the outputs that require a gradient; by default random, drawn by `uniform_(-1,
            1)`, so that a program's next random numbers are torch's.
        gen_non_contig_grad_outputs: make random gradients non-contiguous.
        check_fwd_over_rev: differentiate the gradients by forward mode.
        check_rev_over_rev: differentiate them by reverse mode.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
            fast_mode, masked: as for `gradcheck`.

    Returns:
        True; False if a derivative is wrong and `raise_exception` is False.

    Raises:
        GradcheckError: if a second derivative is wrong.
        ValueError: if no input or no output requires a gradient.
        RuntimeError, AssertionError, NotImplementedError: if `gradcheck` raises it.

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
        eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, False,
        check_fwd_over_rev, check_rev_over_rev, fast_mode, masked,
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
