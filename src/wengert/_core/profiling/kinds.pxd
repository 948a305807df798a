cdef enum:
    OPERATOR = 0
    EVALUATE = 1
    BACKWARD = 2
    FUNCTION = 3
    RANGE = 4
    MEMORY = 5
