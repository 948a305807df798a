"""Hooks that compute a weight before each call of a module: what weight and spectral normalisation share."""

from __future__ import annotations

from typing import Any, ClassVar


class WeightHook:
    """Hook of the weight `name`.

    Attributes:
        function: name of the function that registers it, for errors.
    """

    function: ClassVar[str]
    name: str

    @classmethod
    def check_single(cls, module: Any, name: str) -> None:
        """Refuse a second hook of a weight.

        Raises:
            RuntimeError: if the weight has such a hook already.
        """
        if any(isinstance(hook, cls) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two {cls.function} hooks on the same parameter {name}")

    @classmethod
    def remove_from(cls, module: Any, name: str) -> Any:
        """Remove the hook of a weight, which becomes a plain parameter; return the module.

        Raises:
            ValueError: if the module has no such hook for the weight.
        """
        for key, hook in module._forward_pre_hooks.items():
            if isinstance(hook, cls) and hook.name == name:
                hook.remove(module)
                del module._forward_pre_hooks[key]
                return module
        raise ValueError(f"{cls.function} of '{name}' not found in {module}")

    def remove(self, module: Any) -> None:
        """Make the weight a plain parameter again."""
        raise NotImplementedError
