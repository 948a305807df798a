"""Pictures: the autograd graph of a tensor, and the curves and images that a training run leaves behind.

`graph` needs nothing for SVG and Graphviz's language; PNG files are drawn by matplotlib, which `wengert[full]` brings
along and which is imported only when such a file is written.
"""

from wengert.viz.curves import plot_curves, plot_misclassified
from wengert.viz.graph import Graph, graph

__all__ = ["Graph", "graph", "plot_curves", "plot_misclassified"]
