"""Error texts about custom Functions; see `errors`."""

from __future__ import annotations

SAVED_READ_TWICE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. "
    "Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
SAVE = "save_for_backward can only save variables, but"
MARK_DIRTY = "mark_dirty can only accept variables, but"
MARK_FIXED = "mark_non_differentiable only accepts variable arguments, but"
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
DIRTY_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
DIRTY_VIEW_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations)."
)
ONCE_DIFFERENTIABLE = "trying to differentiate twice a function that was marked with @once_differentiable"
LEAF_WRITTEN = (
    "a leaf Variable that requires grad has been used in an in-place operation. Call the Function under no_grad(), or "
    "with a clone() of the leaf."
)
LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
    "with static forward method: decorate forward and backward with @staticmethod, let them take ctx as their first "
    "argument, and call the Function by its class: {}.apply(...)."
)
NO_FORWARD = "You must implement the forward function for custom autograd.Function."
NO_SETUP_CONTEXT = "setup_context is not implemented."
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
NO_VMAP = (
    "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
)
EXTENDING = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"

NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod. {EXTENDING}"
)


def no_vmap(name: str) -> str:
    """A Function cannot be run for a batch."""
    return (
        f"You tried to vmap over {name}, but it does not have vmap support. Please override and implement the vmap "
        f"staticmethod or set generate_vmap_rule=True. {EXTENDING}"
    )


def vmap_twice(name: str) -> str:
    """A Function defines its `vmap` in two ways."""
    return (
        f"You tried to vmap over {name}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. "
        "Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. "
        f"{EXTENDING}"
    )


def vmap_keywords(name: str) -> str:
    """A Function was called with arguments by keyword only, which `vmap` does not take."""
    return f"{name}: within vmap, arguments of a Function are given by position, not by keyword only."


def vmap_returned(value: object) -> str:
    """The `vmap` of a Function did not return a pair."""
    return (
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible "
        f"with the output. Got a {type(value)} instead"
    )


def vmap_dims(dims: object, structure: object, wanted: object) -> str:
    """The `vmap` of a Function returned dimensions that are not those of its outputs."""
    return (
        "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
        f"out_dims={dims} to be compatible with the structure of `output`. out_dims has structure {structure} but "
        f"output has structure {wanted}. {EXTENDING}"
    )


BACKWARD_AND_VJP = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
    "them."
)
SHARED_STORAGE = (
    "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that calls to "
    "`set_()` are not tracked"
)
SAVE_FOR_FORWARD = (
    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
)


def no_gradient(name: str, value: object) -> str:
    """`backward` returned something else than tensors and None."""
    return f"expected Variable or None (got {type(value).__name__}) from the backward of {name}"


def gradient_of_no_tensor(name: str, position: int) -> str:
    """`backward` returned a gradient for an argument that is not a tensor."""
    return (
        f"function {name} returned a gradient different than None at position {position}, but the corresponding "
        "forward input was not a Variable"
    )


def complex_gradient(name: str, index: int) -> str:
    """`backward` returned a complex gradient for a real tensor."""
    return f"Function {name} returned a complex gradient at index {index} for an input that is real: return its .real"


def no_tensor(only: str, at: int, value: object) -> str:
    """A method of `ctx` received other values than tensors."""
    return f"{only} argument {at} is of type {type(value).__name__}"


def no_tuple(name: str, value: object) -> str:
    """An attribute of `ctx` was assigned rather than set by its method."""
    return f"autograd internal error: {name} attribute is expected to be a tuple but is {type(value).__name__}"


def keyword_requires_grad(name: str, argument: str) -> str:
    """A tensor that requires a gradient is passed as a keyword, for which `backward` cannot return one."""
    return (
        f"{name}.apply(): the keyword-only argument '{argument}' is a tensor that requires grad, but backward returns "
        "gradients for positional arguments only. Let forward take it by position."
    )


def instantiated(cls: type) -> str:
    """A Function was called as a class rather than by `apply`."""
    return (
        f"{cls} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on "
        "the class itself. Instantiating an autograd function will raise an error in a future version."
    )


def wrong_flag(method: str, value: object) -> str:
    """A method of `ctx` takes a bool."""
    return f"{method} received an invalid combination of arguments - got ({type(value).__name__}), but expected (bool)"


def of_argument(text: str, names: list[str], at: int) -> str:
    """An error about the gradient of one argument of `forward`, with its name if it has one."""
    return f"{text} (the gradient of {names[at]!r})" if at < len(names) else text


def of_arguments(text: str, names: list[str]) -> str:
    """An error about the gradients of all arguments of `forward`."""
    return f"{text}: one, or None, for each argument of forward ({', '.join(names)})" if names else text


TANGENT_NOT_WRITTEN = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
TANGENT_NO_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
)


def tangent_count(expected: int, count: int) -> str:
    """`jvp` returned too many or too few tangents."""
    return f"Function's jvp returned an invalid number of forward gradients (expected {expected} but got {count})"


def no_tangent(nr: int, value: object) -> str:
    """`jvp` returned other values than tensors and None."""
    return f"expected Variable or None (got {type(value).__name__}) for grad output {nr}."


def tangent_of_fixed(nr: int) -> str:
    """`jvp` returned a tangent of an output that has none."""
    return (
        f"Function's jvp returned a gradient at position {nr}, but the corresponding forward output is not a "
        "differentiable Tensor. You should return None at that position instead."
    )
