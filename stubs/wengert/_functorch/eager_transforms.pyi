# Made by tools/make_stub.py; do not edit.
from wengert._torch._functorch.eager_transforms import (
    debug_unwrap as debug_unwrap,
    functionalize as functionalize,
    grad_and_value_impl as grad_and_value_impl,
    grad_impl as grad_impl,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    linearize as linearize,
    vjp as vjp,
)
