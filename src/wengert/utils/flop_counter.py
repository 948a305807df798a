"""Counting of floating-point operations by module."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ..autograd.observers import Heard, Region
from .flop_formulas import (
    addmm_flop,
    baddbmm_flop,
    bmm_flop,
    by_shapes as shape_wrapper,
    conv_backward_flop,
    conv_flop,
    conv_flop_count,
    flop_registry,
    mm_flop,
    register_flop_formula,
    sdpa_flop_count,
    shape_of as get_shape,
)
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "flop_registry", "get_shape", "register_flop_formula", "shape_wrapper"]
__all__ += ["addmm_flop", "baddbmm_flop", "bmm_flop", "conv_backward_flop", "conv_flop", "conv_flop_count", "mm_flop"]
__all__ += ["sdpa_flop_count"]

SUFFIXES = ("", "K", "M", "B", "T")


class FlopCounterMode(Region):
    """Context that counts floating-point operations of matrix products and convolutions, forward and backward.

    Operators for which the program registers a formula are counted, too.

    Operations are counted for the operators that run here, so attention counts as its matrix products, and an LSTM
    layer as those of its steps. (torch counts neither on the CPU: both are one operator without a formula.)

    Args:
        mods: no effect; modules are known when they are called.
        depth: the largest nesting of modules in the table.
        display: print the table at the end.
        custom_mapping: formulas by operator, as for `register_flop_formula`; they hold in this context.

    >>> import wengert as wg
    >>> from wengert.utils.flop_counter import FlopCounterMode
    >>> net = wg.nn.Sequential(wg.nn.Linear(4, 5), wg.nn.ReLU(), wg.nn.Linear(5, 2))
    >>> with FlopCounterMode(display=False) as counter:
    ...     net(wg.ones(3, 4)).sum().backward()
    >>> counter.get_total_flops()
    420
    >>> {str(op): count for op, count in counter.get_flop_counts()["Sequential.0"].items()}
    {'aten.addmm': 120, 'aten.mm': 120}
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Mapping[Any, Any] | None = None
    ) -> None:
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        custom = {
            op: formula if getattr(formula, "_get_raw", False) else shape_wrapper(formula)
            for op, formula in (custom_mapping or {}).items()
        }
        self.flop_registry = {**flop_registry, **custom}
        self.by_name = {op._opname: op for op in self.flop_registry}
        self.mod_tracker = ModuleTracker()
        self.mode: Heard | None = None

    def _before_(self, modes: Any) -> None:
        if self.mode is not None:
            raise RuntimeError("FlopCounterMode: this region has been entered already; make another one")

    def _begin_(self, modes: Any, before: None) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mode = Heard(self.count)
        self.mod_tracker.__enter__()
        self.mode.__enter__()
        return self

    def _end_(self, modes: Any, before: None) -> None:
        for region in (self.mode, self.mod_tracker):
            if region is not None and region._is_entered_():
                region._take_back_()
        self.mode = None

    def _take_back_(self) -> None:
        super()._take_back_()
        if self.display:
            print(self.get_table(self.depth))

    def _refuse_(self) -> None:
        raise AssertionError("FlopCounterMode: this region has not been entered")

    def count(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Add the operations of a call to the modules that are being called."""
        op = self.by_name.get(name)
        if op is None:
            return
        number = self.flop_registry[op](*args, **kwargs, out_val=result)
        for module in self.mod_tracker.parents:
            self.flop_counts[module][op] += number

    def get_total_flops(self) -> int:
        """Return the number of all operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return the operations by module, and for each module by operator; "Global" stands for all."""
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return the operations as a table of modules and their operators, with shares of the total.

        Args:
            depth: the largest nesting of modules; by default that of the context.
        """
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        shown = [name for name in sorted(self.flop_counts) if name != "Global"]
        shown = [name for name in shown if depth is None or name.count(".") < depth]
        rows = [row for name in shown for row in self.rows(name, name.count("."))]
        if not any(sum(self.flop_counts[name].values()) >= total for name in shown) and self.flop_counts["Global"]:
            rows = self.rows("Global", 0) + [(f" {name}", count, share) for name, count, share in rows]
        return table(rows or [("Global", "0", "0%")])

    def rows(self, module: str, inset: int) -> list[tuple[str, str, str]]:
        """Return the rows of a module: its own and one for each operator."""
        counts = self.flop_counts[module]
        total = self.get_total_flops()
        unit = max(0, min(len(SUFFIXES) - 1, (len(str(total)) - 2) // 3))
        named = [(module, sum(counts.values())), *((f" - {op}", count) for op, count in counts.items())]
        return [
            (
                " " * inset + name,
                f"{count / 1000**unit:.3f}{SUFFIXES[unit]}" if unit else str(count),
                f"{count / total:.2%}" if total else "0%",
            )
            for name, count in named
        ]


def table(rows: list[tuple[str, str, str]]) -> str:
    """Return rows with headers, and numbers aligned to the right."""
    heads = ("Module", "FLOP", "% Total")
    sizes = [max(len(head) + 2, *(len(row[at]) for row in rows)) for at, head in enumerate(heads)]
    lines = [heads, tuple("-" * size for size in sizes), *rows]
    return "\n".join(f"{a:<{sizes[0]}}  {b:>{sizes[1]}}  {c:>{sizes[2]}}" for a, b, c in lines)
