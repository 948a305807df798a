# Made by tools/make_stub.py; do not edit.
from wengert._torch._ops import (
    HigherOrderOperator as HigherOrderOperator,
    NAMESPACES as NAMESPACES,
    OpOverload as OpOverload,
    OpOverloadPacket as OpOverloadPacket,
    OperatorBase as OperatorBase,
    namespace as namespace,
)
