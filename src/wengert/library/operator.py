"""Operators that a program declares: a kernel that is not looked into, and what else it says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..amp.casting import is_autocast_enabled
from ..autograd import no_grad
from ..autograd.graph import increment_version
from ..ops import namespaces
from .arguments import cast, flattened, gathered, tensors_in
from .recording import function_of
from .schema import Schema

ALIASED = (
    "{}: The output of this custom operator (1) must not also be an input to this custom operator and (2) may not "
    "alias any inputs to this custom operator or other returns: return a clone"
)


class OpOverload(namespaces.OpOverload):
    """An operator of a program, as `torch.ops.<namespace>.<name>.default` gives it.

    Attributes:
        kernel: computes the results from tensors whose operations are not recorded; None if there is none yet.
        first: the kernel that came with the declaration, which runs while the other is switched off.
        whole: is called in the place of all else, recorded as any function is; or None.
        backward, setup_context: the derivative, as of a custom Function; or None.
        batch_rule: as `Function.vmap`; without one members are computed one by one.
        fake: what a program says of the shapes of results, called on the device "meta".
        cast_to: the dtype of floating-point tensors within autocast, or None.
        autocast: is called in the place of all else within autocast, or None.
        function: the custom Function that records calls.
    """

    _overloadname = "default"

    def __init__(self, schema: Schema, kernel: Callable[..., Any] | None = None) -> None:
        self._schema = schema
        self._name, self._opname = schema.name, schema.name.partition("::")[2]
        self.__name__ = f"{self._opname}.default"
        self.first = self.kernel = kernel
        self.whole: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.batch_rule: Callable[..., Any] | None = None
        self.fake: Callable[..., Any] | None = None
        self.cast_to: Any = None
        self.autocast: Callable[..., Any] | None = None
        self.function = function_of(self)

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.dotted}', overload='default')>"

    def __str__(self) -> str:
        return f"{self.dotted}.default"

    @property
    def namespace(self) -> str:
        """The namespace that it is declared in."""
        return self._schema.name.partition("::")[0]

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """What it is a form of, `torch.ops.<namespace>.<name>`."""
        space, _, name = self._schema.name.partition("::")
        return getattr(namespaces.namespace(space), name)  # type: ignore[no-any-return]

    @property
    def dotted(self) -> str:
        """Its name with a point, `mylib.sine`."""
        return self._schema.name.replace("::", ".")

    def name(self) -> str:
        """The qualified name."""
        return self._schema.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute.

        Raises:
            NotImplementedError: it was declared, and has no kernel.
            RuntimeError: arguments do not fit the schema, or a result is an argument or shares its memory.
        """
        values = self._schema.bound(args, kwargs)
        if (self.cast_to is not None or self.autocast is not None) and is_autocast_enabled("cpu"):
            if self.autocast is not None:
                return self.called(self.autocast, values)
            values = [cast(each, self.cast_to) for each in values]
        if self.whole is not None:
            return self.called(self.whole, values)
        if self._schema.mutates:
            return self.mutating(values)
        flat, layout = flattened(self._schema.arguments, values)
        found = self.function.apply(*flat, layout)
        if self.gives_lists:
            return tuple(gathered(found[:-1], found[-1]))
        return list(found) if self.gives_list else found

    @property
    def gives_list(self) -> bool:
        """Whether the result is a list of tensors."""
        return self._schema.returns == ("Tensor[]",)

    @property
    def gives_lists(self) -> bool:
        """Whether a list of tensors is one of several results."""
        return len(self._schema.returns) > 1 and any(each.endswith("]") for each in self._schema.returns)

    def called(self, function: Callable[..., Any], values: list[Any]) -> Any:
        """Call a function of the program with the values of all parameters, the named ones by name."""
        both = list(zip(self._schema.arguments, values))
        given = [value for argument, value in both if not argument.keyword_only]
        return function(*given, **{argument.name: value for argument, value in both if argument.keyword_only})

    def shown(self) -> Callable[..., Any] | None:
        """The function that says what results look like; None where nothing is returned, and none is needed.

        Raises:
            RuntimeError: it is needed, and missing.
        """
        if self.fake is None and self._schema.returns:
            called = getattr(self.first, "__name__", self._opname)
            raise RuntimeError(
                f"There was no fake impl registered for <CustomOpDef({self.name()})>. This is necessary for "
                f"torch.compile/export/fx tracing to work. Please use `{called}.register_fake` to add an fake impl."
            )
        return self.fake

    def run(self, values: list[Any]) -> Any:
        """What the kernel makes; of tensors on the device "meta", what the program says of it.

        Raises:
            NotImplementedError: there is none.
            RuntimeError: a result is an argument, or shares the memory of one or of another result.
        """
        if any(each.device.type == "meta" for each in tensors_in(values)):
            fake = self.shown()
            return None if fake is None else self.called(fake, values)
        if self.kernel is None:
            raise NotImplementedError(f"Could not run '{self.name()}' with arguments from the 'CPU' backend: no kernel")
        result = self.called(self.kernel, values)
        known = {memory(each) for each in tensors_in(values)} - {0}
        for each in tensors_in(result):
            if memory(each) in known:
                raise RuntimeError(ALIASED.format(self.name()))
            known |= {memory(each)} - {0}
        return result

    def mutating(self, values: list[Any]) -> Any:
        """Run a kernel that writes to arguments, and count the writes."""
        with no_grad():
            result = self.run(values)
        for argument, value in zip(self._schema.arguments, values):
            if argument.mutated:
                increment_version(tensors_in(value))
        return result


class OpOverloadPacket(namespaces.OpOverloadPacket):
    """All overloads of an operator, of which there is one: `torch.ops.<namespace>.<name>`."""

    def __init__(self, op: OpOverload) -> None:
        self.default = op
        self._qualified_op_name = op.name()
        self.__name__ = op._opname

    def __getattr__(self, name: str) -> Any:
        dotted = vars(self)["default"].dotted if "default" in vars(self) else ""
        raise AttributeError(f"The underlying op of '{dotted}' has no overload name '{name}'")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        return self.default(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self.default.dotted}')>"

    def __str__(self) -> str:
        return self.default.dotted

    def overloads(self) -> list[str]:
        """Their names."""
        return ["default"]


def memory(tensor: Tensor) -> int:
    """Where the memory of a tensor begins; 0 if it has none."""
    return tensor.untyped_storage().data_ptr() if tensor.numel() else 0  # type: ignore[attr-defined, no-any-return]
