from wengert._core cimport shortcuts

cpdef object held(object holder, object name, object missing)
cpdef object fill(object cls, object look_up, object call, dict active)
