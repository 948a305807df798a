"""Functions of operators, and their other names: separate objects, which a `__torch_function__` can distinguish.

`torch.add` and `torch.Tensor.add` are two keys of a program's table of functions, as are `torch.mul` and
`torch.multiply`. Each is as fast as the operator: the declaration is copied, and calls need no wrapper.
"""

from __future__ import annotations

import functools
from typing import Any

from ..._start.loading import load
from .. import door
from ..calls.op import begin_calls
from ..operators.declaration import take_over
from .arguments import title_of


@functools.cache
def form_of(op: Any, name: str, module: str = "") -> Any:
    """An operator under another name, or as a function beside its method; call it when the declaration is complete.

    Args:
        op: a card, or an in-place form; anything else is returned unchanged.
        name: the `__name__` of the form.
        module: where programs find a function, by which it is pickled; "" for a method.
    """
    if not (hasattr(op, "functional") or hasattr(op, "declared_dtypes")):
        return op
    form = door.new(type(op))
    take_over(form, op)
    if hasattr(op, "functional"):  # an in-place form, which has the same name in errors
        form.name, form.functional, form.by_result = name, op.functional, op.by_result
    else:
        form.__dict__.update(op.__dict__)
        form.__name__ = form.__qualname__ = name
        form.form = (name, module)
        if module:
            form.__module__ = module
    begin_calls(form)
    return form


def function_of(name: str, module: str) -> Any:
    """Return the function of that name; called to unpickle it."""
    return getattr(load(module), name.removeprefix(f"{module.rpartition('.')[2]}_"))


def functions_of(names: dict[str, Any], module: str, *, shared: bool = False) -> dict[str, Any]:
    """The functions of a module that are operators, as its own: `special.expm1` is another one than `expm1`.

    Args:
        names: what the module has.
        module: the module.
        shared: functions that the package has, too, are the same objects, as in `nn.functional`.
    """
    functions: dict[str, Any] = {}
    for name, value in names.items():
        if hasattr(value, "declared_dtypes") and not value.form[1]:
            is_public = shared and value.name == name and value.function
            functions[name] = value.public if is_public else form_of(value, title_of(module, name), module)
    return functions
