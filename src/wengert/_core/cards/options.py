"""Options of a card beside the signature, and the sets of dtypes that operators exist for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..types import dtypes
from ..types.dtypes import dtype as DType

INTEGERS = frozenset({dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})
REALS = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64})
COMPLEXES = frozenset({dtypes.complex64, dtypes.complex128})
FLOATS = REALS | COMPLEXES
BOOLS = frozenset({dtypes.bool_})
ORDERED = REALS | INTEGERS | BOOLS
NUMBERS = FLOATS | INTEGERS
ALL = NUMBERS | BOOLS
WIDE = ALL | {dtypes.uint16, dtypes.uint32, dtypes.uint64}


class Out:
    """Options for a tensor passed as `out`.

    Attributes:
        words: error text for one of another dtype than the result's, None if the result is cast; by default it is cast
            if operands are promoted. Fields are the names of both dtypes, `{wanted}` and `{found}`, and those of C's
            types, `{wanted_type}` and `{found_type}`. A tuple has such a text for each result. A function returns it
            for all arguments and the dtype of `out`: "" if the result is cast, None if it is cast to any dtype.
        apart: memory that it may not share with inputs, "partly", "wholly", or None for no restriction; by default
            "wholly" if that holds in place, "partly" if operands are promoted.
        uncastable: error text for one of a kind of numbers that cannot hold the result's, with fields as above; or a
            function that returns the error for both dtypes.
        rows: results written to one of another shape are row-major, "always", or "shrunk" if it had elements;
            otherwise they have the strides of the result.
        silent: one with elements takes another shape without a warning.
        recorded: whether torch has a derivative of the form with `out=`; if not, results that require a gradient are
            written, and a backward pass through them is refused.
        writer: torch's name of the function that writes, if that is not the operator's.
        form: torch's name of the form that writes any number of results, if that is not the operator's with `_out`.
    """

    __slots__ = ("apart", "form", "recorded", "rows", "silent", "uncastable", "words", "writer")

    def __init__(
        self,
        words: str | Callable[[tuple[Any, ...], DType], str | None] | tuple[str, ...] | None = "",
        apart: str | None = "",
        uncastable: str | Callable[[DType, DType], Exception] = "",
        rows: str = "",
        silent: bool = False,
        recorded: bool = True,
        writer: str = "",
        form: str = "",
    ) -> None:
        self.words, self.apart, self.uncastable, self.rows = words, apart, uncastable, rows
        self.silent, self.recorded, self.writer, self.form = silent, recorded, writer, form


class InPlace:
    """Options for the in-place form, `name_`.

    Attributes:
        write: called with the target's array and the other arguments; writes the result of `name_`, or raises before it
            writes.
        native: the native function of its plain case: it writes and returns None, or returns NotImplemented before it
            has written anything.
        overwrites: it leaves nothing of the target's old value, whose gradient is zero.
        apart: memory that the target may not share: "never" (no restriction), "itself" (no element with another),
            "partly" (nor a part with other inputs), "wholly" (nor all of it); a function: no restriction, and it is
            called with the arguments, to warn as torch does, if elements share memory.
        by_result: the result of the operator's native function is copied into the target also for large operands,
            which is faster than the body with `out`; otherwise only for small ones, and if the body has no `out`.
        renamed: its nodes have names of their own, as `EluBackward1`.
    """

    __slots__ = ("apart", "by_result", "native", "overwrites", "renamed", "write")

    def __init__(
        self,
        write: Callable[..., None] | None = None,
        native: Callable[..., None] | None = None,
        overwrites: bool = False,
        apart: str | Callable[[tuple[Any, ...]], None] = "partly",
        by_result: bool = False,
        renamed: bool = False,
    ) -> None:
        self.write, self.native, self.overwrites = write, native, overwrites
        self.apart, self.by_result, self.renamed = apart, by_result, renamed


def nodes(*titles: str, by: Callable[[tuple[Any, ...]], int]) -> tuple[tuple[str, ...], Any]:
    """The names of an operator's nodes; `by(args)` returns which one a call records."""
    return titles, by


DEFAULTS: dict[str, Any] = {
    "dtypes": ALL,
    "explained": (),
    "kernel": "",
    "promote": None,
    "numbers": False,
    "takes_halves": False,
    "linear": (),
    "larger": False,
    "why": "",
    "outputs": None,
    "view": False,
    "inplace": False,
    "out": Out(),
    "layout": "rows",
    "node": "",
    "batching": None,
    "random": False,
    "native": None,
    "name": "",
    "public": "both",
}
"""Options of `@op(...)` beside the signature, with their defaults.

    dtypes: the dtypes it exists for (after promotion).
    explained: further dtypes that the body receives only to refuse them with its own error.
    kernel: torch's name of its kernel in errors about dtypes, where that is not called after the operator.
    promote: None, "same", "float", "numbers" or "beside", see `Declaration`.
    numbers: Python numbers may stand where tensors do, or, given names, for these tensors; "alone": for all tensors
        at once, too, as in `add(2, 3)`.
    takes_halves: the body receives float16 and bfloat16 unconverted; otherwise float32 in their place.
    linear: the inputs in which it is linear, all others fixed.
    larger: rules may return gradients that are still to be summed to the shape of their input.
    why: the reason why it has no derivative. Where results are no integers, and not constant almost everywhere
        either, also torch's name in the error of what refuses a gradient or tangent by any of its inputs; with
        "aten::" before it the node is one that torch has for operators without a rule.
    outputs: of several results the names, each with whether it has a derivative; `...` if their number depends on
        the arguments.
    view: the result shares the memory of the first argument; "dtype" where it sees it as other numbers, "signs" as
        conjugates or negatives, "batch" where it leads into a batch or out of it, "memory" where it is one of the
        source's memory, whatever its strides: not taken of a gradient.
    inplace: there is a form in place, `name_`; what holds for it.
    out: what holds for a tensor given as `out`.
    layout: memory layout of results: "rows" (row-major), "iterator" (as torch's iterator over the operands
        decides), "reversed" (the same, the last operand first), "power" (the same, but row-major if the first
        argument is a number), "scaled" (as the iterator decides, but the second operand counts as row-major
        beside integers, and beside float32 unless it is of integers itself), "like" (in the order of the first
        tensor),
        "suggested" (with channels innermost if those of the first tensor are), "own" (as the body made them).
    node: the name of its nodes (`<Name>Backward0` unless given), or several.
    batching: rule for a batch, a dimension that the program does not see: one of `batch_rules`, or
        `"module.rule"`, one of a module beside the card's that is loaded when it is first needed.
    random: it draws numbers; "like" where the values of its first argument have no influence on them.
    native: the native function of the plain case, see `Declaration`.
    name: the public name, if not that of the body.
    public: the places where it is public: "both" on Tensor and in the package, as a "method" or a "function" only, in
        "neither"; "hidden" if only the package calls it, and it is not among the public operators.
"""


def completed(stated: dict[str, Any]) -> dict[str, Any]:
    """Return the stated options, completed by the defaults.

    Raises:
        TypeError: if there is no option of that name.
    """
    options = {**DEFAULTS, **stated}
    if len(options) != len(DEFAULTS):
        raise TypeError(f"op() got unexpected arguments: {', '.join(stated.keys() - DEFAULTS.keys())}")
    return options
