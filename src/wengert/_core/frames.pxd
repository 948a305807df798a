from libc.stdint cimport int64_t
cdef extern from *:
    """
    static CYTHON_UNUSED PyObject *wengert_outside(PyObject *folder) {
        PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
        while (frame) {
            PyCodeObject *code = PyFrame_GetCode(frame);
            Py_ssize_t inside = PyUnicode_Tailmatch(code->co_filename, folder, 0, PY_SSIZE_T_MAX, -1);
            Py_DECREF(code);
            if (inside == 0) return (PyObject *)frame;
            PyFrameObject *back = PyFrame_GetBack(frame);
            Py_DECREF(frame);
            if (inside < 0) { Py_XDECREF(back); return NULL; }
            frame = back;
        }
        Py_RETURN_NONE;
    }
    #define wengert_code_of(frame) ((PyObject *)PyFrame_GetCode((PyFrameObject *)(frame)))
    #define wengert_offset_of(frame) ((long)PyFrame_GetLasti((PyFrameObject *)(frame)))
    """
    object outside "wengert_outside"(object folder)
    object code_of "wengert_code_of"(object frame)
    int64_t offset_of "wengert_offset_of"(object frame)
