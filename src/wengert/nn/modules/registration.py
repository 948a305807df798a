"""Parameters, buffers and child modules of a module, registered when they are assigned to attributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..._tensor import Tensor
from ..._tensor.attributes import HookDict
from ..parameter import Buffer, Parameter
from . import global_hooks
from .hook_table import HookTable, Marks


def type_name(value: object) -> str:
    """Name of the type of `value` in error messages: `torch.FloatTensor`, `int`, `package.Class`."""
    if isinstance(value, Tensor):
        return str(value.type())
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def check_name(kind: str, name: Any) -> None:
    """Refuse names that cannot be part of the dotted names of a state dict.

    Raises:
        TypeError: if `name` is not a string.
        KeyError: if `name` is empty or contains a dot.
    """
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {type_name(name)}")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
    if not name:
        raise KeyError(f'{kind} name can\'t be empty string ""')


class Registration:
    """The part of `Module` that holds parameters, buffers and children in dictionaries and finds them as attributes."""

    call_super_init: bool = False
    dump_patches: bool = False  # an attribute of early torch, not read here
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args and not self.call_super_init:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        called: Marks = {}  # of all four tables: while it is empty, a call runs `forward` at once
        with_kwargs: Marks = {}
        always_called: Marks = {}
        before_with_kwargs: Marks = {}
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _call_hooks=called,
            _backward_pre_hooks=HookTable(called),
            _backward_hooks=HookTable(called),
            _is_full_backward_hook=None,
            _forward_hooks=HookTable(called, with_kwargs, always_called),
            _forward_hooks_with_kwargs=with_kwargs,
            _forward_hooks_always_called=always_called,
            _forward_pre_hooks=HookTable(called, before_with_kwargs),
            _forward_pre_hooks_with_kwargs=before_with_kwargs,
            _state_dict_hooks=HookDict(),
            _state_dict_pre_hooks=HookDict(),
            _load_state_dict_pre_hooks=HookDict(),
            _load_state_dict_post_hooks=HookDict(),
            _modules={},
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of a copy or a pickle; subclasses add attributes that their older versions lacked."""
        self.__dict__.update(state)

    # ---- registration by name ----------------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not a parameter, but part of the module's state.

        Args:
            name: name of the attribute.
            tensor: the buffer; None registers the name without a value, outside the state dict.
            persistent: whether it is part of the state dict.

        Raises:
            KeyError: if the name is empty, has a dot, or is taken.
            TypeError: if `tensor` is neither a tensor nor None.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        check_name("buffer", name)
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = global_hooks.registered(global_hooks.BUFFER_REGISTRATION, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter.

        Args:
            name: name of the attribute.
            param: the parameter; None registers the name without a value.

        Raises:
            KeyError: if the name is empty, has a dot, or is taken.
            TypeError: if `param` is neither a parameter nor None.
            ValueError: if `param` is not a leaf.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        check_name("parameter", name)
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        if param is not None:
            param = global_hooks.registered(global_hooks.PARAMETER_REGISTRATION, self, name, param)
        self._parameters[name] = param

    def add_module(self, name: str, module: Any) -> None:
        """Add a child module.

        Args:
            name: name of the attribute.
            module: the child; None registers the name without a value.

        Raises:
            TypeError: if `module` is neither a module nor None.
            KeyError: if the name is empty, has a dot, or is taken.
        """
        if module is not None and not isinstance(module, Registration):
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {type_name(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        check_name("module", name)
        self._modules[name] = global_hooks.registered(global_hooks.MODULE_REGISTRATION, self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    # ---- attributes --------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        for kind in ("_parameters", "_buffers", "_modules"):
            if kind in fields and name in fields[kind]:
                return fields[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        if not isinstance(value, REGISTERED):
            self._set_plain(name, value)
        elif isinstance(value, Parameter):
            if "_parameters" not in fields:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, keep="_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Registration):
            if "_modules" not in fields:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, keep="_modules")
            self._modules[name] = global_hooks.registered(global_hooks.MODULE_REGISTRATION, self, name, value)
        elif isinstance(value, Buffer) and "_buffers" in fields:
            self._forget(name, keep="_buffers")
            self.register_buffer(name, value, value.persistent)
        else:
            self._set_plain(name, value)

    def _set_plain(self, name: str, value: Any) -> None:
        """Assign a value that is not a parameter or module; a registered name takes only None (or a new buffer)."""
        fields = self.__dict__
        if name in fields.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self._parameters[name] = None
        elif name in fields.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._modules[name] = global_hooks.registered(global_hooks.MODULE_REGISTRATION, self, name, None)
        elif name in fields.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            self._buffers[name] = global_hooks.registered(global_hooks.BUFFER_REGISTRATION, self, name, value)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, *, keep: str) -> None:
        """Remove a name from all dictionaries except `keep`."""
        self.__dict__.pop(name, None)
        for kind in ("_parameters", "_buffers", "_modules"):
            if kind != keep:
                self.__dict__[kind].pop(name, None)
        if keep != "_buffers":
            self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(kind, ()):
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        if name not in self.__dict__ and not hasattr(type(self), name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        object.__delattr__(self, name)

    def __dir__(self) -> Iterable[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[:1].isdigit())

    # ---- lookup by dotted name ---------------------------------------------------------------------------------------

    def get_submodule(self, target: str) -> Any:
        """Return the module below this one with the dotted name `target`; this module if `target` is empty.

        Raises:
            AttributeError: if there is no attribute of that name, or a part of the path is not a module.
        """
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Registration):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any) -> None:
        """Replace the module with the dotted name `target`.

        Raises:
            ValueError: if the name is empty, or `module` is not a module.
            AttributeError: if a part of the path is not a module.
        """
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Registration):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Registration):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _owner(self, target: str) -> tuple[Any, str]:
        """Return the module that has an attribute with the dotted name `target`, and the attribute's own name.

        Raises:
            AttributeError: if there is no attribute of that name.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return module, name

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter with the dotted name `target`.

        Raises:
            AttributeError: if there is no parameter of that name.
        """
        module, name = self._owner(target)
        value = getattr(module, name)
        if not isinstance(value, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return value

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with the dotted name `target`.

        Raises:
            AttributeError: if there is no buffer of that name.
        """
        module, name = self._owner(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]


REGISTERED = (Tensor, Registration)
"""What `__setattr__` may register; a union would be made in each call."""
