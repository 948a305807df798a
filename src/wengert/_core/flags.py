"""The bits of a tensor's flags word.

Dispatch ORs the words of its inputs with the thread's mode word. Zero means the plain path: kernel, wrap, return.
A new feature is a new bit here and a named step in `dispatch`, not a new check in every operator call.
`flags.pxd` repeats the values as C constants; a test compares the two.
"""

REQUIRES_GRAD = 1
"""The tensor is a leaf that wants a gradient, or an output that was recorded."""
VIEW = 2
"""A differentiable view: its history may have to be replayed from its base."""
VOLATILE = 4
"""First generation of the API: outputs have no history, whatever else requires a gradient."""
DUAL = 8
"""Carries a tangent of the current forward-mode level."""
BATCHED = 16
"""Carries a batch dimension that the program does not see."""
INFERENCE = 32
"""Made in inference mode: may not be saved for a backward pass, nor written to outside the mode."""
OBSERVED = 64
"""Of a class that has a `__torch_dispatch__`; in the mode word: somebody (a tracer) wants to see each call."""
LEVELS = 128
"""Set in the mode word only: a level of forward mode is entered, so that any view may have a base that is dual."""
BATCHES = 256
"""Set in the mode word only: a call of `vmap` is under way, so that random operators must ask what it says of them."""
NOTED = 512
"""Set in the mode word only: calls note where the program made them, see `set_debug`."""
PROFILED = 1024
"""Set in the mode word only: a profile is open, so calls and nodes are noted in `modes.log`."""
OVERRIDDEN = 2048
"""Of a subclass whose `__torch_function__` is asked first; in the mode word: a `TorchFunctionMode` is asked."""
AUTOCAST = 4096
"""Set in the mode word only: operators choose the dtype of their operands, see `modes.casting`."""
SPARSE = 8192
"""Holds its entries beside the array, which is not to be read: see `tensor.coordinates`."""
POSTPONED = 16384
"""Its elements are conjugated or negated when they are read: see `tensor.postponed`."""

HISTORY = REQUIRES_GRAD | VIEW
"""Flags of inputs that matter only while calls are recorded."""
NOTES = NOTED | PROFILED
"""Bits of the mode word by which a call is only noted."""
ELSEWHERE = BATCHED | SPARSE | POSTPONED | OBSERVED
"""The tensor's array is not to be read by kernels, or not before the tensor's class has been asked."""
UNUSUAL = VOLATILE | DUAL | INFERENCE | OBSERVED | LEVELS | BATCHES | NOTES | OVERRIDDEN | AUTOCAST | ELSEWHERE
"""Bits that the two common paths (plain, recorded) do not handle."""
QUIET = LEVELS | BATCHES | NOTES
"""Bits of the mode word that affect few calls only, or nothing in the call itself."""

# Masks of the modes. They are computed here once, so that a mode is left without an allocation that might fail.
ALL = -1
"""Recording: every flag of an input matters."""
NOT_RECORDED = ~HISTORY
"""Not recording."""
NOT_INFERRED = ~(HISTORY | INFERENCE)
"""In inference mode."""
