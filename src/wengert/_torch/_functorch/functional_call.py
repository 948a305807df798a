"""`torch._functorch.functional_call`: modules called with other parameters than theirs."""

from wengert.func import functional_call as functional_call, stack_module_state as stack_module_state

__all__ = ["functional_call", "stack_module_state"]
