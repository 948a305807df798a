# Made by tools/make_stub.py; do not edit.
from wengert._torch._dynamo._trace_wrapped_higher_order_op import (
    TransformGetItemToIndex as TransformGetItemToIndex,
)
