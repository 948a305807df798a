# Made by tools/make_stub.py; do not edit.
from wengert._torch._C._functorch import (
    RandomnessType as RandomnessType,
    TransformType as TransformType,
    current_level as current_level,
    get_unwrapped as get_unwrapped,
    is_batchedtensor as is_batchedtensor,
    is_dead_tensor_wrapper as is_dead_tensor_wrapper,
    is_functionaltensor as is_functionaltensor,
    is_functorch_wrapped_tensor as is_functorch_wrapped_tensor,
    is_gradtrackingtensor as is_gradtrackingtensor,
    is_legacy_batchedtensor as is_legacy_batchedtensor,
    maybe_current_level as maybe_current_level,
    maybe_get_bdim as maybe_get_bdim,
    maybe_get_level as maybe_get_level,
    unwrap_if_dead as unwrap_if_dead,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
