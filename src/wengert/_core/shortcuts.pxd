cdef extern from *:
    """
    /* Slots of classes that Python code defines. Python fills them by functions that look `__getattr__` and `__call__` up and call
       them; it fills them again whenever a class, or a base of it, gets another such method. */
    static PyObject *wengert_active;  /* hooks of all holders: a dictionary, usually empty */
    static int (*wengert_watched)(void);  /* whether frames of `__call__` are looked for */
    #define wengert_fill(cls, look_up, call, active) \
        (wengert_watched = __pyx_f_7wengert_5_core_7holders_is_watched, wengert_fill_slots((cls), (look_up), (call), (active)))
    static PyObject *wengert_name(PyObject **place, const char *text) {
        if (*place == NULL) *place = PyUnicode_InternFromString(text);
        return *place;
    }
    #define WENGERT_NAME(variable, text) static PyObject *variable; if (wengert_name(&variable, (text)) == NULL) return NULL
    /* The value of a key in a dictionary, borrowed; NULL, perhaps with an error set, if there is none. */
    static PyObject *wengert_value_of(PyObject *fields, PyObject *key) {
        return fields && PyDict_Check(fields) ? PyDict_GetItemWithError(fields, key) : NULL;
    }
    /* The attributes of an instance; Python 3.11 sets no error if it has no memory for the dictionary. */
    static PyObject *wengert_attributes(PyObject *holder) {
        PyObject *fields = PyObject_GenericGetDict(holder, NULL);
        return fields || PyErr_Occurred() ? fields : PyErr_NoMemory();
    }
    #if PY_VERSION_HEX < 0x030C0000
    /* An entry of a table: any mapping, usually a dictionary. */
    static PyObject *wengert_entry_of(PyObject *table, PyObject *name) {
        if (PyDict_CheckExact(table)) return Py_XNewRef(PyDict_GetItemWithError(table, name));
        int known = PySequence_Contains(table, name);
        return known > 0 ? PyObject_GetItem(table, name) : NULL;
    }
    static PyObject *wengert_in_tables(PyObject *fields, PyObject *name) {
        static PyObject *names[3];
        static const char *const texts[3] = {"_parameters", "_buffers", "_modules"};
        PyObject *value = NULL;
        for (int at = 0; value == NULL && at < 3; at++) {
            if (wengert_name(&names[at], texts[at]) == NULL) return NULL;
            PyObject *table = Py_XNewRef(wengert_value_of(fields, names[at]));
            if (table && table != Py_None) value = wengert_entry_of(table, name);
            Py_XDECREF(table);
            if (PyErr_Occurred()) break;
        }
        return value;
    }
    /* What Python does for a class with `__getattr__`, but without an error for each attribute that is in a table. (From 3.12 on
       Python makes none, and has shortcuts of its own for its own slot.) */
    static PyObject *wengert_look_up(PyObject *holder, PyObject *name) {
        PyObject *value = _PyObject_GenericGetAttrWithDict(holder, name, NULL, 1), *fields, *method;
        if (value || PyErr_Occurred()) return value;
        WENGERT_NAME(getattr, "__getattr__");
        if ((fields = wengert_attributes(holder)) == NULL) return NULL;
        value = wengert_in_tables(fields, name);
        Py_DECREF(fields);
        if (value || PyErr_Occurred()) return value;
        method = Py_XNewRef(_PyType_Lookup(Py_TYPE(holder), getattr));
        if (method) value = PyObject_CallFunctionObjArgs(method, holder, name, NULL);
        else PyErr_SetObject(PyExc_AttributeError, name);
        Py_XDECREF(method);
        return value;
    }
    #endif
    enum { WENGERT_FEW = 6 };
    /* A call of a Python function with an object before its arguments. */
    static PyObject *wengert_call_with(PyObject *function, PyObject *first, PyObject *args, PyObject *keywords) {
        PyObject *few[WENGERT_FEW], **all = few, *result;
        Py_ssize_t count = PyTuple_GET_SIZE(args);
        if (count >= WENGERT_FEW && (all = PyMem_New(PyObject *, count + 1)) == NULL) return PyErr_NoMemory();
        all[0] = first;
        for (Py_ssize_t at = 0; at < count; at++) all[at + 1] = PyTuple_GET_ITEM(args, at);
        result = PyObject_VectorcallDict(function, all, (size_t)(count + 1), keywords);
        if (all != few) PyMem_Free(all);
        return result;
    }
    /* The `__call__` of the class, which runs hooks, and has a frame where the arguments are wrong. */
    static PyObject *wengert_call_fully(PyObject *holder, PyObject *args, PyObject *keywords) {
        WENGERT_NAME(call, "__call__");
        PyObject *method = Py_XNewRef(_PyType_Lookup(Py_TYPE(holder), call)), *result = NULL;
        if (method) result = wengert_call_with(method, holder, args, keywords);
        else PyErr_SetString(PyExc_TypeError, "the object's class has no __call__");
        Py_XDECREF(method);
        return result;
    }
    /* `forward` without hooks; an error leaves with a traceback as `__call__` shortens it. */
    static PyObject *wengert_call(PyObject *holder, PyObject *args, PyObject *keywords) {
        WENGERT_NAME(hooks, "_call_hooks");
        WENGERT_NAME(forward, "forward");
        PyObject *fields = wengert_attributes(holder), *method = NULL, *marks = wengert_value_of(fields, hooks), *result;
        if (marks && PyDict_CheckExact(marks) && !PyDict_GET_SIZE(marks) && !PyDict_GET_SIZE(wengert_active)
            && !wengert_watched() && !wengert_value_of(fields, forward)) method = Py_XNewRef(_PyType_Lookup(Py_TYPE(holder), forward));
        Py_XDECREF(fields);
        if (method == NULL || !PyFunction_Check(method) || PyErr_Occurred()) {
            Py_XDECREF(method);
            return PyErr_Occurred() ? NULL : wengert_call_fully(holder, args, keywords);
        }
        result = wengert_call_with(method, holder, args, keywords);
        Py_DECREF(method);
        if (result || !PyErr_ExceptionMatches(PyExc_Exception)) return result;
        PyObject *kind, *value, *trace;
        PyErr_Fetch(&kind, &value, &trace);
        if (trace == NULL && PyErr_GivenExceptionMatches(kind, PyExc_TypeError)) {  /* nothing ran: the arguments do not fit */
            Py_XDECREF(kind);
            Py_XDECREF(value);
            return wengert_call_fully(holder, args, keywords);
        }
        PyErr_Restore(kind, value, trace);
        wengert_shorten(NULL);
        return NULL;
    }
    static PyObject *wengert_fill_slots(PyObject *cls, PyObject *look_up, PyObject *call, PyObject *active) {
        WENGERT_NAME(getattr, "__getattr__");
        WENGERT_NAME(getattribute, "__getattribute__");
        WENGERT_NAME(called, "__call__");
        PyTypeObject *type = (PyTypeObject *)cls;
        Py_XSETREF(wengert_active, Py_NewRef(active));
    #if PY_VERSION_HEX < 0x030C0000
        if (_PyType_Lookup(type, getattr) == look_up
            && _PyType_Lookup(type, getattribute) == _PyType_Lookup(&PyBaseObject_Type, getattribute))
            type->tp_getattro = wengert_look_up;
    #endif
        if (_PyType_Lookup(type, called) == call) type->tp_call = wengert_call;
        Py_RETURN_NONE;
    }
    """
    object fill "wengert_fill"(object cls, object look_up, object call, dict active)
