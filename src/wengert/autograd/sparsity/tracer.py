"""Tracing of a function: sets of inputs are passed through its operators.

The tracer observes each call. Results that are not recorded have no derivative, and so no sets. Recorded tensors that
were not made by an observed call (but by a custom Function, or in another thread) are assumed to depend on all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

from ..._core import flags
from ..._core.functions.function import FunctionNode
from ..._core.leaves.accumulate import AccumulateGrad
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.tensor.storage import next_serial
from ..observers import Observing
from .calls import Call
from .families import rule_of
from .sets import Sets, scipy_sparse
from .tables import Tables


class Tracer(Observing):
    """Context that passes sets through the calls of this thread.

    Attributes:
        count: how many inputs there are.
        tables: the sets of the tensors.
        constant: nodes that do not lead to an input.
        born: storages with a lower number existed before; they keep their values unless they are written to.
        written: storages that were written to.
    """

    def __init__(self, variables: Sequence[Tensor]) -> None:
        self.count = sum(variable._array_.size for variable in variables)
        self.tables = Tables(self.count)
        self.variables = variables
        self.constant: set[Any] = set()
        self.born = next_serial()
        self.written: WeakSet[Any] = WeakSet()
        identity = scipy_sparse("sparsity").eye_array(self.count, dtype=bool, format="csr")
        first = 0
        for variable in variables:
            last = first + variable._array_.size
            self.tables.write(variable, Sets(variable._array_.shape, identity[first:last]), None)
            first = last

    def sets_of(self, value: Any) -> Sets | None:
        """Return the sets of an operand; None for a constant."""
        if not isinstance(value, Tensor) or not value.requires_grad:
            return None
        node = value.grad_fn
        known = self.tables.known(value._storage_)
        if known is None or isinstance(node, FunctionNode):
            if not self.leads_to_variable(value, node):
                return None
            self.tables.forget(value)
            known = self.tables.tables[value._storage_]
        return self.tables.read(value, known)

    def leads_to_variable(self, value: Tensor, node: Any) -> bool:
        """Return whether the history of a tensor leads to an input."""
        if node is None:
            return any(value is variable for variable in self.variables)
        waiting = [node]
        seen = set()
        while waiting:
            current = waiting.pop()
            if current in seen or current in self.constant:
                continue
            seen.add(current)
            if isinstance(current, AccumulateGrad) and any(current.variable is variable for variable in self.variables):
                return True
            waiting += [edge.node for edge in current.next_edges if edge is not None]
        self.constant |= seen
        return False

    def is_fixed(self, value: Any) -> bool:
        """Return whether the values of a constant are the same for all inputs; parameters may change between runs."""
        if not isinstance(value, Tensor) or value.requires_grad:
            return False
        return 0 < value._storage_.serial < self.born and value._storage_ not in self.written

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Observe one call: see `unusual.observed`."""
        modes = current()
        target = op.written(args)
        known = None if target is None else self.tables.known(target._storage_)
        if target is not None:
            self.written.add(target._storage_)
        card = op if target is None else getattr(op, "functional", None)
        if card is None or not card.rules or not modes.grad or modes.inference or (card.view and target is not None):
            output = proceed()
            if target is not None:
                self.tables.keep(target._storage_, known)
            return output
        refuse_sparse(args)
        call = Call(card, args, self.sets_of, self.is_fixed)  # before the operands are written to
        if target is not None:
            known = self.tables.known(target._storage_)
        output = proceed()
        refuse_sparse(output)
        constant = not call.operands()
        for result in output if isinstance(output, tuple) else (output,):
            if result.requires_grad and (constant or not card.view):
                sets = None if constant else rule_of(card)(call, result)
                self.tables.write(result, sets, known)
        return output


def refuse_sparse(values: Any) -> None:
    """Refuse sparse tensors, which have no table: their elements are not strided memory.

    Raises:
        NotImplementedError: if there is a sparse tensor.
    """
    for value in values if isinstance(values, tuple) else (values,):
        if isinstance(value, Tensor) and value._flags_ & flags.SPARSE:
            raise NotImplementedError(
                "sparsity: patterns are not followed through sparse tensors; use to_dense(), or work on values()"
            )
