"""Pictures: the autograd graph of a tensor, its gradients, and the curves and images that a training run leaves behind.

`graph` needs nothing for the explorer page, SVG, and the languages of Graphviz and Mermaid; PNG files are drawn by
matplotlib, which `wengert[full]` brings along and which is imported only when such a file is written.
"""

from wengert.viz.curves import plot_curves, plot_misclassified
from wengert.viz.explorer import Timeline, timeline
from wengert.viz.gradient_report import GradientReport, gradients
from wengert.viz.graph import Graph, graph
from wengert.viz.scopes import record_scopes, scope

__all__ = [
    "GradientReport",
    "Graph",
    "Timeline",
    "gradients",
    "graph",
    "plot_curves",
    "plot_misclassified",
    "record_scopes",
    "scope",
    "timeline",
]
