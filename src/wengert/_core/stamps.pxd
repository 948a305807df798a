from wengert._core cimport door

cpdef object of_files(str root, list names)
