cdef enum:
    PLAIN = 0
    ARRAY = 1
    ARRAYS = 2
    INDEX = 3
    INDICES = 4

cdef enum:
    FROM_INPUT = 0
    FROM_OUTPUT = 1
    FROM_SHAPE = 2
    FROM_DTYPE = 3
    FROM_PLAIN = 4
    FROM_WANTED = 5
    FROM_STRIDES = 6
    FROM_TAIL = 7

cdef enum:
    LAID_ROWS = 0
    LAID_ITERATOR = 1
    LAID_LIKE = 2
    LAID_SUGGESTED = 3
    LAID_OWN = 4
    LAID_REVERSED = 5
    LAID_POWER = 6
    LAID_SCALED = 7

cdef enum:
    SEES_PART = 0
    SEES_DTYPE = 1
    SEES_BATCH = 2
    SEES_SIGNS = 3
    SEES_MEMORY = 4

cdef enum:
    APART_NEVER = 0
    APART_ITSELF = 1
    APART_PARTLY = 2
    APART_WHOLLY = 3
    APART_WARNED = 4
