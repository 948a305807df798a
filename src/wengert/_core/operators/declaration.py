"""Declaration of an operator by its card, and the plan of what to save for which gradients.

It is built once, at registration; everything that can be decided before a call is decided here.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from .. import errors
from ..bits import bit
from ..tensor import tangents
from ..tensor.base import Tensor
from ..tensor.slots import Operator
from ..types import dtypes
from . import sources


class _Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "<required>"


REQUIRED = _Required()

ALIASES = {
    "self": ("input", "x", "a", "x1"),
    "input": ("x", "a", "x1"),
    "other": ("x2",),
    "dim": ("axis",),
    "dims": ("axes",),
    "keepdim": ("keepdims",),
    "indices_or_sections": ("indices", "sections", "tensor_indices_or_sections"),
    "elements": ("element",),
    "test_elements": ("test_element",),
}
"""Other names by which torch's overloads, and NumPy's users, give a parameter."""

KINDS = {"Array": sources.ARRAY, "Arrays": sources.ARRAYS, "Index": sources.INDEX, "Indices": sources.INDICES}
"""The kinds of parameters by the first word of their annotation; others are plain."""

WHOLES = ("int", "int | None")
"""Annotations of parameters that take an int."""

SCALARS = frozenset(("float", "float | None", "Number", "Number | None"))
"""Annotations of parameters that take a number: a `Number` may be complex."""


PLAIN_INTEGERS = frozenset(("decimals", "chunks", "r", "offset", "row", "col", "steps", "step", "N", "num_classes"))
"""Parameters that are neither sizes nor dimensions: an int, or a tensor without dimensions."""


OLDER: dict[str, dict[str, tuple[str, ...]]] = {}
"""Further signatures of operators and their in-place forms, see `older_forms`; by operator.

Where numbers (N) stand among tensors (T), each with the parameters that the numbers are; with ONE_BY_ONE dimensions may
be passed one by one.
"""
ONE_BY_ONE = "T*"


class Declaration(Operator):
    """Properties of an operator that are fixed before any call; `op.Op` adds the calls.

    Attributes:
        name: the public name.
        body: the kernel call of the card: arrays and plain arguments in, array or tuple of arrays out.
        native: the native function of the plain case, or None: called with all arguments in the order of parameters,
            with NumPy's arrays in the place of tensors, it returns the result of the body, with the strides that the
            result is to have, or NotImplemented for any unusual or wrong argument.
        names, defaults, kinds: the parameters.
        after1, after2: the defaults behind the first and behind the first two parameters.
        positional: the number of them that may be passed by position.
        spread: position of a parameter that takes all remaining positional integers (`x.view(2, 3)`), or -1.
        tensor_slots: positions that may hold tensors, `tensor_bits` the same as bits; `grad_slots`: those of ARRAY and
            ARRAYS, in the order of the node's edges; `constants`: those of INDEX that may carry neither a gradient nor,
            without a forward rule, a tangent; `forward_slots`: `grad_slots` and, behind them, `constants`;
            `plain_slots`: those that may hold numbers, sizes and dimensions; `switches`: those that take a bool;
            `wholes`: those that take an int; `scalars`: those that take a number; `dtype_slot`: that of the dtype of
            the result, or -1.
        promotion: None, "same" (common dtype), "float" (the same, integers become the default dtype), "numbers" (the
            same, bool operands stay bool, for the body to refuse), or "beside" (the same, Python numbers beside tensors
            are not converted whatever the dtype).
        accepts: the NumPy dtypes (after promotion) that the operator exists for.
        numbers: positions of tensors in whose place Python numbers may stand.
        lone_numbers: numbers may stand for all its tensors at once.
        takes_out: the body can write into an array passed as `out`.
        view: the result shares the first argument's memory.
        sees: the memory of the view, one of `sources.SEES_*`; a view of the memory of the source itself is not taken of
            a gradient, which may have other strides.
        several: the result is a tuple of tensors.
        apart: which memory the target of the in-place form may not share, one of `sources.APART_*`.
        layout: memory layout of results, one of `sources.LAID_*`.
        overwrites: the in-place form leaves nothing of the target's old value, whose gradient is zero.
        random: it draws numbers, which within `vmap` may be the same for all members of a batch or not; "like" where
            the values of its first argument have no influence on them.
        rules: the reverse rules.
        tail: called with the array of an input; returns whether the result is inaccurate there, so that a rule needs
            `<input>_tail`. Or None.
        writer: writes the result into its first argument's array, if that is faster than computing a new one; it
            raises errors before it writes. Or None.
        plans: what to save for each choice of the inputs that need a gradient; `latest_plan`: the one used last.
        nodes: the classes of the nodes it records, see `NodeClasses`; of those created so far `node_class` is the only
            one, or `chosen_nodes` maps what `choose_node(args)` returns to one of several.
    """

    name: str
    body: Any
    writer: Any
    native: Any
    promotion: Any
    node_class: Any
    choose_node: Any
    latest_plan: Any
    chosen_nodes: dict[Any, Any]
    nodes: Any
    tail: Any
    names: tuple[Any, ...]
    defaults: tuple[Any, ...]
    after1: tuple[Any, ...]
    after2: tuple[Any, ...]
    kinds: tuple[Any, ...]
    tensor_slots: tuple[Any, ...]
    plain_slots: tuple[Any, ...]
    switches: tuple[Any, ...]
    wholes: tuple[Any, ...]
    scalars: tuple[Any, ...]
    numbers: tuple[Any, ...]
    grad_slots: tuple[Any, ...]
    constants: tuple[Any, ...]
    forward_slots: tuple[Any, ...]
    rules: tuple[Any, ...]
    output_names: tuple[Any, ...]
    differentiable: tuple[Any, ...]
    aliases: dict[Any, Any]
    plans: dict[Any, Any]
    accepts: frozenset[Any]
    tensor_bits: int
    positional: int
    spread: int
    list_slot: int
    dtype_slot: int
    apart: int
    layout: int
    sees: int
    view: bool
    several: bool
    allows_larger: bool
    lone_numbers: bool
    takes_out: bool
    overwrites: bool
    random: bool | str

    __slots__ = (
        "accepts",
        "after1",
        "after2",
        "aliases",
        "allows_larger",
        "apart",
        "body",
        "choose_node",
        "chosen_nodes",
        "constants",
        "defaults",
        "differentiable",
        "dtype_slot",
        "forward_slots",
        "grad_slots",
        "kinds",
        "latest_plan",
        "layout",
        "list_slot",
        "lone_numbers",
        "name",
        "names",
        "native",
        "node_class",
        "nodes",
        "numbers",
        "output_names",
        "overwrites",
        "plain_slots",
        "plans",
        "positional",
        "promotion",
        "random",
        "rules",
        "scalars",
        "sees",
        "several",
        "spread",
        "switches",
        "tail",
        "takes_out",
        "tensor_bits",
        "tensor_slots",
        "view",
        "wholes",
        "writer",
    )


def fill_signature(op: Declaration, body: Any) -> None:
    """Read names, defaults and kinds of the parameters from the body of a card; it may also take an `out`."""
    code = body.__code__
    count: int = code.co_argcount
    every: tuple[Any, ...] = code.co_varnames[: count + code.co_kwonlyargcount]
    values: dict[Any, Any] = dict(zip(reversed(every[:count]), reversed(body.__defaults__ or ())))
    values.update(body.__kwdefaults__ or {})
    op.body = body
    op.positional = count
    op.takes_out = "out" in every
    op.names = tuple([name for name in every if name != "out"]) if op.takes_out else every
    op.defaults = tuple([values.get(name, REQUIRED) for name in op.names])
    op.after1, op.after2 = op.defaults[1:], op.defaults[2:]
    op.plans, op.latest_plan = {}, None
    op.rules = ()
    op.tail = None
    fill_kinds(op, body.__annotations__)
    op.constants = tuple([at for at in op.tensor_slots if op.kinds[at] == sources.INDEX])
    op.forward_slots = op.grad_slots + op.constants


def fill_kinds(op: Declaration, annotations: dict[Any, Any]) -> None:
    """Sort the parameters by their annotations."""
    kinds: list[Any] = []
    tensors: list[Any] = []
    grads: list[Any] = []
    plain: list[Any] = []
    switches: list[Any] = []
    wholes: list[Any] = []
    scalars: list[Any] = []
    aliases: dict[Any, Any] = {}
    op.spread = op.list_slot = -1
    op.tensor_bits = 0
    op.dtype_slot = op.names.index("dtype") if "dtype" in op.names else -1
    for at, name in enumerate(op.names):
        annotation: str = annotations.get(name, "")
        kind = KINDS.get(annotation.partition(" ")[0], sources.PLAIN)
        kinds.append(kind)
        if kind != sources.PLAIN:
            tensors.append(at)
            op.tensor_bits |= bit(at)
        elif annotation != "str":
            plain.append(at)
        if kind == sources.ARRAY or kind == sources.ARRAYS:
            grads.append(at)
        if kind == sources.ARRAYS and op.list_slot < 0:
            op.list_slot = len(grads) - 1
        if annotation == "bool":
            switches.append(at)
        elif annotation in WHOLES:
            wholes.append(at)
        elif annotation in SCALARS:
            scalars.append(at)
        if annotation == "Sizes" and op.spread < 0:
            op.spread = at
        for alias in ALIASES.get(name, ()):
            if alias not in op.names:
                aliases[alias] = at
    op.kinds, op.tensor_slots, op.grad_slots = tuple(kinds), tuple(tensors), tuple(grads)
    op.plain_slots, op.switches, op.wholes = tuple(plain), tuple(switches), tuple(wholes)
    op.scalars, op.aliases = tuple(scalars), aliases


def take_over(derived: Declaration, op: Declaration) -> None:
    """Copy the declaration of an operator to one that is derived from it."""
    derived.name, derived.body, derived.writer, derived.native = op.name, op.body, op.writer, op.native
    derived.names, derived.defaults, derived.kinds = op.names, op.defaults, op.kinds
    derived.after1, derived.after2, derived.positional, derived.spread = op.after1, op.after2, op.positional, op.spread
    derived.tensor_slots, derived.tensor_bits, derived.plain_slots = op.tensor_slots, op.tensor_bits, op.plain_slots
    derived.switches, derived.wholes, derived.scalars = op.switches, op.wholes, op.scalars
    derived.numbers, derived.aliases = op.numbers, op.aliases
    derived.constants, derived.forward_slots = op.constants, op.forward_slots
    derived.grad_slots, derived.list_slot, derived.dtype_slot = op.grad_slots, op.list_slot, op.dtype_slot
    derived.differentiable = op.differentiable
    derived.promotion, derived.accepts, derived.takes_out = op.promotion, op.accepts, op.takes_out
    derived.lone_numbers = op.lone_numbers
    derived.view, derived.sees, derived.several, derived.output_names = op.view, op.sees, op.several, op.output_names
    derived.apart, derived.layout, derived.overwrites, derived.random = op.apart, op.layout, op.overwrites, op.random
    derived.rules, derived.plans, derived.allows_larger = op.rules, op.plans, op.allows_larger
    derived.latest_plan, derived.tail = None, op.tail
    derived.nodes, derived.node_class = op.nodes, op.node_class
    derived.choose_node, derived.chosen_nodes = op.choose_node, op.chosen_nodes


def bind(op: Declaration, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return all arguments in the order of the parameters, defaults filled in.

    Raises:
        TypeError: if an argument is missing, unknown, or passed twice.
    """
    count: int = len(args)
    spread: int = op.spread
    if not kwargs and spread < 0 and count == len(op.names) and count == op.positional:
        return read_plain(op, args)
    if spread >= 0 and count > spread and is_index(args[spread]):
        args = (*args[:spread], args[spread:])
        count = spread + 1
    if count > op.positional:
        from . import older_forms

        forms: dict[str, Any] = OLDER.get(op.name.removesuffix("_"), {})
        return bind(op, *older_forms.brought_up(op.name, op.positional, args, kwargs, forms))
    bound: list[Any] = list(args)
    bound.extend(op.defaults[count:])
    if kwargs:
        for key, value in kwargs.items():
            position = op.names.index(key) if key in op.names else find_alias(op, key)
            if position < count:
                raise TypeError(f"{op.name}() got multiple values for argument '{key}'")
            bound[position] = value
    for value in bound:
        if value is REQUIRED:
            missing = [name for name, argument in zip(op.names, bound) if argument is REQUIRED]
            raise TypeError(errors.missing_arguments(op.name, missing))
    return read_plain(op, tuple(bound))


def read_plain(op: Declaration, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return all arguments, the plain ones in a form that the operator and its rules may save.

    As in torch, a one-element tensor becomes a number where the operator takes no tensor. A list becomes a tuple, since
    the program may write to the list before the backward pass.

    Raises:
        TypeError: if a tensor does not hold such a number, or an argument is not a bool, int or number as wanted.
    """
    at: int
    for at in op.plain_slots:
        value = values[at]
        if isinstance(value, (Tensor, list)) or (isinstance(value, tuple) and holds_tensor(value)):
            values = replaced(op, values)
            break
    for at in op.switches:
        value = values[at]
        if value is not True and value is not False:
            raise TypeError(errors.wrong_type(op.name, op.names[at], at + 1, "bool", value))
    for at in op.wholes:
        value = values[at]
        if type(value) is not int and not is_whole(value) and not (value is None and takes_none(op, at)):
            raise TypeError(errors.wrong_type(op.name, op.names[at], at + 1, "int", value))
    for at in op.scalars:
        value = values[at]
        if value is op.defaults[at]:
            continue
        if type(value) is float or type(value) is int:
            number = value
            if -3.4028234663852886e38 <= number <= 3.4028234663852886e38:  # in range of float32
                continue
        position = at + 1 if at < op.positional else 0
        check_scalar(op.name, op.names[at], position, op.body.__annotations__[op.names[at]], value)
        check_range(op, values, at)
    return values


def takes_none(op: Declaration, at: int) -> bool:
    """Return whether None may stand for the int that a parameter takes."""
    return op.body.__annotations__[op.names[at]] == "int | None"


def check_scalar(name: str, argument: str, position: int, annotation: str, value: Any) -> None:
    """Refuse a value that is not a number: NumPy's scalars and bools are, complex numbers only for a `Number`.

    Raises:
        TypeError: if `value` is not a number.
    """
    wanted, _, optional = annotation.partition(" | ")
    if value is None and optional:
        return
    if not isinstance(value, (numbers.Real if wanted == "float" else numbers.Number, np.bool_)):
        kind = "float" if wanted == "float" else "Number"
        raise TypeError(errors.wrong_type(name, argument, position, kind, value))


def check_range(op: Declaration, values: tuple[Any, ...], at: int) -> None:
    """Refuse a `Number` that the operands' common dtype cannot hold; halves are computed with in float32.

    Raises:
        RuntimeError: if it is too large, or complex beside operands that are not.
    """
    value = values[at]
    if value is None or op.body.__annotations__[op.names[at]][:6] != "Number":
        return
    operands = [operand._array_ for operand in values if isinstance(operand, Tensor)]
    common = dtypes.result_type(operands) if operands else dtypes.get_default_dtype()
    if common.category == dtypes.COMPLEX:
        return
    if isinstance(value, complex):
        raise RuntimeError(
            f"{op.name}(): For non-complex input tensors, argument {op.names[at]} must not be a complex number; "
            f"value cannot be converted to type {common.name} without overflow: {value}"
        )
    if common.category == dtypes.FLOAT and common is not dtypes.float64 and math.isfinite(value):
        if abs(value) > float(np.finfo(np.float32).max):
            raise RuntimeError(f"{op.name}(): value cannot be converted to type float without overflow: {value}")


def is_whole(value: Any) -> bool:
    """Return whether a value counts as an int: NumPy's do, a bool or an array does not."""
    return hasattr(value, "__index__") and not isinstance(value, (bool, np.ndarray))


def stands_for_int(argument: str, tensor: Any) -> bool:
    """Return whether a tensor is taken for an int: one without dimensions; as a size, one of a single element."""
    array, counts = tensor._array_, "dim" not in argument and argument not in PLAIN_INTEGERS
    return array.dtype.kind in "iu" and array.size == 1 and (counts or array.ndim == 0) and not tensor.requires_grad


def holds_tensor(values: Any) -> bool:
    """Return whether a tuple holds a tensor."""
    for value in values:
        if isinstance(value, Tensor):
            return True
    return False


def replaced(op: Declaration, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with numbers in the place of tensors and tuples in the place of lists, where needed."""
    result: list[Any] = list(values)
    for at in op.plain_slots:
        value = result[at]
        if isinstance(value, Tensor):
            result[at] = number_of(op, at, value)
        elif isinstance(value, list) or (isinstance(value, tuple) and holds_tensor(value)):
            result[at] = tuple([number_of(op, at, item) if isinstance(item, Tensor) else item for item in value])
    return tuple(result)


def number_of(op: Declaration, at: int, tensor: Tensor) -> Any:
    """The number in a tensor that was passed for a plain argument of an operator."""
    wanted = op.body.__annotations__.get(op.names[at], "").partition(" ")[0]
    return number_in(op.name, op.names[at], at + 1, wanted, tensor)


def number_in(name: str, argument: str, position: int, wanted: str, tensor: Any) -> Any:
    """The number in a 0-dim tensor (a size may also have one dimension of one integer).

    Raises:
        TypeError: if the tensor does not hold such a number, or a gradient would have to flow into it.
    """
    single = tensor._array_.ndim == 0
    counts = stands_for_int(argument, tensor) and (single or argument != "n")
    if wanted != "int":
        counts = single or (stands_for_int("", tensor) and wanted not in ("float", "Number"))
    if not counts or wanted == "bool" or tensor.requires_grad or tangents.is_dual(tensor):
        kind = wanted if wanted in ("bool", "int", "float") else "Number"
        raise TypeError(errors.wrong_type(name, argument, position, kind, tensor))
    return float(tensor) if wanted == "float" and tensor._array_.dtype.kind == "c" else tensor.item()


def is_index(value: Any) -> bool:
    """Return whether a value counts as one integer of a spread argument."""
    return not isinstance(value, (tuple, list)) and hasattr(value, "__index__")


def find_alias(op: Declaration, key: str) -> int:
    """The position of a parameter by another name that it has in torch or NumPy."""
    position = op.aliases.get(key, -1)
    if position < 0:
        raise TypeError(errors.unexpected_keyword(op.name, key))
    return position
