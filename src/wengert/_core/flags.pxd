cdef enum:
    REQUIRES_GRAD = 1
    VIEW = 2
    VOLATILE = 4
    DUAL = 8
    BATCHED = 16
    INFERENCE = 32
    OBSERVED = 64
    LEVELS = 128
    BATCHES = 256
    NOTED = 512
    HISTORY = 3
    UNUSUAL = 1020
    QUIET = 896
    ALL = -1
    NOT_RECORDED = -4
    NOT_INFERRED = -36
