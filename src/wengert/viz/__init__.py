"""Pictures: the autograd graph of a tensor, its gradients, and the curves and images of a training run.

`graph` needs no other package for the explorer page, SVG, Graphviz and Mermaid; PNG files are drawn by matplotlib,
which is part of `wengert[full]` and imported only when such a file is written.
"""

from wengert.viz.backward_steps import BackwardSteps, backward_steps
from wengert.viz.curves import plot_curves, plot_misclassified
from wengert.viz.explorer import Timeline, timeline
from wengert.viz.gradient_report import GradientReport, gradients
from wengert.viz.graph import Graph, graph
from wengert.viz.scopes import record_scopes, scope

__all__ = [
    "BackwardSteps",
    "GradientReport",
    "Graph",
    "Timeline",
    "backward_steps",
    "gradients",
    "graph",
    "plot_curves",
    "plot_misclassified",
    "record_scopes",
    "scope",
    "timeline",
]
