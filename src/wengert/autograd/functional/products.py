"""`vjp`, `jvp`, `vhp`, `hvp`: products of a Jacobian or a Hessian with a vector, without the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._core.state.grad_mode import enable_grad
from ..._start.boundary import boundary
from . import strictness
from .arguments import Tensors, as_tuple, fresh, is_one_number, result, vector
from .rows import filled, gradients, zeros_like

INPUTS_NEED_VECTOR = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)


@boundary
def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of a function and the product of a vector with its Jacobian: v·J, by one backward pass.

    Args:
        func: function of as many tensors as `inputs` has; returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, of floating or complex dtypes.
        v: the vector, of the shapes of the outputs; optional if the result has one element, then 1.
        create_graph: record the computation, so that the results can be differentiated.
        strict: refuse inputs that no output depends on, instead of returning zeros; with `create_graph` also refuse a
            product that does not depend on the inputs.

    Returns:
        The outputs of the function, and the product, of the shapes of the inputs.

    Raises:
        TypeError: if an input, an output or a part of `v` is not a tensor.
        RuntimeError: if `v` does not fit or is missing, or `strict` refuses a result.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import vjp
    >>> vjp(lambda x: x * x, wg.tensor([1.0, 2.0]), wg.tensor([10.0, 100.0]))
    (tensor([1., 4.]), tensor([ 20., 400.]))
    >>> vjp(lambda x, y: 2 * x + 3 * y, (wg.tensor(1.0), wg.tensor(1.0)))
    (tensor(5.), (tensor(2.), tensor(3.)))
    """
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "vjp")
        inputs = fresh(inputs, create_graph)
        several_outputs, outputs = called(func, inputs, "vjp", strict)
        if v is not None:
            v = vector(v, outputs, several_outputs, "vjp", create_graph)
        elif not is_one_number(outputs):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
    words = (strictness.INPUT_UNUSED, strictness.JACOBIAN_RECORDED) if strict else ()
    grads = product(outputs, inputs, v, create_graph, words)
    return result(outputs, several_outputs, create_graph), result(grads, several, create_graph)


@boundary
def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of a function and the product of its Jacobian with a vector: J·v.

    As in torch it takes two backward passes: w·J, which is linear in w, is differentiated with respect to w. So the
    function needs no forward rules, but must be differentiable twice.

    Args:
        func, inputs, create_graph: as for `vjp`.
        v: the vector, of the shapes of the inputs; optional if there is one input with one element, then 1.
        strict: refuse outputs that do not depend on the inputs, instead of returning zeros; with `create_graph` also
            refuse a product that does not depend on the inputs.

    Returns:
        The outputs of the function, and the product, of the shapes of the outputs.

    Raises:
        TypeError, RuntimeError: as `vjp`.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import jvp
    >>> jvp(lambda x: x * x, wg.tensor([1.0, 2.0]), wg.tensor([10.0, 100.0]))
    (tensor([1., 4.]), tensor([ 20., 400.]))
    """
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "jvp")
        inputs = fresh(inputs, create_graph)
        v = vector_of_inputs(v, inputs, several, "jvp", create_graph)
        several_outputs, outputs = called(func, inputs, "jvp", strict)
        weights = tuple(zeros_like(output, requires_grad=True) for output in outputs)
        products = gradients(outputs, inputs, weights, True)
        if strict:
            strictness.refuse_constants(products, strictness.GRADIENT_CONSTANT)
    words = (strictness.TRICK_UNUSED, strictness.JACOBIAN_RECORDED) if strict else ()
    grads = product(products, weights, v, create_graph, words)
    return result(outputs, several_outputs, create_graph), result(grads, several_outputs, create_graph)


@boundary
def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of a function with one element as result, and the product of a vector with its Hessian: v·H.

    It takes two backward passes.

    Args:
        func: function of as many tensors as `inputs` has; returns a tensor with one element.
        inputs: a tensor or a tuple of tensors, of floating or complex dtypes.
        v: the vector, of the shapes of the inputs; optional if there is one input with one element, then 1.
        create_graph: record the computation, so that the results can be differentiated.
        strict: refuse a function that does not depend on an input, or whose gradient does not; with `create_graph` also
            refuse a product that does not depend on the inputs.

    Returns:
        The output of the function, and the product, of the shapes of the inputs.

    Raises:
        TypeError: if an input, the output or a part of `v` is not a tensor.
        RuntimeError: if the result does not have one element, `v` does not fit or is missing, or `strict` refuses a
            result.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import vhp
    >>> vhp(lambda x: (x**3).sum(), wg.tensor([1.0, 2.0]), wg.tensor([10.0, 100.0]))
    (tensor(9.), tensor([  60., 1200.]))
    """
    with enable_grad():
        at = gradient_at(func, inputs, v, create_graph, strict, "vhp")
    words = (strictness.JACOBIAN_UNUSED, strictness.HESSIAN_RECORDED) if strict else ()
    grads = product(at.grad, at.inputs, at.v, create_graph, words)
    return result(at.outputs, False, create_graph), result(grads, at.several, create_graph)


@boundary
def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of a function with one element as result, and the product of its Hessian with a vector: H·v.

    As in torch it takes three backward passes, see `jvp`. `vhp` needs two, and returns the same where the Hessian is
    symmetric, that is, if the function is twice continuously differentiable.

    Args:
        func, inputs, v, create_graph, strict: as for `vhp`.

    Returns:
        The output of the function, and the product, of the shapes of the inputs.

    Raises:
        TypeError, RuntimeError: as `vhp`.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import hvp
    >>> hvp(lambda x: (x**3).sum(), wg.tensor([1.0, 2.0]), wg.tensor([10.0, 100.0]))
    (tensor(9.), tensor([  60., 1200.]))
    """
    with enable_grad():
        at = gradient_at(func, inputs, v, create_graph, strict, "hvp")
        weights = tuple(zeros_like(input_, requires_grad=True) for input_ in at.inputs)
        products = gradients(at.grad, at.inputs, weights, True)
    words = (strictness.HESSIAN_TRICK_UNUSED, strictness.HESSIAN_RECORDED) if strict else ()
    grads = product(products, weights, at.v, create_graph, words)
    return result(at.outputs, False, create_graph), result(grads, at.several, create_graph)


def product(
    outputs: Tensors, inputs: Tensors, v: Tensors | None, create_graph: bool, words: tuple[str, ...]
) -> Tensors:
    """Return the product of a vector with a Jacobian: zeros for inputs without influence.

    Args:
        outputs, inputs, v, create_graph: as for `gradients`.
        words: texts of the errors for inputs without influence and products without a history; empty to accept them.
    """
    grads = gradients(outputs, inputs, v, create_graph)
    if words:
        strictness.refuse_gaps(grads, create_graph, *words)
    return filled(grads, inputs)


class GradientAt(NamedTuple):
    """A function with one element as result, at a point.

    Attributes:
        several: whether the inputs are a tuple.
        inputs: the point.
        v: the vector; None stands for 1.
        outputs: the value.
        grad: the gradient, recorded; None for inputs that the function does not depend on.
    """

    several: bool
    inputs: Tensors
    v: Tensors | None
    outputs: Tensors
    grad: Tensors


def gradient_at(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool, function: str
) -> GradientAt:
    """Call a function with one element as result and differentiate it; `function` is the public name, for errors.

    Raises:
        See `vhp`.
    """
    several, inputs = as_tuple(inputs, "inputs", function)
    inputs = fresh(inputs, create_graph)
    v = vector_of_inputs(v, inputs, several, function, create_graph)
    several_outputs, outputs = called(func, inputs, function, strict)
    if several_outputs:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if not is_one_number(outputs):
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    grads = gradients(outputs, inputs, None, True)
    if strict:
        strictness.refuse_constants(grads, strictness.JACOBIAN_CONSTANT)
    return GradientAt(several, inputs, v, outputs, grads)


def called(func: Callable[..., Any], inputs: Tensors, function: str, strict: bool) -> tuple[bool, Tensors]:
    """Return whether `func` has several outputs, and the outputs.

    Raises:
        TypeError: if an output is not a tensor.
        RuntimeError: if `strict` refuses an output without a history.
    """
    several, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", function)
    if strict:
        strictness.refuse_constants(outputs, strictness.OUTPUT)
    return several, outputs


def vector_of_inputs(v: Any, inputs: Tensors, several: bool, function: str, create_graph: bool) -> Tensors | None:
    """Return the vector for the inputs; None stands for 1.

    Raises:
        TypeError: if a part of `v` is not a tensor.
        RuntimeError: if `v` does not fit, or is missing for more than one element.
    """
    if v is not None:
        return vector(v, inputs, several, function, create_graph)
    if not is_one_number(inputs):
        raise RuntimeError(INPUTS_NEED_VECTOR)
    return None
