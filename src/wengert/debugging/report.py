"""`graph_report`: memory that a graph keeps for the backward pass, by operator, source line and module."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from wengert._core.graph.node import Node
from wengert._core.graph.origins import of_node
from wengert._core.graph.places import Place
from wengert._core.tensor.base import Tensor
from wengert.autograd.kept import innermost, kept_by

from .mode import module_name
from .walk import name_of, nodes_from, place_of_node, root_of

UNKNOWN = "(not noted)"
"""Line or module of calls recorded without `set_debug(lines=True)`."""


@dataclasses.dataclass(frozen=True)
class Kept:
    """Memory that a graph keeps, with the call that it is counted for: the oldest one.

    Attributes:
        operator: the name of the node.
        name: the name of the saved value, as in `_saved_<name>`.
        shape, dtype: shape and dtype of the saved tensor.
        nbytes: the size of the storage, which may be larger than the tensor.
        where: the line that recorded the call, or None.
        module: the module whose `forward` made the call, e.g. `Net.layers.0`; empty if none or not recorded.
        also: the number of further saved tensors in the same storage.
        leaf: whether the storage is that of a leaf that requires a gradient (a parameter, which exists anyway).
        packed: whether a hook has packed it.
    """

    operator: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    where: Place | None
    module: str
    also: int
    leaf: bool
    packed: bool


@dataclasses.dataclass(frozen=True, repr=False)
class GraphReport:
    """Report of the memory that a graph keeps for the backward pass; its `str` is a table.

    Attributes:
        rows: one row for each storage, the largest first.
        nodes, freed: the number of nodes, and of freed nodes among them.
    """

    rows: tuple[Kept, ...]
    nodes: int
    freed: int

    @property
    def nbytes(self) -> int:
        """Total bytes, counting each storage once."""
        return sum(row.nbytes for row in self.rows)

    @property
    def own_nbytes(self) -> int:
        """Bytes kept only for the backward pass: without the memory of leaves that require a gradient."""
        return sum(row.nbytes for row in self.rows if not row.leaf)

    def by_operator(self) -> dict[str, int]:
        """Return bytes by the name of the node, the largest first."""
        return self._by(lambda row: row.operator)

    def by_line(self) -> dict[str, int]:
        """Return bytes by the line of the program that recorded the call, as `file:line`."""
        return self._by(lambda row: UNKNOWN if row.where is None else f"{row.where.filename}:{row.where.lineno}")

    def by_module(self) -> dict[str, int]:
        """Return bytes by module."""
        return self._by(lambda row: row.module or UNKNOWN)

    def _by(self, key: Callable[[Kept], str]) -> dict[str, int]:
        sums: dict[str, int] = {}
        for row in self.rows:
            sums[key(row)] = sums.get(key(row), 0) + row.nbytes
        return dict(sorted(sums.items(), key=lambda item: -item[1]))

    def table(self, row_limit: int = 20) -> str:
        """Return the report as text: the largest storages, then the sums.

        Args:
            row_limit: the largest number of storages, operators, lines and modules shown.
        """
        head = (
            f"{self.nbytes:,} bytes are kept for the backward pass in {len(self.rows)} storages by {self.nodes} nodes; "
            f"{self.own_nbytes:,} without the memory of leaves."
        )
        if self.freed:
            head += f" {self.freed} nodes have been freed."
        lines = [head, "", *columns([HEAD, *(cells(row) for row in self.rows[:row_limit])])]
        if len(self.rows) > row_limit:
            lines.append(f"... and {len(self.rows) - row_limit} more")
        for title, sums in (("operator", self.by_operator()), ("line", self.by_line()), ("module", self.by_module())):
            if any(key != UNKNOWN for key in sums):
                shown = list(sums.items())[:row_limit]
                lines += ["", *columns([("bytes", f"by {title}"), *((f"{count:,}", key) for key, count in shown)])]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"GraphReport({self.nbytes} bytes in {len(self.rows)} storages, {self.nodes} nodes)"


HEAD = ("bytes", "shape", "dtype", "saved as", "operator", "module", "line")


def cells(row: Kept) -> tuple[str, ...]:
    """Return a row of the table."""
    remarks = [f"shared by {row.also + 1}"] if row.also else []
    remarks += ["a leaf's"] if row.leaf else []
    remarks += ["packed"] if row.packed else []
    name = f"{row.name} ({', '.join(remarks)})" if remarks else row.name
    place = "" if row.where is None else f"{row.where.filename}:{row.where.lineno}"
    return f"{row.nbytes:,}", str(list(row.shape)), row.dtype, name, row.operator, row.module, place


def columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Return rows as lines with aligned columns, the first to the right, without empty columns."""
    used = [at for at in range(len(rows[0])) if len(rows) == 1 or any(row[at] for row in rows[1:])]
    widths = [max(len(row[at]) for row in rows) for at in used]
    return [
        "  ".join(row[at].rjust(width) if at == 0 else row[at].ljust(width) for at, width in zip(used, widths)).rstrip()
        for row in rows
    ]


def graph_report(loss: Tensor) -> GraphReport:
    """Report the memory that the graph of a tensor keeps for the backward pass.

    Each storage is counted once, for the oldest call that keeps it. No saved tensor is unpacked, and no hook is called.
    Lines and modules are known for calls recorded under `set_debug(lines=True)`. Attributes that a custom Function
    stored on its `ctx`, rather than by `save_for_backward`, are not included.

    Args:
        loss: a tensor that requires a gradient.

    Returns:
        A `GraphReport`: its `str` is a table, its `rows` are the data.

    Raises:
        TypeError: if `loss` is not a tensor.
        ValueError: if it has no graph.

    >>> import wengert as wg
    >>> x = wg.ones(4, requires_grad=True)
    >>> y = x.exp()
    >>> wg.graph_report((y * y).sum()).by_operator()
    {'ExpBackward0': 16}
    """
    if not isinstance(loss, Tensor):
        raise TypeError(f"graph_report(): loss must be a tensor, not {type(loss).__name__}")
    if not loss.requires_grad:
        raise ValueError("graph_report(): the tensor has no graph; wengert.explain(tensor) says why")
    nodes = sorted(nodes_from(root_of(loss)), key=lambda node: node.sequence_number)
    leaves = {id(node.variable._storage_) for node in nodes if hasattr(type(node), "variable")}  # type: ignore[attr-defined]
    by_address: dict[int, list[tuple[Node, Any]]] = {}
    freed = 0
    for node in nodes:
        values = kept_by(node)
        freed += values is None
        for value in values or ():
            if value.nbytes:
                by_address.setdefault(value.address, []).append((node, value))
    rows = [row_of(entries, leaves) for entries in by_address.values()]
    return GraphReport(tuple(sorted(rows, key=lambda row: -row.nbytes)), len(nodes), freed)


def row_of(entries: list[tuple[Node, Any]], leaves: set[int]) -> Kept:
    """Return the row of a storage, from all tensors saved in it."""
    node, first = entries[0]
    origin = of_node(node)
    return Kept(
        operator=name_of(innermost(node)),
        name=first.name,
        shape=first.shape,
        dtype=first.dtype,
        nbytes=max(value.nbytes for _, value in entries),
        where=place_of_node(node),
        module="" if origin is None else module_name(origin.scope),
        also=len(entries) - 1,
        leaf=first.storage in leaves,
        packed=first.packed,
    )
