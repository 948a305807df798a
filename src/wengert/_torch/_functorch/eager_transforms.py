"""`torch._functorch.eager_transforms`: the transforms that differentiate."""

from wengert.func import (
    debug_unwrap as debug_unwrap,
    functionalize as functionalize,
    grad as grad_impl,
    grad_and_value as grad_and_value_impl,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    linearize as linearize,
    vjp as vjp,
)

__all__ = [
    "debug_unwrap",
    "functionalize",
    "grad_and_value_impl",
    "grad_impl",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
]
