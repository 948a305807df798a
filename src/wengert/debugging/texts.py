"""Texts of explanations: for each reason the cause and the advice."""

from __future__ import annotations

WHAT = {
    "detach": "{name} took it out of the graph",
    "data": "`.data` took its values out of the graph",
    "item": "its values went through {name}, as plain numbers, which have no history",
    "numpy": "its values went through {name}, as NumPy arrays, which have no history",
    "requires_grad_": "its requires_grad was set to False",
    "no_grad": "{name} was called with recording off (no_grad, set_grad_enabled(False))",
    "inference_mode": "{name} was called in inference mode, or on inference tensors",
    "backward": "it was computed by a backward pass that was not itself recorded",
    "volatile": "{name} was called with a volatile tensor",
    "dtype": "{name} returned a result of dtype {dtype}: only floating-point and complex tensors have gradients",
    "no_derivative": "{name} has no derivative{why}",
    "argument": "{name} has no derivative for the argument that requires a gradient, or for this result",
    "mark_non_differentiable": "the custom Function {name} marked this output with mark_non_differentiable",
}
"""Texts of cuts, by reason."""

ADVICE = {
    "detach": "Leave it out where a gradient is needed.",
    "data": "Use the tensor itself; to write without recording use no_grad().",
    "item": "Compute with the tensor itself; convert only what is printed or logged.",
    "numpy": "Use tensor operations, or wrap the NumPy code in an autograd.Function with a backward of its own.",
    "requires_grad_": "Leave it True, or set it again before the computation: requires_grad_().",
    "no_grad": "Move the call out of the block, or into enable_grad().",
    "inference_mode": "Compute outside inference_mode; clone() turns an inference tensor into a normal one.",
    "backward": "Pass create_graph=True to differentiate gradients again.",
    "volatile": "Compute from tensors none of which is volatile.",
    "dtype": "Keep it floating-point as long as gradients are needed.",
    "no_derivative": "Use a differentiable operator instead (a soft one, such as softmax or sigmoid).",
    "argument": "Only the operator's differentiable arguments pass gradients on; see its documentation.",
    "mark_non_differentiable": "Remove the mark, and return a gradient for it in backward.",
    "leaf": "If its gradient is needed: call tensor.requires_grad_() before it is used.",
    "inputs": "Call requires_grad_() on the input whose gradient is needed, before this computation.",
    "unknown": "If its gradient is needed: call tensor.requires_grad_() before it is used.",
    "not_a_leaf": "Call retain_grad() on it before backward(), or use autograd.grad(loss, tensor).",
    "no_backward": "Call backward() on what was computed from it.",
    "not_used": "Pass the loss as second argument, wg.explain(tensor, loss), to see where the path to it ends.",
    "cleared": "Read the gradient before it is cleared, or call backward() again.",
    "nothing": "Return a gradient for this input from the backward of the custom Function.",
}
"""Advice, by the reason of an explanation."""

LEARN = (
    "To learn the line: call wengert.set_debug(lines=True) before the computation, or run "
    "`python -m wengert.explain script.py`."
)
