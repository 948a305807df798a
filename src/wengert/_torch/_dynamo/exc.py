"""`torch._dynamo.exc`: the errors of torch's compiler, for programs that catch them; nothing here raises one."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any


class TorchDynamoException(RuntimeError):  # noqa: N818 - torch's name
    """The base of all."""


class InternalTorchDynamoError(TorchDynamoException):
    """A fault of the compiler."""


class RestartAnalysis(TorchDynamoException):
    """The compiler begins again."""


class SkipFrame(TorchDynamoException):
    """A function is not compiled."""


class TorchRuntimeError(TorchDynamoException):
    """An operator failed while a function was compiled."""


class InvalidBackend(TorchDynamoException):
    """A backend does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class ResetRequired(TorchDynamoException):
    """The compiler must be reset."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend failed."""

    def __init__(self, backend_fn: Any, inner_exception: BaseException, *rest: Any) -> None:
        self.backend_name = getattr(backend_fn, "__name__", "?")
        self.inner_exception = inner_exception
        super().__init__(f"backend={self.backend_name!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")


class Unsupported(TorchDynamoException):
    """A program uses a feature that the compiler does not support."""

    def __init__(self, msg: str, *rest: Any, **options: Any) -> None:
        super().__init__(msg)
        self.msg = msg


class RecompileError(TorchDynamoException):
    """A function would be compiled again."""


class CondOpArgsMismatchError(Unsupported):
    """The branches of `cond` differ in their arguments."""


class UserErrorType(Enum):
    """Kinds of mistakes of a program."""

    DYNAMIC_CONTROL_FLOW = auto()
    ANTI_PATTERN = auto()
    STANDARD_LIBRARY = auto()
    CONSTRAINT_VIOLATION = auto()
    DYNAMIC_DIM = auto()
    INVALID_INPUT = auto()
    INVALID_OUTPUT = auto()
    UNSUPPORTED_ALIASED_MUTATED_DYNAMIC_INPUTS = auto()


class UserError(Unsupported):
    """A mistake of a program."""

    def __init__(self, error_type: UserErrorType, msg: str, case_name: str | None = None) -> None:
        super().__init__(msg)
        self.error_type = error_type


class UncapturedHigherOrderOpError(TorchDynamoException):
    """A function that takes functions could not be compiled."""


class FailOnRecompileLimitHit(Exception):  # noqa: N818 - torch's name
    """A function was compiled too often."""


class PackageError(TorchDynamoException):
    """A compiled function could not be saved."""
