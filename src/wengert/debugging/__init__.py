"""Debugging of gradients: missing gradients, memory kept by graphs, lines of calls.

The functions are `wg.explain`, `wg.graph_report` and `wg.set_debug`.

See docs/debugging_gradients.md.
"""

from .explanation import Explanation, explain
from .mode import set_debug
from .report import GraphReport, Kept, graph_report

_IN_PACKAGE = ("explain", "graph_report", "set_debug")

__all__ = ["Explanation", "GraphReport", "Kept", "explain", "graph_report", "set_debug"]
