cdef extern from *:
    """
    #define WENGERT_MOST_REGISTERS 24
    /* The registers keep their arrays while the call lasts: nobody else has the list. */
    static PyObject *wengert_on_registers(PyObject *function, PyObject *args, PyObject *places, PyObject *values) {
        PyObject *arguments[WENGERT_MOST_REGISTERS], *result;
        Py_ssize_t count = PyTuple_GET_SIZE(args);
        if (count > WENGERT_MOST_REGISTERS || PyTuple_GET_SIZE(places) != count) {
            PyErr_SetString(PyExc_RuntimeError, "an entry has too many arguments");
            return NULL;
        }
        for (Py_ssize_t at = 0; at < count; at++) {
            long place = PyLong_AsLong(PyTuple_GET_ITEM(places, at));
            if (place >= (long)PyList_GET_SIZE(values)) {
                PyErr_SetString(PyExc_IndexError, "an entry names a register that the list does not have");
                return NULL;
            }
            arguments[at] = place >= 0 ? PyList_GET_ITEM(values, place) : PyTuple_GET_ITEM(args, at);
        }
        result = PyObject_Vectorcall(function, arguments, (size_t)count, NULL);
        if (result == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {  /* as `door.on_arrays` */
            PyErr_Clear();
            Py_RETURN_NOTIMPLEMENTED;
        }
        return result;
    }
    """
    object on_registers "wengert_on_registers"(object function, tuple args, tuple places, list values)
