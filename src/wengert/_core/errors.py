"""Error texts of the core, in one place.

A text names the operator, the values that came, those that were wanted and the remedy, and keeps the phrases that
torch's users search for.
"""

from __future__ import annotations

from typing import Any

from .types.dtypes import dtype, from_numpy

REQUIRES_GRAD_DTYPE = "only Tensors of floating point and complex dtype can require gradients"
FACTORY_REQUIRES_GRAD = "Only Tensors of floating point and complex dtype can require gradients"
INFERENCE_REQUIRES_GRAD = (
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. "
    "Make a normal tensor of it first: tensor.clone()."
)
INFERENCE_VERSION = "Inference tensors do not track version counter."
VOLATILE_REQUIRES_GRAD = "Variable can't be volatile and require_grad at the same time!"
VOLATILE_OF_NON_LEAF = (
    "you can only change volatile flags of leaf variables. Make a leaf of it first: variable.detach()."
)
VOLATILE_DEPRECATED = (
    "volatile is how the first generation of the API left out history: it may be removed. Use `with torch.no_grad():` "
    "instead."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
INFERENCE_IN_PLACE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update."
)
GRAD_OF_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead."
)
LEAF_IN_PLACE = (
    "a leaf Variable that requires grad is being used in an in-place operation. Write to it under no_grad(), or to a "
    "clone() of it."
)
LEAF_MOVED = (
    "leaf variable has been moved into the graph interior: a recorded operation has written to it since it was used. "
    "Write to it under no_grad(), or to a clone() of it."
)
VIEW_OF_LEAF_IN_PLACE = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation. Write to it under no_grad(), "
    "or take the view of a clone() of the leaf."
)
OVERLAP_IN_PLACE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)
PARTIAL_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
POSITIVE_BOOL = "The `+` operator, on a bool tensor is not supported."
UNKNOWN_EDGE = (
    "grad can be implicitly created only for scalar outputs, and nothing is known of the shape of this GradientEdge. "
    "Give its grad_outputs."
)
GRAD_NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
CREATE_GRAPH = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
PACK_HOOK_WRITES = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Let the hook work on a clone() of "
    "its input."
)
CUSTOM_VIEW = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
HOOKS_NOT_ENTERED = (
    "saved_tensors_hooks was left, but none is in force: what is entered within a hook or a node of a backward pass "
    "ends with it."
)
HOOKS_TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)
HOOKS_AFTER_FREE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)
MODE_VIEW = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
MEMORY_REPLACED = (
    "A view and its base no longer share memory: one of them was given other memory (by `.data = ...`, set_(), "
    "resize_() or out=) after the view was taken. Take the view again."
)
DETACHED_SINCE_SAVED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This is not supported, please "
    "use out-of-place `.detach()` instead."
)
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead, which returns a tensor of its own on the same memory, or call "
    "detach_() on the base."
)
SEVERAL_VIEWS = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)


TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded", "iterator is too large")
"""NumPy's error for an array that has too many bytes for an address."""


def is_too_large(error: ValueError) -> bool:
    """Return whether NumPy has refused an array for its size."""
    return str(error).startswith(TOO_LARGE)


def too_large(name: str, error: ValueError) -> str:
    """A result that has too many bytes for an address."""
    return f"{name}: Storage size calculation overflowed: {error}"


def requires_grad_of_non_leaf(wanted: bool) -> str:
    """`requires_grad` was assigned on a recorded result."""
    text = "you can only change requires_grad flags of leaf variables."
    if not wanted:
        text += (
            " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach()."
        )
    return text


def no_history(at: int, volatile: bool) -> str:
    """A backward pass from a tensor that nothing was recorded for, perhaps since an input was volatile."""
    repair = "Set requires_grad=True on an input of the computation, and compute with recording on."
    if volatile:
        repair = "It is volatile: compute it from inputs none of which is volatile."
    return f"element {at} of tensors does not require grad and does not have a grad_fn. {repair}"


def unused(at: int) -> str:
    """A gradient was requested with respect to an input that the outputs do not depend on."""
    return (
        f"The differentiated Tensor at index {at} appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior."
    )


def inputs_no_dict(function: str, inputs: Any) -> str:
    """A mapping of inputs that is not a dictionary."""
    return (
        f"`inputs` argument to `{function}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are not "
        "supported."
    )


def ambiguous_truth(size: int) -> str:
    """`bool()` of a tensor that does not have exactly one element."""
    if size == 0:
        return "Boolean value of Tensor with no values is ambiguous"
    return "Boolean value of Tensor with more than one value is ambiguous"


def unwritable_view(nr: int, name: str, kind: str, direct: bool) -> str:
    """A write to a view that may not be written to, or to its base.

    Args:
        nr, name: the output and the node that the view comes from; an empty name if it has none.
        kind: the origin of the view: "several" ("split", "unbind" ...), "custom", "no_grad" or "inference".
        direct: the write is to the view itself.
    """
    mode = "inference mode" if kind == "inference" else "no_grad mode"
    reason = {"several": SEVERAL_VIEWS, "custom": CUSTOM_VIEW}.get(kind, "")
    now = " in normal mode" if kind == "inference" else " with grad mode enabled"
    origin = f"A view was created in {mode}"
    if name:
        origin = f"Output {nr} of {operation_name(name)} is a view"
        if reason:
            now = ""
        else:
            origin += f" of a view which was created in {mode}"
    written = "is being" if direct else "its base or another view of its base has been"
    block = "inference_mode" if kind == "inference" else "no_grad"
    return f"{origin} and {written} modified inplace{now}. {reason or MODE_VIEW.format(block)}"


def operation_name(node_name: str) -> str:
    """`MulBackward0` -> `Mul`; names of another form stay as they are."""
    name, _, number = node_name.rpartition("Backward")
    return name if name and (not number or number.isdigit()) else node_name


def not_differentiable(function: str, argument: str) -> str:
    """A tensor with respect to which a function has no derivative requires a gradient."""
    return (
        f"The function '{function}' is not differentiable with respect to argument '{argument}'. "
        "This input cannot have requires_grad True."
    )


def function_name(node_name: str) -> str:
    """`NativeBatchNormBackward0` -> `native_batch_norm`."""
    words = "".join([f"_{letter.lower()}" if letter.isupper() else letter for letter in operation_name(node_name)])
    return words.lstrip("_")


def type_name(array: Any) -> str:
    """The type of a tensor as torch's errors name it, such as `torch.FloatTensor`."""
    return f"torch.{from_numpy(array.dtype).legacy}"


def shown(shape: Any) -> str:
    """A shape as errors print it: `[2, 3]`."""
    return f"[{', '.join(map(str, shape))}]"


ANOMALY_OFF = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
ANOMALY_ON = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later."
)


def modified_in_place(array: Any, origin: str, now: int, saved: int, saver: str, written: str, watched: bool) -> str:
    """A saved tensor was written to before the backward pass read it.

    Args:
        origin: the call that it is a result of.
        saver: the node that saved it.
        written: what is known of the write.
        watched: anomaly detection is on.
    """
    where = f", which is {origin}," if origin else ""
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{type_name(array)} {shown(array.shape)}]{where} is at version {now}; expected version {saved} instead. It "
        f"was saved by {saver}. {written}Write to a clone() of it, or use the out-of-place form of the operation. "
        f"Hint: {ANOMALY_ON if watched else ANOMALY_OFF}"
    )


def write_since(version: int, operation: str, line: str, saved: int) -> str:
    """The first known write since a tensor was saved at version `saved`."""
    first = "The first write since" if version == saved + 1 else f"The write that made version {version}"
    return f"{first} was {operation} ({line}). "


def detected(name: str, traceback: str) -> str:
    """The backward step of a node failed."""
    return f"Error detected in {name}. {forward_call(traceback, 'caused the error')}"


def about_node(name: str, recorded: Any, traceback: str, freed: Any, twice: bool) -> str:
    """Note on the node that an error of a backward pass comes from.

    Args:
        recorded, freed: lines where the node was created, and of the pass that freed its saved values; None if unknown.
        traceback: the traceback of the former, or empty.
        twice: its saved values were gone.
    """
    text = (
        f"The error comes from {name}." if recorded is None else f"The error comes from {name}, recorded at {recorded}."
    )
    if freed is not None:
        text += f"\nWhat it had saved was freed by the backward pass at {freed}."
    if twice and (recorded is None or freed is None):
        text += (
            "\nwengert.set_debug(lines=True), called before the forward pass, lets this error name the line that "
            "recorded it and the call that freed it."
        )
    return f"{text}\nTraceback of the forward call that made it:\n{traceback}" if traceback else text


def induced(name: str, traceback: str) -> str:
    """The node that failed was created by the backward step of another."""
    return (
        f"\n\nPrevious calculation was induced by {name}. {forward_call(traceback, 'induced the previous calculation')}"
    )


def forward_call(traceback: str, effect: str) -> str:
    """The place where a node was created, if known."""
    if traceback:
        return f"Traceback of forward call that {effect}:\n{traceback}"
    return "No forward pass information available. Enable detect anomaly during forward pass for more information."


def bad_values(name: str, values: str, index: int) -> str:
    """A backward step returned NaN or infinities."""
    return f"Function '{name}' returned {values} values in its {index}th output."


def bad_gradient(name: str, index: int, grad: Any, wanted: Any) -> str:
    """A rule returned a gradient of a wrong shape."""
    return (
        f"Function {name} returned an invalid gradient at index {index} - got {shown(grad)} but expected shape "
        f"compatible with {shown(wanted)}"
    )


def uncallable_hook(function: str, hook: object) -> str:
    """A hook for saved tensors cannot be called."""
    return (
        f"{function}(): incompatible function arguments: pack_hook and unpack_hook must be callable, but got "
        f"{type(hook).__name__}"
    )


def not_unpacked(value: Any) -> str:
    """An unpack hook did not return a tensor."""
    return f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(value).__name__}"


def wrong_count(name: str, count: int, wanted: int) -> str:
    """A rule returned a wrong number of gradients."""
    return f"function {name} returned an incorrect number of gradients (expected {wanted}, got {count})"


def uncastable(result: dtype, target: dtype) -> str:
    """An in-place operation whose result does not fit into its target."""
    return f"result type {result.legacy[:-6]} can't be cast to the desired output type {target.legacy[:-6]}"


KERNELS: dict[str, str] = {}
"""torch's names of kernels, by operator, where these are not called after it: what cards say by `kernel`."""
WHOLE = ("_impl", "_bounds", "_handling", "_out", "_", "Impl", "_all", "_forward_out_frame")
"""Ends of names that are those of kernels."""


def kernel_name(name: str) -> str:
    """torch's name of a kernel.

    Args:
        name: that of the operator, or of the kernel itself.
    """
    if name in KERNELS:
        return KERNELS[name]
    return name if "_cpu" in name or name.endswith(WHOLE) else f"{name.removeprefix('special_')}_cpu"


def no_kernel(name: str, element: dtype) -> str:
    """The operator does not exist for the dtype."""
    return f"\"{kernel_name(name)}\" not implemented for '{element.legacy[:-6]}'"


def resized_output(shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Warning about a tensor with elements, passed as `out`, that is resized."""
    return (
        f"An output with one or more elements was resized since it had shape {shown(shape)}, which does not match the "
        f"required output shape {shown(wanted)}. This behavior is deprecated, and in a future PyTorch release outputs "
        "will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, "
        "inplace, to zero elements with t.resize_(0)."
    )


def target_shape(target: Any, result: Any) -> str:
    """An in-place operation whose result is larger than its target."""
    return f"output with shape {shown(target)} doesn't match the broadcast shape {shown(result)}"


def public_name(argument: str) -> str:
    """The public name of a parameter: differs from the card's for the first tensor, and for keywords of Python."""
    return "input" if argument == "self" else argument.rstrip("_")


def method_of_class(name: str, args: tuple[Any, ...]) -> str:
    """A method of the class was called on something else than a tensor."""
    if not args:
        return f"unbound method TensorBase.{name}() needs an argument"
    return f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type(args[0]).__name__}' object"


def wrong_type(name: str, argument: str, position: int, wanted: str, value: object) -> str:
    """An argument of a wrong type; passed by name if the position is 0."""
    shown_name, kind = public_name(argument), type(value)
    shown = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__  # there is bool and numpy.bool
    place = f" (position {position})" if position else ""
    return f"{name}(): argument '{shown_name}'{place} must be {wanted}, not {shown}"


def wrong_element(at: int, position: int, value: object) -> str:
    """Something else than a tensor in a list of tensors."""
    return f"expected Tensor as element {at} in argument {position}, but got {type(value).__name__}"


def missing_arguments(name: str, missing: list[str]) -> str:
    """Required arguments that are missing."""
    names = ", ".join(f'"{public_name(argument)}"' for argument in missing)
    return f"{name}() missing {len(missing)} required positional arguments: {names}"


def wrong_out(name: str, wanted: str, out: Any) -> str:
    """An `out` that results cannot be written into."""
    return f"{name}(): argument 'out' must be {wanted}, not {type(out).__name__}"


def too_many_arguments(name: str, room: int, count: int) -> str:
    """More positional arguments than the operator takes."""
    plural = "" if room == 1 else "s"
    return f"{name}() takes {room} positional argument{plural} but {count} were given"


def unexpected_keyword(name: str, keyword: str) -> str:
    """A keyword that the operator does not have."""
    return f"{name}() got an unexpected keyword argument '{keyword}'"


def refuse_pickling(self: Any) -> Any:
    """`__reduce__` of objects that cannot be pickled: graphs, saved values, parts of the engine.

    Raises:
        TypeError: always; these objects belong to one process.
    """
    raise TypeError(f"cannot pickle '{type(self).__name__}' object")
