"""The pictures of the site: graphs, a timeline and a report of gradients, drawn when it is built."""

from __future__ import annotations

from pathlib import Path

import wengert as wg
from tools.make_pictures import gradient_report, training_step

TEXT = """\
Pictures
========

Drawn when this site was built. What they show and how they are made: :doc:`/docs/seeing_the_graph`,
:doc:`/docs/profiling`.

A graph
-------

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


def make(folder: Path, root: str) -> None:
    """Write the page, what it shows, and where a reader comes first.

    Args:
        folder: for the page and the pictures; what the site takes as it is lies in `whole`.
        root: the page on which the site begins, without suffix.
    """
    whole = folder / "whole"
    whole.mkdir(parents=True, exist_ok=True)
    (folder / "pictures.rst").write_text(TEXT, encoding="utf-8")
    (whole / "index.html").write_text(FIRST.format(root), encoding="utf-8")
    perceptron().save(folder / "graph.svg")
    graph, profile = training_step()
    graph.save(whole / "explorer.html")
    wg.viz.timeline(profile).save(whole / "timeline.html")
    gradient_report(folder / "gradients.png")
