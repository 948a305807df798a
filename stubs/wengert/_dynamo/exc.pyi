# Made by tools/make_stub.py; do not edit.
from wengert._torch._dynamo.exc import (
    BackendCompilerFailed as BackendCompilerFailed,
    CondOpArgsMismatchError as CondOpArgsMismatchError,
    FailOnRecompileLimitHit as FailOnRecompileLimitHit,
    InternalTorchDynamoError as InternalTorchDynamoError,
    InvalidBackend as InvalidBackend,
    PackageError as PackageError,
    RecompileError as RecompileError,
    ResetRequired as ResetRequired,
    RestartAnalysis as RestartAnalysis,
    SkipFrame as SkipFrame,
    TorchDynamoException as TorchDynamoException,
    TorchRuntimeError as TorchRuntimeError,
    UncapturedHigherOrderOpError as UncapturedHigherOrderOpError,
    Unsupported as Unsupported,
    UserError as UserError,
    UserErrorType as UserErrorType,
)
