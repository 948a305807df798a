"""The gallery: plots of the tutorial and the how-tos, graphs, a timeline and a report of gradients."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import wengert as wg
from tools.make_pictures import gradient_report, training_step
from tools.pages.notebooks import Page

HEAD = """\
Gallery
=======

All pictures were drawn when this site was built. A plot leads to the page that made it, with all of its code.

Plots
-----

.. raw:: html

   <style>.plots { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }</style>

.. container:: plots

"""
PLOT = """\
   .. figure:: notebooks/{file}
      :alt: {title}
      :target: {target}

      {title}: :doc:`/{page}`

"""
TOOLS = """\
A graph
-------

How graphs are drawn and explored: :doc:`/docs/seeing_the_graph`; profiles: :doc:`/docs/profiling`.

``wg.viz.graph(loss, model).save("graph.svg")``: the loss of a perceptron, and what it keeps for the backward pass.

.. image:: graph.svg
   :alt: The autograd graph of a perceptron's loss, from the weights down to the loss
   :align: center

The explorer
------------

``wg.viz.graph(loss, model, profile=profile, gradients=True).save("explorer.html")``: a training step of the network
of ``make demo``. `On a page of its own <../../explorer.html>`__.

.. raw:: html

   <iframe src="../../explorer.html" title="The explorer with the graph of a training step" loading="lazy"
    style="width: 100%; height: 40rem; border: 1px solid gray"></iframe>

A timeline
----------

``wg.viz.timeline(profile).save("timeline.html")``: the same step by time, forward and backward.
`The timeline on a page of its own <../../timeline.html>`__.

.. raw:: html

   <iframe src="../../timeline.html" title="The timeline of a training step" loading="lazy"
    style="width: 100%; height: 40rem; border: 1px solid gray"></iframe>

Gradients while a model learns
------------------------------

``wg.viz.gradients(model)``: a rate that is too high, and what it does to the units of each layer.

.. image:: gradients.png
   :alt: Norms, ratios and dead units of four layers over eighty steps
"""

FIRST = """\
<!DOCTYPE html><meta charset="utf-8"><title>wengert</title>
<meta http-equiv="refresh" content="0; url={0}.html">
<a href="{0}.html">wengert: documentation</a>
"""
"""What lies where a server looks first."""


def perceptron() -> wg.viz.Graph:
    """The graph of a small network's loss."""
    model = wg.nn.Sequential(wg.nn.Linear(64, 32), wg.nn.ReLU(), wg.nn.Linear(32, 10))
    loss = wg.nn.functional.cross_entropy(model(wg.ones(8, 64)), wg.zeros(8, dtype=wg.int64))
    return wg.viz.graph(loss, model)


def plots(pages: Iterable[Page]) -> str:
    """The plots of the pages whose cells were run."""
    return "".join(
        PLOT.format(file=file, title=title, page=page.name, target=f"../../{page.name}.html")
        for page in pages
        for file, title in page.pictures
    )


def make(folder: Path, root: str, pages: Iterable[Page]) -> None:
    """Write the page, what it shows, and where a reader comes first.

    Args:
        folder: for the page and the pictures; what the site takes as it is lies in `whole`.
        root: the page on which the site begins, without suffix.
        pages: the pages whose plots it shows.
    """
    whole = folder / "whole"
    whole.mkdir(parents=True, exist_ok=True)
    (folder / "gallery.rst").write_text(HEAD + plots(pages) + TOOLS, encoding="utf-8")
    (whole / "index.html").write_text(FIRST.format(root), encoding="utf-8")
    perceptron().save(folder / "graph.svg")
    graph, profile = training_step()
    graph.save(whole / "explorer.html")
    wg.viz.timeline(profile).save(whole / "timeline.html")
    gradient_report(folder / "gradients.png")
