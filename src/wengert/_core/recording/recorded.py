"""The recorded call of an operator: what it saves, and how its rules are applied."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import door, errors, flags
from ..graph.node import Node
from ..operators import promotion, sources
from ..operators.declaration import Declaration
from ..operators.rules import Plan, Rule
from ..profiling.events import Log, on_arrays
from ..state.modes import Modes, Pass, current
from ..tensor import slots
from ..tensor.base import Tensor, share, wrap
from .saved import Saved, save_input, save_output
from .saved_part import save_result

ONE = 1  # a singleton of the interpreter


def save_all(plan: Plan, args: tuple[Any, ...], results: Any, modes: Modes) -> tuple[Any, ...]:
    """Return the saved values of one call.

    Args:
        results: the result, a tuple of several, or None where there is none yet (`save_outputs` adds them).
    """
    count: int = len(plan.sources)
    if count == 1:
        return (save_value(plan, 0, args, results, modes),)
    if count == 2:
        return (save_value(plan, 0, args, results, modes), save_value(plan, 1, args, results, modes))
    if count == 3:
        first: Any = save_value(plan, 0, args, results, modes)
        return (first, save_value(plan, 1, args, results, modes), save_value(plan, 2, args, results, modes))
    values: list[Any] = []
    for at in range(count):
        values.append(save_value(plan, at, args, results, modes))
    return tuple(values)


def save_value(plan: Plan, at: int, args: tuple[Any, ...], results: Any, modes: Modes) -> Any:
    """Return saved value number `at` of a plan."""
    source: int = plan.sources[at]
    position: int = plan.positions[at]
    if source == sources.FROM_INPUT:
        return save_argument(args[position], modes)
    if source == sources.FROM_OUTPUT:
        if results is None:
            return None
        return save_output(results if isinstance(results, Tensor) else results[position], position, modes)
    if source == sources.FROM_SHAPE:
        return shapes_of(args[position])
    if source == sources.FROM_DTYPE:
        return args[position].dtype
    if source == sources.FROM_WANTED:
        return plan.wanted
    if source == sources.FROM_STRIDES:
        return args[position]._array_.strides
    if source == sources.FROM_TAIL:
        return tail_of(plan.tail, args[position])
    return args[position]


def tail_of(loses: Any, value: Any) -> Any:
    """Return a copy of an input without history if the result is inaccurate for some of its elements; otherwise None.

    A copy: the input itself would be refused after a write to it, which it may be while only the result is kept.
    """
    if not isinstance(value, Tensor):
        return None
    tensor: Tensor = value
    if door.is_ndarray(tensor._array_):
        log: Log = current().log
        if log is not None:
            return log.tail(loses, tensor)
        return wrap(tensor._array_.copy()) if loses(tensor._array_) else None
    if tensor._flags_ & flags.BATCHED == 0:
        return None
    whole: Tensor = tensor
    while whole._flags_ & flags.BATCHED:
        whole = whole._array_.whole
    if not door.is_ndarray(whole._array_) or not loses(whole._array_):
        return None
    return share(tensor._array_, tensor._storage_).clone()


def save_argument(value: Any, modes: Modes) -> Any:
    """Save a tensor, an array, a list of tensors, or a number that stands for a tensor."""
    if isinstance(value, Tensor):
        return save_input(value, modes)
    if isinstance(value, (tuple, list)):
        return tuple([save_input(element, modes) if isinstance(element, Tensor) else element for element in value])
    if value is None or type(value) is float or type(value) is int or type(value) is bool:
        return value
    operand = promotion.constant_of(value)
    return save_input(operand, modes) if isinstance(operand, Tensor) else operand


def save_outputs(plan: Plan, saved: tuple[Any, ...], results: tuple[Any, ...], modes: Modes) -> tuple[Any, ...]:
    """Return the saved values with the outputs filled in."""
    values: list[Any] = list(saved)
    for at in range(len(values)):
        if plan.sources[at] == sources.FROM_OUTPUT:
            values[at] = save_result(results[plan.positions[at]], plan.positions[at], modes)
    return tuple(values)


def shapes_of(value: Any) -> Any:
    """Return the shape of a tensor or number, or the shapes of several."""
    if isinstance(value, Tensor):
        tensor: Tensor = value
        return door.shape_of(tensor._array_)
    if isinstance(value, (tuple, list)):
        return tuple([shapes_of(element) for element in value])
    return ()


@cython.no_gc
@cython.cclass
class OpNode(Node):
    """A recorded call of an Op. Each card makes a subclass (`MulBackward0`), with the saved values as `_saved_*`."""

    op: Declaration
    plan: Plan
    saved: tuple[Any, ...]

    __slots__ = ("lists", "op", "plan", "saved")

    def allows_larger(self) -> bool:
        return self.op.allows_larger

    def records(self, nr: int) -> bool:
        return not self.op.differentiable or self.op.differentiable[nr]

    def release(self) -> None:
        if self.plan.frees:
            self.saved = None

    def unpacked(self) -> list[Any]:
        """Return the saved values, tensors checked against later writes.

        Raises:
            RuntimeError: if they were freed by an earlier pass, or written to since.
        """
        saved: tuple[Any, ...] = self.saved
        if saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        if len(saved) == 1:
            return [unpack(saved[0], self)]
        if len(saved) == 2:
            return [unpack(saved[0], self), unpack(saved[1], self)]
        return [unpack(value, self) for value in saved]

    def apply(self, grads: list[Any]) -> Any:
        return run_rules(self, grads[0] if not self.op.several else tuple(grads))

    def apply_single(self, grad: Any) -> Any:
        return run_rules(self, (grad,) if self.op.several else grad)


def run_rules(node: OpNode, grad_output: Any) -> list[Any]:
    """Run the rules of a node's plan; one gradient for each edge."""
    saved: tuple[Any, ...] = node.saved
    if saved is None:
        raise RuntimeError(errors.BACKWARD_TWICE)
    plan: Plan = node.plan
    outgoing: list[Any] = [None] * len(node.next_edges)
    simple: bool = node.op.list_slot < 0
    modes: Modes = current()
    grad: Any = plain_gradient(grad_output, modes)
    arrays: Any = None if grad is None else arrays_in(grad_output)
    spared: int = spared_by(node, modes) if simple else 0
    values: list[Any] = None  # unpacked for the first rule that wants tensors
    if spared:  # saved values that nothing needs are checked and unpacked as well, as in torch
        values = list(narrowed(plan, tuple(node.unpacked()), spared))
        saved = narrowed(plan, saved, spared)
    rule: Rule
    for at in range(len(plan.rules)):
        rule = plan.rules[at]
        if spared and is_spared(rule, spared):
            continue
        result: Any = NotImplemented
        if rule.passes and hands_on(saved, plan.arguments[at]):
            result = grad_output
        elif grad is not None and rule.native is not None:
            if modes.log is None:
                result = run_native(node, rule, arrays, saved, plan.arguments[at])
            else:
                result = noted_native(node, rule, grad_output, saved, plan.arguments[at])
            result = tensors_of(result, grad)
        if result is NotImplemented:
            if values is None:
                values = node.unpacked()
            result = run_rule(rule, grad_output, values, plan.arguments[at])
        if simple and rule.single:
            outgoing[rule.slot] = result
        else:
            place(node, outgoing, rule, result)
            if spared:
                drop(outgoing, spared)
    return outgoing


@cython.no_gc
@cython.cclass
class ViewNode(OpNode):
    """A recorded view; `step` says how it is taken: (op, arguments, output number)."""

    step: tuple[Any, ...]

    __slots__ = ("step",)


def node_class(title: str, view: bool) -> type:
    """Return the class of the nodes of an operator: a subclass of `OpNode` (for views of `ViewNode`) of that name."""
    return door.subclass("builtins", title, ViewNode if view else OpNode)


def unpack(value: Any, node: OpNode) -> Any:
    """Return a saved value as a rule receives it."""
    if isinstance(value, Saved):
        return unpack_tensor(value, node)
    if isinstance(value, tuple) and value and (value[0] is None or isinstance(value[0], Saved)):
        return tuple([unpack_tensor(element, node) if isinstance(element, Saved) else element for element in value])
    return value


def unpack_tensor(saved: Saved, node: Node) -> Tensor:
    """Return a saved tensor, checked against later writes."""
    return saved.unpack(node)


def run_rule(rule: Rule, grad_output: Any, values: list[Any], arguments: tuple[int, ...]) -> Any:
    """Call a rule with the saved values that it names."""
    count: int = len(arguments)
    result: Any
    if rule.partial:
        if count == 0:
            result = rule.fn()
        elif count == 1:
            result = rule.fn(values[arguments[0]])
        else:
            result = rule.fn(*[values[at] for at in arguments])
        return grad_output * conjugate(result)
    if count == 0:
        return rule.fn(grad_output)
    if count == 1:
        return rule.fn(grad_output, values[arguments[0]])
    if count == 2:
        return rule.fn(grad_output, values[arguments[0]], values[arguments[1]])
    return rule.fn(grad_output, *[values[at] for at in arguments])


def hands_on(saved: tuple[Any, ...], arguments: tuple[int, ...]) -> bool:
    """Return whether a rule passes the gradient on unchanged: its only argument, if it names one, is 1."""
    if len(arguments) == 0:
        return True
    first: int = arguments[0]
    return saved[first] is ONE


def spared_by(node: OpNode, modes: Modes) -> int:
    """Return bits of the gradients of a node that the pass that runs it does not need."""
    passing: Pass = modes.passing
    return passing.spared if passing is not None and passing.sparing is node else 0


def narrowed(plan: Plan, values: tuple[Any, ...], spared: int) -> tuple[Any, ...]:
    """Return the values for rules, in which `wanted` excludes the spared gradients."""
    if not plan.narrows:
        return values
    wanted = tuple([plan.wanted[slot] and not spared >> slot & 1 for slot in range(len(plan.wanted))])
    return tuple([wanted if plan.sources[at] == sources.FROM_WANTED else values[at] for at in range(len(values))])


def is_spared(rule: Rule, spared: int) -> bool:
    """Return whether the pass needs none of the gradients that a rule returns."""
    slot: int
    for slot in rule.slots:
        if not spared >> slot & 1:
            return False
    return True


def drop(outgoing: list[Any], spared: int) -> None:
    """Drop the gradients that the pass does not need, which a rule returned with others."""
    for at in range(len(outgoing)):
        if spared >> at & 1:
            outgoing[at] = None


def plain_gradient(grad_output: Any, modes: Modes) -> Any:
    """Return the gradient (of several the first) that native rules may use; None if they may not run.

    They run if nothing is recorded or observed, and all values are in arrays. A profile is not an observer: it has to
    see what runs without it.
    """
    if modes.grad or modes.word & ~flags.QUIET:
        return None
    if isinstance(grad_output, Tensor):
        return None if is_unusual(grad_output) else grad_output
    return first_plain(grad_output) if type(grad_output) is tuple else None


def arrays_in(grad_output: Any) -> Any:
    """Return the array of a gradient; of the gradients of several results a list, None where none has arrived."""
    if isinstance(grad_output, Tensor):
        return array_of(grad_output)
    return [None if grad is None else array_of(grad) for grad in grad_output]


def run_native(node: OpNode, rule: Rule, arrays: Any, saved: tuple[Any, ...], arguments: tuple[int, ...]) -> Any:
    """Call the native function of a rule with its share of the saved values; NotImplemented if it declines."""
    value: Any
    at: int
    if len(arguments) == 1:
        at = arguments[0]
        value = plain_value(saved[at], node)
        return value if value is NotImplemented else rule.native(arrays, value)
    args: list[Any] = [arrays]
    for at in arguments:
        value = plain_value(saved[at], node)
        if value is NotImplemented:
            return value
        args.append(value)
    return rule.native(*args)


def noted_native(node: OpNode, rule: Rule, grad_output: Any, saved: tuple[Any, ...], arguments: tuple[int, ...]) -> Any:
    """Run `run_native` where calls are noted; `grad_output` is the gradient, or those of several results."""
    modes: Modes = current()
    args: list[Any] = [arrays_in(grad_output)]
    at: int
    for at in arguments:
        value: Any = plain_value(saved[at], node)
        if value is NotImplemented:
            return value
        args.append(value)
    modes.log.see(grad_output)
    return on_arrays(modes, rule.native, *args)


def tensors_of(result: Any, grad: Tensor) -> Any:
    """Return the result of a native rule as tensors; NotImplemented as it is."""
    if type(result) is list or type(result) is tuple:
        return [gradient_of(array, grad) for array in result]
    return result if result is NotImplemented else gradient_of(result, grad)


def array_of(tensor: Tensor) -> Any:
    """Return the array of a tensor."""
    return tensor._array_


def plain_value(value: Any, node: OpNode) -> Any:
    """Return a saved value as a native rule receives it: arrays for tensors, a list for several; or NotImplemented."""
    if isinstance(value, Saved):
        return plain_array(value, node)
    if isinstance(value, Tensor):  # a tail
        return value._array_
    if type(value) is not tuple:
        return NotImplemented if door.is_ndarray(value) else value  # a program's array
    several: bool = False
    for element in value:
        if element is not None:
            several = isinstance(element, Saved)
            if door.is_ndarray(element):
                return NotImplemented
            break
    if not several:
        return value
    arrays: list[Any] = []
    for element in value:
        array: Any = plain_array(element, node) if isinstance(element, Saved) else element
        if array is NotImplemented or (array is element and element is not None):
            return NotImplemented
        arrays.append(array)
    return arrays


def plain_array(saved: Saved, node: OpNode) -> Any:
    """Return the array of a saved tensor, checked; or NotImplemented."""
    return saved.plain(node)


def first_plain(grads: tuple[Any, ...]) -> Any:
    """Return the first gradient that has arrived for several results; None if one of them is not plain."""
    first: Any = None
    for grad in grads:
        if grad is not None:
            if not isinstance(grad, Tensor) or is_unusual(grad):
                return None
            if first is None:
                first = grad
    return first


def is_unusual(tensor: Tensor) -> bool:
    """Return whether a tensor carries a tangent, a batch or other state that its array does not show."""
    return tensor._flags_ & flags.UNUSUAL != 0


def gradient_of(array: Any, grad: Tensor) -> Any:
    """Return the tensor of a native rule's array; if that is memory of the gradient, both share their storage."""
    if array is None:
        return None
    if array is grad._array_:
        return grad
    if door.is_part_of(array, grad._array_):
        return share(array, grad._storage_)
    base: Any = door.base_of(array)
    whole: Tensor = wrap(array if base is None else base)  # a storage spans what was made first on it
    return whole if base is None else share(array, whole._storage_)


def conjugate(partial: Any) -> Any:
    """Return the conjugate of a partial derivative (a tensor or a number); real ones are returned unchanged."""
    if isinstance(partial, Tensor):
        tensor: Tensor = partial
        return slots.table.conjugate.call1(tensor) if door.is_complex(tensor._array_) else partial
    return partial.conjugate() if isinstance(partial, complex) else partial


def place(node: OpNode, outgoing: list[Any], rule: Rule, result: Any) -> None:
    """Store the gradients that a rule returned at the places of its parameters' edges."""
    list_slot: int = node.op.list_slot
    extra: int = len(node.next_edges) - len(node.op.grad_slots)
    index: int = 0
    start: int
    slot: int
    for slot in rule.slots:
        part = result if rule.single else result[index]
        index += 1
        start = slot + extra if 0 <= list_slot < slot else slot
        if slot == list_slot:
            if part is not None:
                outgoing[start : start + extra + 1] = part
        else:
            outgoing[start] = part
