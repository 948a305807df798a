"""`torch.fx.GraphModule`: a module whose `forward` is generated from a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wengert._core.tensor.base import Tensor
from wengert.nn import Module, Parameter

from .code import PythonCode
from .graph import Graph
from .wrapping import forget

__all__ = ["GraphModule"]

COUNT = itertools.count()
IMPLEMENTATION = "GraphModuleImpl"


class GraphModule(Module):
    """A module whose `forward` is generated from a graph.

    Every instance is of a class of its own, a subclass of this one, which has its `forward`.

    Args:
        root: the module that has the attributes and modules that the graph names, or a dict of them by their paths.
        graph: the graph.
        class_name: the name of the class.

    Raises:
        RuntimeError: if `root` is neither, or a dict without something that the graph names.
    """

    _graph: Graph
    _code: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """An instance of a new class."""
        plain = next(base for base in cls.__mro__ if base.__qualname__.rpartition(".")[2] != IMPLEMENTATION)
        derived = type(IMPLEMENTATION, (plain,), {"__module__": plain.__module__, "__doc__": plain.__doc__})
        derived.__qualname__ = f"GraphModule.__new__.<locals>.{IMPLEMENTATION}"
        return super().__new__(derived)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        self.__class__.__name__ = class_name
        super().__init__()
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            for path in sorted(targets(root, graph), key=lambda path_text: path_text.count(".")):
                assign_attr(root[path], self, path)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self._set_up(graph)

    def _set_up(self, graph: Graph) -> None:
        """Set the graph, without hooks on its changes."""
        self.graph = graph
        self.meta: dict[str, Any] = {}
        self._tracer_cls = graph._tracer_cls
        self._replace_hooks: list[Callable[..., object]] = []
        self._create_node_hooks: list[Callable[..., object]] = []
        self._erase_node_hooks: list[Callable[..., object]] = []
        self._deepcopy_hooks: list[Callable[..., object]] = []

    # ---- code --------------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph; one that is assigned makes the code anew."""
        return self._graph

    @graph.setter
    def graph(self, graph: Graph) -> None:
        assert hasattr(graph, "nodes"), f"Expected a Graph instance, but got {type(graph)}"
        self._graph = graph
        graph.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The generated code of `forward`.

        Raises:
            RuntimeError: if no code was generated yet.
        """
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Make the code again, after a change of the graph."""
        code = self._graph.python_code(root_module="self")
        self._code = code.src
        type(self).forward = compiled(code)  # type: ignore[method-assign]
        return code

    def _recompile_submodules(self) -> list[tuple[str, PythonCode]]:
        """Make the code of all modules of this kind inside again."""
        return [(name, module.recompile()) for name, module in self.named_children() if isinstance(module, GraphModule)]

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        **options: Any,
    ) -> str:
        """The code as a class, with those of the modules of this kind inside.

        Args:
            print_output: whether to print it, too.
            include_stride, include_device, colored, options: what torch shows of tensors beside; there is nothing of
                it here.
        """
        text = readable(self, self._get_name())
        if print_output:
            print(text)
        return text

    def to_folder(self, folder: Any, module_name: str = "FxModule") -> None:
        """Write the code, as a package, into a folder.

        Raises:
            NotImplementedError: if the graph has attributes or modules, which would have to be written with it.
        """
        if self.state_dict() or next(self.children(), None) is not None:
            raise NotImplementedError(f"to_folder(): {module_name} has parameters or modules: save its state_dict")
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, "__init__.py").write_text("from .module import *\n")
        lines = ["import torch", "", f"class {module_name}(torch.nn.Module):"]
        body = "\n".join(f"    {line}" if line.strip() else "" for line in self.code.strip().splitlines())
        Path(folder, "module.py").write_text("\n".join([*lines, body, ""]))

    def __str__(self) -> str:
        if "_code" not in self.__dict__:
            return super().__str__()
        note = "# To see more debug info, please use `graph_module.print_readable()`"
        return f"{super().__repr__()}\n{self._code}\n{note}"

    # ---- modules -----------------------------------------------------------------------------------------------------

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module at a path, making modules on the way.

        Returns:
            Whether it was added: all parts of the path must be modules.
        """
        *way, name = target.split(".")
        outer: Module = self
        for part in way:
            inner = getattr(outer, part, None)
            if inner is None:
                inner = Module()
                setattr(outer, part, inner)
            if not isinstance(inner, Module):
                return False
            outer = inner
        outer.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take out the module at a path.

        Returns:
            Whether there was one.
        """
        *way, name = target.split(".")
        outer: Any = self
        for part in (*way, name):
            inner = getattr(outer, part, None)
            if not isinstance(inner, Module):
                return False
            outer, before = inner, outer
        delattr(before, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node uses."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                names = node.target.split(".")
                used.update(".".join(names[:count]) for count in range(1, len(names) + 1))
                if node.op == "call_module" and has_attr(self, node.target):
                    called = self.get_submodule(node.target)
                    used.update(f"{node.target}.{inner}" for inner, _ in called.named_modules())
        for path in [path for path, _ in self.named_modules() if path and path not in used]:
            self.delete_submodule(path)

    # ---- copies ------------------------------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        result = plain_class(type(self)).__new__(plain_class(type(self)))
        memo[id(self)] = result
        type(result).__name__ = type(self).__name__
        Module.__init__(result)
        fields = {name: value for name, value in self.__dict__.items() if name not in SKIPPED}
        result.__dict__.update(copy.deepcopy(fields, memo))
        result._set_up(copy.deepcopy(self._graph, memo))
        result.meta = copy.copy(self.meta)
        for name in ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks"):
            setattr(result, name, list(getattr(self, name)))
        for hook in self._deepcopy_hooks:
            hook(result)
        return result

    def __copy__(self) -> GraphModule:
        result = plain_class(type(self)).__new__(plain_class(type(self)))
        type(result).__name__ = type(self).__name__
        Module.__init__(result)
        fields = {name: value for name, value in self.__dict__.items() if name not in SKIPPED}
        for name in ("_parameters", "_buffers", "_modules"):
            fields[name] = fields[name].copy()
        result.__dict__.update(fields)
        result._set_up(self._graph)
        result.meta = copy.copy(self.meta)
        return result

    def __reduce__(self) -> Any:
        """Pickle the class, the graph and the attributes; the code is generated again from the graph."""
        fields = {name: value for name, value in self.__dict__.items() if name not in SKIPPED}
        return restored, (plain_class(type(self)), type(self).__name__, fields, self._graph)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    # ---- hooks -------------------------------------------------------------------------------------------------------

    @contextmanager
    def _set_replace_hook(self, f: Callable[..., object]) -> Iterator[None]:
        """Call a function for each argument that is replaced inside."""
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)

    def _register_replace_node_hook(self, f: Callable[..., object]) -> None:
        """Call a function for each argument that is replaced."""
        self._replace_hooks.append(f)

    def _unregister_replace_node_hook(self, f: Callable[..., object]) -> None:
        """Call it no more."""
        self._replace_hooks.remove(f)

    def _register_create_node_hook(self, f: Callable[..., object]) -> None:
        """Call a function for each new node."""
        self._create_node_hooks.append(f)

    def _unregister_create_node_hook(self, f: Callable[..., object]) -> None:
        """Call it no more."""
        self._create_node_hooks.remove(f)

    def _register_erase_node_hook(self, f: Callable[..., object]) -> None:
        """Call a function for each node that is taken out."""
        self._erase_node_hooks.append(f)

    def _unregister_erase_node_hook(self, f: Callable[..., object]) -> None:
        """Call it no more."""
        self._erase_node_hooks.remove(f)

    def _register_deepcopy_hook(self, f: Callable[..., object]) -> None:
        """Call a function for each deep copy."""
        self._deepcopy_hooks.append(f)

    def _unregister_deepcopy_hook(self, f: Callable[..., object]) -> None:
        """Call it no more."""
        self._deepcopy_hooks.remove(f)


SKIPPED = frozenset(
    """
    _graph _code _tracer_cls meta _replace_hooks _create_node_hooks _erase_node_hooks _deepcopy_hooks
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Attributes that copies create anew."""


class CodeOnly(Module):
    """A module with given attributes, from which copies take theirs.

    Args:
        body: the attributes.
    """

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def plain_class(kind: type) -> Any:
    """Return the base of the class of a single instance."""
    return next(base for base in kind.__mro__ if base.__qualname__.rpartition(".")[2] != IMPLEMENTATION)


def restored(kind: Any, name: str, fields: dict[str, Any], graph: Graph) -> GraphModule:
    """Return a module from the result of its `__reduce__`."""
    result: GraphModule = kind.__new__(kind)
    type(result).__name__ = name
    Module.__init__(result)
    result.__dict__.update(fields)
    result._set_up(graph)
    return result


# ---- code ------------------------------------------------------------------------------------------------------------


def compiled(code: PythonCode) -> Any:
    """The function of a graph's code, whose lines tracebacks show."""
    name = f"<eval_with_key>.{next(COUNT)}"
    space = dict(code.globals)
    exec(compile(code.src, name, "exec"), space)  # code that is generated here from a graph
    forget(space)
    function = space["forward"]
    linecache.cache[name] = (len(code.src), None, code.src.splitlines(keepends=True), name)
    weakref.finalize(function.__code__, linecache.cache.pop, name, None).atexit = False
    return function


def readable(module: GraphModule, name: str) -> str:
    """The code of a module as a class, with those of its modules of this kind."""
    source = module._graph.python_code(root_module="self", verbose=True).src.strip("\n ")
    text = f"class {name}(torch.nn.Module):\n{indented(source)}\n"
    for child, inner in module.named_children():
        if isinstance(inner, GraphModule):
            text += f"\n{indented(readable(inner, child))}"
    return text


def indented(text: str) -> str:
    """Lines further to the right; empty ones stay empty."""
    return "\n".join(f"    {line}" if line.strip() else line for line in text.split("\n"))


# ---- attributes ------------------------------------------------------------------------------------------------------


def targets(root: dict[str, Any], graph: Graph) -> list[str]:
    """Return the paths of the attributes and modules of a graph.

    Raises:
        RuntimeError: if the dict has not all of them.
    """
    names = []
    for node in graph.nodes:
        if node.op in ("get_attr", "call_module"):
            if node.target not in root:
                raise RuntimeError(
                    f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                )
            names.append(node.target)
    return names


def place_of(root: Module, path: str, *, make: bool) -> tuple[Any, str]:
    """Return the module that owns the last name of a path, and that name; optionally create modules on the way."""
    *way, name = path.split(".")
    owner: Any = root
    for part in way:
        inner = getattr(owner, part, None)
        if inner is None and make:
            inner = Module()
            setattr(owner, part, inner)
        elif inner is None:
            inner = getattr(owner, part)
        owner = inner
    return owner, name


def copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Copy the attribute of a module at a path to another module, unless both share the modules on the way."""
    source: Any = from_module
    to: Any = to_module
    *way, name = target.split(".")
    for part in way:
        inner, present = getattr(source, part), getattr(to, part, None)
        if inner is present:
            return
        if present is None:
            present = Module()
            setattr(to, part, present)
        source, to = inner, present
    put(to, name, getattr(source, name))


def assign_attr(from_obj: Any, to_module: Module, target: str) -> None:
    """Put a value at a path of a module."""
    put(*place_of(to_module, target, make=True), from_obj)


def put(module: Module, name: str, value: Any) -> None:
    """Set an attribute of a module; a tensor that is not a parameter becomes a buffer."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def get_attr(model: Module, attr_name: str) -> Any:
    """Return the attribute of a module at a path."""
    value: Any = model
    for name in attr_name.split("."):
        value = getattr(value, name)
    return value


def has_attr(model: Module, attr_name: str) -> bool:
    """Return whether a module has an attribute at a path."""
    try:
        get_attr(model, attr_name)
    except AttributeError:
        return False
    return True


def del_attr(model: Module, attr_name: str) -> None:
    """Delete the attribute of a module at a path."""
    delattr(*place_of(model, attr_name, make=False))


_CodeOnlyModule = CodeOnly
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
"""Key in `meta` of the names of attributes that copies keep."""
_copy_attr, _assign_attr, _get_attr, _has_attr, _del_attr = copy_attr, assign_attr, get_attr, has_attr, del_attr
