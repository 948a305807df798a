"""Functions with derivatives of the program's own."""

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
        elements, structure: what is in the arguments, also in containers, and which these are.
        places: where among the elements there are boxes.
        made: the structure of what the primitive gave.
    """

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.kwargs = kwargs
        self.elements, self.structure = flatten(args)
        self.places = [at for at, each in enumerate(self.elements) if isinstance(each, ArrayBox)]
        self.tensors = [self.elements[at].tensor for at in self.places]
        self.made: Any = None

    def args(self, values: Sequence[Any]) -> Any:
        """The arguments with other values in the places of boxes."""
        elements = list(self.elements)
        for place, value in zip(self.places, values):
            elements[place] = value
        return unflatten(elements, self.structure)

    def read(self, ctx: Any) -> tuple[Any, Any]:
        """The answer and the arguments, as a rule is to have them."""
        saved = [boxed(each) for each in ctx.saved_tensors]
        return unflatten(saved[len(self.places) :], self.made), self.args(saved[: len(self.places)])

    def argnums(self, wanted: Sequence[bool]) -> list[int]:
        """The positions of the arguments with boxes, of those that are wanted, in them."""
        places = {place for place, each in zip(self.places, wanted) if each}
        found, start = [], 0
        for argnum, child in enumerate(self.structure.children):
            if not places.isdisjoint(range(start, start + child.count)):
                found.append(argnum)
            start += child.count
        return found


class Primitive(Function):
    """The node of a call of a primitive, by whose rules it is differentiated."""

    @staticmethod
    def forward(call: Call, *tensors: Any) -> Any:
        answer = call.function.fun(*call.args([each.detach().numpy()[()] for each in tensors]), **call.kwargs)
        elements, call.made = flatten(answer)
        return tuple([tensor_of(each) for each in elements])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        call, *tensors = inputs
        ctx.set_materialize_grads(False)
        ctx.call = call
        ctx.save_for_backward(*tensors, *output)
        ctx.save_for_forward(*tensors, *output)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        call = ctx.call
        outputs = ctx.saved_tensors[len(call.places) :]
        answer, args = call.read(ctx)
        wanted = call.argnums(ctx.needs_input_grad[1:])
        given = [
            boxed(output.new_zeros(output.shape) if each is None else each.conj_physical())
            for each, output in zip(cotangents, outputs)
        ]
        found = call.function.vjps(wanted, answer, args, call.kwargs)(unflatten(given, call.made))
        gradients: dict[int, Any] = {}
        starts = np.cumsum([0, *(child.count for child in call.structure.children)])
        for argnum, gradient in zip(wanted, found):
            gradients.update(enumerate(flatten(gradient)[0], int(starts[argnum])))
        return None, *(
            tensor_of(gradients[place]).conj_physical() if need else None
            for place, need in zip(call.places, ctx.needs_input_grad[1:])
        )

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        call = ctx.call
        if call.function.jvps is None:
            raise undefined("JVP", call.function, call.argnums([each is not None for each in tangents]))
        answer, args = call.read(ctx)
        wanted = call.argnums([each is not None for each in tangents])
        inputs = ctx.saved_tensors[: len(call.places)]
        ways = call.args([boxed(zeros(x) if way is None else way) for way, x in zip(tangents, inputs)])
        found = call.function.jvps(wanted, [ways[at] for at in wanted], answer, args, call.kwargs)
        outputs = ctx.saved_tensors[len(call.places) :]
        return tuple(fitted(tensor_of(each), output) for each, output in zip(flatten(found)[0], outputs))


def zeros(tensor: Any) -> Any:
    """Zeros like a tensor."""
    return tensor.new_zeros(tensor.shape)


def fitted(tangent: Any, output: Any) -> Any:
    """A tangent of the data type and shape of its output."""
    return tangent.to(output.dtype).expand(output.shape) if output.dtype.is_floating_point else tangent


def undefined(kind: str, function: Any, argnums: Sequence[int]) -> NotImplementedError:
    """The error about a derivative that a program has not given."""
    name = getattr(function, "__name__", function)
    return NotImplementedError(f"{kind} of {name} wrt argnums {tuple(argnums)} not defined: see def{kind.lower()}")


def primitive(f_raw: Callable[..., Any]) -> Any:
    """A function whose derivatives the program gives, by `defvjp` and `defjvp`; boxes do not come into it.

    Args:
        f_raw: a function of arrays, numbers and containers of them, which gives such.

    Returns:
        The function; for boxes among its positional arguments it is recorded as one operation.

    Raises:
        NotImplementedError: (when called with a box) no derivative by that argument was given.

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
            raise TypeError(f"{f_raw.__name__}: what is differentiated must be given to a primitive by position")
        call = Call(wrapped, args, kwargs)
        if not call.places:
            return f_raw(*args, **kwargs)
        recorded = call.argnums([each.requires_grad for each in call.tensors])
        if recorded and wrapped.vjps is None:  # type: ignore[attr-defined]
            raise undefined("VJP", wrapped, recorded)
        outputs = Primitive.apply(call, *call.tensors)
        return unflatten([boxed(each) for each in outputs], call.made)

    function: Any = wrapped
    function.fun = f_raw
    function.vjps = function.jvps = None
    return function


def notrace_primitive(f_raw: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is given plain values in the place of boxes, so that its result has no derivative."""

    @wraps(f_raw)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return f_raw(*mapped(getval, args), **kwargs)

    return wrapped


def checked(caller: str, fun: Any) -> Any:
    """Refuse to give a derivative to what is no primitive.

    Raises:
        TypeError: it is none.
    """
    if not hasattr(fun, "vjps"):
        raise TypeError(f"{caller}: argument 'fun' must be made by primitive(...), but got {fun!r}")
    return fun


def defvjp_argnums(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Give a primitive its gradients: `vjpmaker(argnums, ans, args, kwargs)` gives a function from the gradient of the
    answer to those of the arguments `argnums`.

    Gradients are as HIPS autograd has them: of a real function of a complex z = x + iy, dx - i dy.
    """
    checked("defvjp_argnums", fun).vjps = vjpmaker


def defvjp_argnum(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Give a primitive its gradients: `vjpmaker(argnum, ans, args, kwargs)` gives a function from the gradient of the
    answer to that of argument `argnum`.
    """

    def maker(argnums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> Any:
        vjps = [vjpmaker(argnum, ans, args, kwargs) for argnum in argnums]
        return lambda g: [vjp(g) for vjp in vjps]

    checked("defvjp_argnum", fun)
    defvjp_argnums(fun, maker)


def defvjp(fun: Any, *vjpmakers: Any, argnums: Any = None) -> None:
    """Give a primitive its gradients, one argument after the other.

    Args:
        fun: made by `primitive`.
        vjpmakers: `vjpmaker(ans, *args, **kwargs)` gives a function from the gradient of the answer to that of an
            argument; None for one on which the answer does not depend.
        argnums: for which arguments they are; from the first on, unless given.
    """
    makers = dict(zip(count() if argnums is None else argnums, vjpmakers))

    def one(argnum: int, ans: Any, args: Any, kwargs: Any) -> Any:
        if argnum not in makers:
            raise undefined("VJP", fun, [argnum])
        if makers[argnum] is None:
            return lambda g: mapped(np.zeros_like, args[argnum])
        return makers[argnum](ans, *args, **kwargs)

    checked("defvjp", fun)
    defvjp_argnum(fun, one)


def defjvp_argnums(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Give a primitive its tangents: `jvpmaker(argnums, gs, ans, args, kwargs)` gives the tangent of the answer, of the
    tangents `gs` of the arguments `argnums`.
    """
    checked("defjvp_argnums", fun).jvps = jvpmaker


def defjvp_argnum(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Give a primitive its tangents: `jvpmaker(argnum, g, ans, args, kwargs)` gives what the tangent `g` of argument
    `argnum` contributes to that of the answer.
    """

    def maker(argnums: Sequence[int], gs: Sequence[Any], ans: Any, args: Any, kwargs: Any) -> Any:
        parts = [flatten(jvpmaker(argnum, g, ans, args, kwargs)) for argnum, g in zip(argnums, gs)]
        return unflatten([sum(each[1:], each[0]) for each in zip(*(elements for elements, _ in parts))], parts[0][1])

    checked("defjvp_argnum", fun)
    defjvp_argnums(fun, maker)


def defjvp(fun: Any, *jvpfuns: Any, argnums: Any = None) -> None:
    """Give a primitive its tangents, one argument after the other.

    Args:
        fun: made by `primitive`.
        jvpfuns: `jvpfun(g, ans, *args, **kwargs)` gives what the tangent `g` of an argument contributes to that of the
            answer; None for nothing, "same" where the function is linear in the argument.
        argnums: for which arguments they are; from the first on, unless given.
    """
    functions = dict(zip(count() if argnums is None else argnums, jvpfuns))

    def one(argnum: int, g: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        if argnum not in functions:
            raise undefined("JVP", fun, [argnum])
        if functions[argnum] is None:
            return mapped(np.zeros_like, ans)
        if functions[argnum] == "same":
            return fun(*args[:argnum], g, *args[argnum + 1 :], **kwargs)
        return functions[argnum](g, ans, *args, **kwargs)

    checked("defjvp", fun)
    defjvp_argnum(fun, one)


def def_linear(fun: Any) -> None:
    """Say that a primitive is linear in each of its arguments, for its tangents."""
    checked("def_linear", fun)
    defjvp_argnum(fun, lambda argnum, g, ans, args, kwargs: fun(*args[:argnum], g, *args[argnum + 1 :], **kwargs))
