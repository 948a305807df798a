# Made by tools/make_stub.py; do not edit.
from wengert._torch._functorch.functional_call import (
    functional_call as functional_call,
    stack_module_state as stack_module_state,
)
