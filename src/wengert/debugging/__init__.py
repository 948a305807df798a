"""Why is there no gradient, what keeps the memory, where was it made: `wg.explain`, `wg.graph_report`, `wg.set_debug`.

See docs/debugging_gradients.md.
"""

from .explanation import Explanation, explain
from .mode import set_debug
from .report import GraphReport, Kept, graph_report

_IN_PACKAGE = ("explain", "graph_report", "set_debug")

__all__ = ["Explanation", "GraphReport", "Kept", "explain", "graph_report", "set_debug"]
