"""What a card may say of its operator beside the signature, and the sets of dtypes that operators exist for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


class Options:
    """What `@op(...)` may say beside the signature, and what holds where it does not.

    Attributes:
        dtypes: the dtypes it exists for (after promotion).
        explained: further dtypes that the body is given only to refuse them in its own words.
        linear: the inputs in which it is linear, all others fixed.
        zero: the inputs marked as an index that may be of floating-point numbers and of which the results are constant
            almost everywhere; the gradient and the tangent of others are refused, unless there is a forward rule.
        view: the result shares the memory of the first argument; "dtype" where it sees it as other numbers, "signs" as
            conjugates or negatives, "batch" where it leads into a batch or out of it, "memory" where it is one of the
            source's memory, however it lies: of a gradient none is taken.
        inplace: derive `name_`; "renamed" if its nodes have names of their own, as `EluBackward1`.
        write: called with the target's array and the other arguments, it writes what `name_` writes, or refuses before
            it does.
        native_write: the native function of the plain case of `write`: it writes and returns None, or returns
            NotImplemented before it has written anything.
        overwrites: `name_` leaves nothing of the target's old value, whose gradient is zero.
        apart: what of its memory the target of `name_` may not share: "never" (anything goes), "itself" (no element
            with another), "partly" (nor a part with other inputs), "wholly" (nor all of it); a function: anything
            goes, and it is called with the arguments, to warn as torch does, if elements share theirs.
        out_apart: what of its memory a tensor given as `out` may not share with inputs, "partly", "wholly", or None for
            anything; unless said, "wholly" if `apart` says so, "partly" where operands are promoted.
        out_words: how an `out` of another dtype than the result's is refused, None if the result is cast; unless said,
            it is where operands are promoted. Fields are the names of both dtypes, `{wanted}` and `{found}`, and those
            of C's types, `{wanted_type}` and `{found_type}`. A tuple has such words for each result. A function gives
            them by all arguments and the dtype of `out`: "" where the result is cast, None where it is brought to any
            dtype whatever.
        out_uncastable: how an `out` is refused that is of a kind of numbers which cannot hold the result's, in words as
            those of `out_words`; or what makes the error from both dtypes.
        out_rows: results written to an `out` of another shape lie in rows there, "always", or "shrunk" if it had
            elements; otherwise as the result does.
        out_silent: an `out` with elements takes another shape without a warning.
        out_recorded: whether torch has a derivative of the form with `out=`; where not, what requires a gradient is
            written, and a backward pass through it is refused.
        out_writer: torch's name of what writes into `out`, where it is not called after the operator.
        out_form: torch's name of the form that writes any number of results, where that is not the operator's, `_out`.
        layout: how results lie in memory: "rows" (row-major), "iterator" (as torch's iterator over the operands
            decides), "reversed" (the same, the last operand first), "power" (the same, but row-major if the first
            argument is a number), "scaled" (as the iterator decides, but the second operand counts as row-major
            beside integers, and beside float32 unless it is of integers itself), "like" (in the order of the first
            tensor),
            "suggested" (with channels innermost if those of the first tensor are), "own" (as the body made them).
        outputs: names of the results if there are several; `differentiable` says which of them have a derivative.
        several: the number of results depends on the arguments.
        derivative: None for an operator without derivative; `why` then gives the reason.
        refused: of one whose results are no integers, and not constant almost everywhere either: torch's name in the
            error of what refuses a gradient or tangent by any of its inputs; with "aten::" before it the node is one
            that torch has for operators without a rule.
        node: the name of its nodes (`<Name>Backward0` unless given); several if `choose(args)` picks one of them.
        promote: None, "same", "float", "numbers" or "beside", see `Declaration`.
        mixed: called with operands, arrays and numbers, before they are promoted, to refuse some.
        batching: how it works along a dimension that the program does not see: a rule of `batch_rules`, or
            `"module.rule"`, one of a module beside the card's that is loaded when it is first needed.
        crossing: for what changes of which batches a tensor is part, `crossing(card, args, level)`.
        random: it draws numbers; "like" where the values of its first argument have no influence on them.
        hidden: not among the public operators: only the package calls it.
        native: the native function of the plain case, see `Declaration`.
        by_result: in place, what the native function makes of large operands is copied into the target, which takes
            less time than the body with `out`; otherwise only that of small ones, and where the body has no `out`.
        method, function: whether it is bound to Tensor, and public in the package.
        name: the public name, if not that of the body.
        takes_halves: the body is given float16 and bfloat16 as they are; otherwise float32 in their place.
        keeps_numbers: beside halves numbers count as they are, and so does a second operand of no dimensions; otherwise
            they are rounded to the half first.
        larger: rules may return gradients that are still to be summed to the shape of their input.
        tail: whether the result of an input (its array) has lost digits that the rule needs, so that a rule which asks
            for `<input>_tail` gets a copy of the input; it gets None where not.
        kernel: torch's name of its kernel in errors about dtypes, where that is not called after the operator.
        numbers: Python numbers may stand where tensors do, or, given names, for these tensors.
        lone_numbers: they may stand for all tensors at once, as in `add(2, 3)`.
    """

    dtypes: Iterable[DType] = ALL
    explained: Iterable[DType] = ()
    linear: str | tuple[str, ...] = ()
    zero: str | tuple[str, ...] = ()
    view: bool | str = False
    takes_halves: bool = False
    keeps_numbers: bool = False
    inplace: bool | str = False
    write: Callable[..., None] | None = None
    native_write: Callable[..., None] | None = None
    overwrites: bool = False
    apart: str | Callable[[tuple[Any, ...]], None] = "partly"
    out_apart: str | None = ""
    out_words: str | Callable[[tuple[Any, ...], DType], str | None] | tuple[str, ...] | None = ""
    out_uncastable: str | Callable[[DType, DType], Exception] = ""
    out_rows: str = ""
    out_silent: bool = False
    out_recorded: bool = True
    out_writer: str = ""
    out_form: str = ""
    layout: str = "rows"
    outputs: tuple[str, ...] = ()
    differentiable: tuple[bool, ...] = ()
    several: bool = False
    derivative: str | None = ""
    why: str = ""
    refused: str = ""
    node: str | tuple[str, ...] = ""
    choose: Callable[[tuple[Any, ...]], int] | None = None
    promote: str | None = None
    mixed: Callable[[list[Any]], None] | None = None
    batching: Any = None
    crossing: Any = None
    random: bool | str = False
    hidden: bool = False
    native: Callable[..., Any] | None = None
    by_result: bool = False
    tail: Callable[[Any], bool] | None = None
    method: bool = True
    function: bool = True
    name: str = ""
    larger: bool = False
    kernel: str = ""
    numbers: bool | str = False
    lone_numbers: bool = False


DEFAULTS = {name: vars(Options)[name] for name in Options.__annotations__}


def completed(said: dict[str, Any]) -> dict[str, Any]:
    """What was said, and what holds where nothing was.

    Raises:
        TypeError: there is no such option.
    """
    made = {**DEFAULTS, **said}
    if len(made) != len(DEFAULTS):
        raise TypeError(f"op() got unexpected arguments: {', '.join(said.keys() - DEFAULTS.keys())}")
    return made
