# Made by tools/make_stub.py; do not edit.
from wengert._torch._custom_ops import (
    custom_op as custom_op,
    impl as impl,
    impl_abstract as impl_abstract,
)
