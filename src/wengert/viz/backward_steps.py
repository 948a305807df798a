"""A backward pass, step by step: each node as it runs, the gradient that arrives, and the rule that runs."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, overload

from wengert.viz.graph import Graph, Walk, check_history, named, types_of
from wengert.viz.step_data import Step, write_steps
from wengert.viz.values import Value, value_of

if TYPE_CHECKING:
    from wengert import Tensor, nn

__all__ = ["BackwardSteps", "backward_steps"]


class BackwardSteps:
    """The steps of one backward pass, in the order in which nodes ran; created by `viz.backward_steps`.

    `len`, indexing and iteration give its steps, `print` shows them as text, and a notebook shows a page on which they
    can be gone through. It holds copies of small gradients and no tensor.

    Attributes:
        graph: the graph that the pass went through.
        gradient: the gradient of the result with which it began.
        steps: all steps.
    """

    def __init__(self, graph: Graph, gradient: Value, steps: tuple[Step, ...]) -> None:
        self.graph = graph
        self.gradient = gradient
        self.steps = steps

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[index]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def to_html(self) -> str:
        """Return a self-contained page for a browser: the graph, the steps, and buttons to go through them."""
        from wengert.viz.step_page import write_steps_page

        return write_steps_page(self.graph, self.gradient, self.steps)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the steps to a file.

        Args:
            path: name of the file; its suffix selects the format: `.html` for the page, `.txt` for the text.

        Returns:
            The path that was written.

        Raises:
            ValueError: if the suffix is none of these.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in (".html", ".txt"):
            raise ValueError(
                f"BackwardSteps.save(): the suffix must be .html or .txt, but got {path.suffix!r} in {str(path)!r}"
            )
        content = self.to_html() if suffix == ".html" else f"{self}\n"
        path.write_bytes(content.encode("utf-8"))
        return path

    def _repr_html_(self) -> str:
        """Return the page in a frame, for a notebook."""
        from wengert.viz.page_text import in_frame

        return in_frame(self.to_html(), "A backward pass, step by step")

    def __str__(self) -> str:
        return write_steps(self.gradient, self.steps)

    def __repr__(self) -> str:
        return f"BackwardSteps({len(self.steps)} steps)"


def backward_steps(
    loss: "Tensor", params: "Mapping[str, Tensor] | nn.Module | None" = None, *, gradient: "Tensor | None" = None
) -> BackwardSteps:
    """Run a backward pass from `loss` and return its steps, to be read or gone through one by one.

    The pass is the engine's own, observed by hooks. It runs the hooks of the program, but changes no `.grad` and frees
    nothing.

    Args:
        loss: Tensor with a history, of any shape.
        params: names of leaves, or the model itself, as for `viz.graph`.
        gradient: gradient of `loss` with which the pass begins, of its shape; ones by default.

    Returns:
        `BackwardSteps`: `print` shows them as text, `steps[3]` is one of them, `.save("steps.html")` writes a page on
        which they can be gone through, and a notebook shows that page.

    Raises:
        TypeError: if `loss` is not a tensor, or `params` is neither a mapping nor a module.
        ValueError: if `loss` has no history: it does not require a gradient.
        RuntimeError: if the graph was freed by an earlier backward pass, `gradient` has another shape than `loss`, or a
            part of the graph refuses `autograd.grad`, such as a checkpoint with `use_reentrant=True`.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> steps = wg.viz.backward_steps((x * x).sum(), {"x": x})
    >>> [step.title for step in steps]
    ['SumBackward0', 'MulBackward0', 'x']
    >>> print(steps[2].arriving[0])
    [2] float32 [2. 4.]
    """
    from wengert.viz.recorder import Recorder

    check_history(loss, "viz.backward_steps()")
    names = {id(tensor): name for name, tensor in named(params, "viz.backward_steps()").items()}
    walk = Walk(names, types_of(params))
    graph = walk.run(loss, None, False)
    start = loss.new_ones(loss.shape) if gradient is None else gradient
    steps = Recorder(graph, walk.nodes).run(loss, start)
    return BackwardSteps(graph, value_of(start), steps)
