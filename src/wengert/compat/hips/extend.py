"""Functions with user-defined derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import count
from typing import Any

import numpy as np

from ...autograd.containers import flatten, mapped, unflatten
from ...autograd.function import Function
from .boxes import ArrayBox, boxed, getval, has_box, tensor_of

__all__ = [
    "Box",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "notrace_primitive",
    "primitive",
]
Box = ArrayBox


class Call:
    """One call of a primitive with boxes among its arguments.

    Attributes:
        function, kwargs: the primitive and its keyword arguments.
        elements, structure: the flattened arguments, and the structure of their containers.
        places: positions of boxes among the elements.
        answer_structure: structure of the primitive's result.
    """

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.kwargs = kwargs
        self.elements, self.structure = flatten(args)
        self.places = [place for place, element in enumerate(self.elements) if isinstance(element, ArrayBox)]
        self.tensors = [self.elements[place].tensor for place in self.places]
        self.answer_structure: Any = None

    def args(self, values: Sequence[Any]) -> Any:
        """Return the arguments with other values in place of boxes."""
        elements = list(self.elements)
        for place, value in zip(self.places, values):
            elements[place] = value
        return unflatten(elements, self.structure)

    def read(self, ctx: Any) -> tuple[Any, Any]:
        """Return the answer and the arguments for a rule."""
        saved = [boxed(tensor) for tensor in ctx.saved_tensors]
        return unflatten(saved[len(self.places) :], self.answer_structure), self.args(saved[: len(self.places)])

    def argnums(self, wanted: Sequence[bool]) -> list[int]:
        """Return the positions of the arguments that hold wanted boxes."""
        places = {place for place, flag in zip(self.places, wanted) if flag}
        positions, start = [], 0
        for argnum, child in enumerate(self.structure.children):
            if not places.isdisjoint(range(start, start + child.count)):
                positions.append(argnum)
            start += child.count
        return positions


class Primitive(Function):
    """Node of a call of a primitive, which applies the primitive's rules."""

    @staticmethod
    def forward(call: Call, *tensors: Any) -> Any:
        answer = call.function.fun(*call.args([tensor.detach().numpy()[()] for tensor in tensors]), **call.kwargs)
        elements, call.answer_structure = flatten(answer)
        return tuple([tensor_of(element) for element in elements])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        call, *tensors = inputs
        ctx.set_materialize_grads(False)
        ctx.call = call
        ctx.save_for_backward(*tensors, *output)
        ctx.save_for_forward(*tensors, *output)

    @staticmethod
    def backward(ctx: Any, *grads_of_outputs: Any) -> Any:
        call = ctx.call
        outputs = ctx.saved_tensors[len(call.places) :]
        answer, args = call.read(ctx)
        wanted = call.argnums(ctx.needs_input_grad[1:])
        grads = [
            boxed(output.new_zeros(output.shape) if grad is None else grad.conj_physical())
            for grad, output in zip(grads_of_outputs, outputs)
        ]
        grads_of_arguments = call.function.vjps(wanted, answer, args, call.kwargs)(
            unflatten(grads, call.answer_structure)
        )
        gradients: dict[int, Any] = {}
        starts = np.cumsum([0, *(child.count for child in call.structure.children)])
        for argnum, gradient in zip(wanted, grads_of_arguments):
            gradients.update(enumerate(flatten(gradient)[0], int(starts[argnum])))
        return None, *(
            tensor_of(gradients[place]).conj_physical() if need else None
            for place, need in zip(call.places, ctx.needs_input_grad[1:])
        )

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        call = ctx.call
        if call.function.jvps is None:
            raise undefined("JVP", call.function, call.argnums([tangent is not None for tangent in tangents]))
        answer, args = call.read(ctx)
        wanted = call.argnums([tangent is not None for tangent in tangents])
        inputs = ctx.saved_tensors[: len(call.places)]
        directions = call.args(
            [boxed(zeros(x) if tangent is None else tangent) for tangent, x in zip(tangents, inputs)]
        )
        tangent_of_answer = call.function.jvps(
            wanted, [directions[argnum] for argnum in wanted], answer, args, call.kwargs
        )
        outputs = ctx.saved_tensors[len(call.places) :]
        return tuple(
            fitted(tensor_of(element), output) for element, output in zip(flatten(tangent_of_answer)[0], outputs)
        )


def zeros(tensor: Any) -> Any:
    """Return zeros like a tensor."""
    return tensor.new_zeros(tensor.shape)


def fitted(tangent: Any, output: Any) -> Any:
    """Convert a tangent to the data type and shape of its output."""
    return tangent.to(output.dtype).expand(output.shape) if output.dtype.is_floating_point else tangent


def undefined(kind: str, function: Any, argnums: Sequence[int]) -> NotImplementedError:
    """Return the error about a derivative that is not defined."""
    name = getattr(function, "__name__", function)
    return NotImplementedError(f"{kind} of {name} wrt argnums {tuple(argnums)} not defined: see def{kind.lower()}")


def primitive(f_raw: Callable[..., Any]) -> Any:
    """Return a function whose derivatives are defined by `defvjp` and `defjvp`; it never receives boxes.

    Args:
        f_raw: a function of arrays, numbers and containers of these, which returns the same kinds.

    Returns:
        The function; for boxes among its positional arguments it is recorded as one operation.

    Raises:
        NotImplementedError: if (when called with a box) the derivative with respect to that argument is not defined.

    >>> import numpy
    >>> import wengert.compat.hips as autograd
    >>> log_of_sum = autograd.primitive(lambda x: numpy.log(numpy.sum(numpy.exp(x))))
    >>> autograd.extend.defvjp(log_of_sum, lambda ans, x: lambda g: g * numpy.exp(x - ans))
    >>> autograd.grad(log_of_sum)(numpy.array([0.0, 0.0]))
    array([0.5, 0.5])
    """

    @wraps(f_raw)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if has_box(tuple(kwargs.values())):
            raise TypeError(f"{f_raw.__name__}: differentiated arguments of a primitive must be passed by position")
        call = Call(wrapped, args, kwargs)
        if not call.places:
            return f_raw(*args, **kwargs)
        recorded = call.argnums([tensor.requires_grad for tensor in call.tensors])
        if recorded and wrapped.vjps is None:  # type: ignore[attr-defined]
            raise undefined("VJP", wrapped, recorded)
        outputs = Primitive.apply(call, *call.tensors)
        return unflatten([boxed(output) for output in outputs], call.answer_structure)

    function: Any = wrapped
    function.fun = f_raw
    function.vjps = function.jvps = None
    return function


def notrace_primitive(f_raw: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that receives plain values in place of boxes, so that its result has no derivative."""

    @wraps(f_raw)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return f_raw(*mapped(getval, args), **kwargs)

    return wrapped


def checked(caller: str, fun: Any) -> Any:
    """Refuse to define a derivative of a function that is not a primitive.

    Raises:
        TypeError: if `fun` is not a primitive.
    """
    if not hasattr(fun, "vjps"):
        raise TypeError(f"{caller}: argument 'fun' must be the result of primitive(...), but got {fun!r}")
    return fun


def defvjp_argnums(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Define the gradients of a primitive: `vjpmaker(argnums, ans, args, kwargs)` returns a function from the gradient
    of the answer to those of the arguments `argnums`.

    Gradients follow the convention of HIPS autograd: dx - i dy for a real function of a complex z = x + iy.
    """
    checked("defvjp_argnums", fun).vjps = vjpmaker


def defvjp_argnum(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Define the gradients of a primitive: `vjpmaker(argnum, ans, args, kwargs)` returns a function from the gradient
    of the answer to that of argument `argnum`.
    """

    def maker(argnums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> Any:
        vjps = [vjpmaker(argnum, ans, args, kwargs) for argnum in argnums]
        return lambda g: [vjp(g) for vjp in vjps]

    checked("defvjp_argnum", fun)
    defvjp_argnums(fun, maker)


def defvjp(fun: Any, *vjpmakers: Any, argnums: Any = None) -> None:
    """Define the gradients of a primitive, one argument after the other.

    Args:
        fun: made by `primitive`.
        vjpmakers: `vjpmaker(ans, *args, **kwargs)` returns a function from the gradient of the answer to that of an
            argument; None for an argument on which the answer does not depend.
        argnums: positions of the arguments; from the first on by default.
    """
    makers = dict(zip(count() if argnums is None else argnums, vjpmakers))

    def vjp_of_argument(argnum: int, ans: Any, args: Any, kwargs: Any) -> Any:
        if argnum not in makers:
            raise undefined("VJP", fun, [argnum])
        if makers[argnum] is None:
            return lambda g: mapped(np.zeros_like, args[argnum])
        return makers[argnum](ans, *args, **kwargs)

    checked("defvjp", fun)
    defvjp_argnum(fun, vjp_of_argument)


def defjvp_argnums(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Define the tangents of a primitive: `jvpmaker(argnums, gs, ans, args, kwargs)` returns the tangent of the answer
    for the tangents `gs` of the arguments `argnums`.
    """
    checked("defjvp_argnums", fun).jvps = jvpmaker


def defjvp_argnum(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Define the tangents of a primitive: `jvpmaker(argnum, g, ans, args, kwargs)` returns the contribution of the
    tangent `g` of argument `argnum` to that of the answer.
    """

    def maker(argnums: Sequence[int], gs: Sequence[Any], ans: Any, args: Any, kwargs: Any) -> Any:
        parts = [flatten(jvpmaker(argnum, g, ans, args, kwargs)) for argnum, g in zip(argnums, gs)]
        return unflatten(
            [
                sum(elements_of_parts[1:], elements_of_parts[0])
                for elements_of_parts in zip(*(elements for elements, _ in parts))
            ],
            parts[0][1],
        )

    checked("defjvp_argnum", fun)
    defjvp_argnums(fun, maker)


def defjvp(fun: Any, *jvpfuns: Any, argnums: Any = None) -> None:
    """Define the tangents of a primitive, one argument after the other.

    Args:
        fun: made by `primitive`.
        jvpfuns: `jvpfun(g, ans, *args, **kwargs)` returns the contribution of the tangent `g` of an argument to that of
            the answer; None for none, "same" if the function is linear in the argument.
        argnums: positions of the arguments; from the first on by default.
    """
    functions = dict(zip(count() if argnums is None else argnums, jvpfuns))

    def jvp_of_argument(argnum: int, g: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        if argnum not in functions:
            raise undefined("JVP", fun, [argnum])
        if functions[argnum] is None:
            return mapped(np.zeros_like, ans)
        if functions[argnum] == "same":
            return fun(*args[:argnum], g, *args[argnum + 1 :], **kwargs)
        return functions[argnum](g, ans, *args, **kwargs)

    checked("defjvp", fun)
    defjvp_argnum(fun, jvp_of_argument)


def def_linear(fun: Any) -> None:
    """Declare that a primitive is linear in each of its arguments, which defines its tangents."""
    checked("def_linear", fun)
    defjvp_argnum(fun, lambda argnum, g, ans, args, kwargs: fun(*args[:argnum], g, *args[argnum + 1 :], **kwargs))
