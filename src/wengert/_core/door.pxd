cdef extern from *:
    """
    #ifndef NPY_NO_DEPRECATED_API
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #endif
    #include <numpy/ndarraytypes.h>
    /* Fields of NumPy's arrays read directly; arrays of other modules take the way by name. */
    static PyTypeObject *wengert_ndarray;
    static CYTHON_INLINE PyArrayObject *wengert_as_ndarray(PyObject *array) {
        if (wengert_ndarray == NULL) {
            PyObject *numpy = PyImport_ImportModule("numpy");
            if (numpy) wengert_ndarray = (PyTypeObject *)PyObject_GetAttrString(numpy, "ndarray");
            Py_XDECREF(numpy);
            PyErr_Clear();
        }
        return Py_TYPE(array) == wengert_ndarray ? (PyArrayObject *)array : NULL;
    }
    #define wengert_is_ndarray(value) (wengert_as_ndarray(value) != NULL)
    static CYTHON_UNUSED PyObject *wengert_shape_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) return PyObject_GetAttrString(array, "shape");
        int ndim = PyArray_NDIM(own);
        PyObject *shape = PyTuple_New(ndim);
        for (int at = 0; shape && at < ndim; at++) {
            PyObject *length = PyLong_FromSsize_t(PyArray_DIM(own, at));
            if (length == NULL) { Py_DECREF(shape); return NULL; }
            PyTuple_SET_ITEM(shape, at, length);
        }
        return shape;
    }
    static CYTHON_UNUSED PyObject *wengert_dtype_of(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) return PyObject_GetAttrString(array, "dtype");
        PyObject *dtype = (PyObject *)PyArray_DESCR(own);
        Py_INCREF(dtype);
        return dtype;
    }
    static CYTHON_UNUSED int wengert_is_complex(PyObject *array) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own) return PyArray_DESCR(own)->kind == 'c';
        PyObject *dtype = PyObject_GetAttrString(array, "dtype");
        PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
        int found = kind ? PyUnicode_CompareWithASCIIString(kind, "c") == 0 : -1;
        Py_XDECREF(dtype);
        Py_XDECREF(kind);
        return found;
    }
    static CYTHON_UNUSED int wengert_in_space(PyObject *array, PyObject *shape, PyObject *dtype) {
        PyArrayObject *own = wengert_as_ndarray(array);
        if (own == NULL) {
            PyObject *other_dtype = PyObject_GetAttrString(array, "dtype");
            PyObject *other_shape = PyObject_GetAttrString(array, "shape");
            int same = -1;
            if (other_dtype && other_shape)
                same = other_dtype == dtype && PyObject_RichCompareBool(other_shape, shape, Py_EQ) == 1;
            Py_XDECREF(other_dtype);
            Py_XDECREF(other_shape);
            return same;
        }
        if ((PyObject *)PyArray_DESCR(own) != dtype || PyArray_NDIM(own) != PyTuple_GET_SIZE(shape)) return 0;
        for (int at = 0; at < PyArray_NDIM(own); at++)
            if (PyArray_DIM(own, at) != PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, at))) return 0;
        return 1;
    }
    static CYTHON_INLINE PyObject *wengert_new(PyObject *cls) {
        PyObject *nothing = PyTuple_New(0);  /* a shared constant of the interpreter */
        if (nothing == NULL) return NULL;
        PyObject *made = ((PyTypeObject *)cls)->tp_new((PyTypeObject *)cls, nothing, NULL);
        Py_DECREF(nothing);
        return made;
    }
    static CYTHON_UNUSED int wengert_bind(PyObject *cls, PyObject *name, PyObject *value) {
        PyTypeObject *type = (PyTypeObject *)cls;
        if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return PyObject_SetAttr(cls, name, value);
        if (PyDict_SetItem(type->tp_dict, name, value) < 0) return -1;
        PyType_Modified(type);
        return 0;
    }
    static CYTHON_UNUSED PyObject *wengert_subclass(PyObject *module, PyObject *name, PyObject *base) {
        PyObject *full = PyUnicode_FromFormat("%U.%U", module, name);
        PyObject *bases = full ? PyTuple_Pack(1, base) : NULL;
        PyType_Slot slots[] = {{0, NULL}};
        PyType_Spec spec = {full ? PyUnicode_AsUTF8(full) : NULL, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        PyObject *made = bases && spec.name ? PyType_FromSpecWithBases(&spec, bases) : NULL;
        Py_XDECREF(bases);
        Py_XDECREF(full);
        return made;
    }
    static CYTHON_UNUSED PyObject *wengert_referent(PyObject *reference) {
    #if PY_VERSION_HEX >= 0x030D0000
        PyObject *found = NULL;
        if (PyWeakref_GetRef(reference, &found) < 0) return NULL;
        if (found) return found;
        Py_RETURN_NONE;
    #else
        PyObject *found = PyWeakref_GetObject(reference);
        Py_XINCREF(found);
        return found;
    #endif
    }
    #define wengert_weak(value) PyWeakref_NewRef((PyObject *)(value), NULL)
    /* Tensor.attributes is the slot of the instance's dictionary: NULL until Python makes one. Cython fills new instances with
       None, so both ways of allocation (tp_new here, and Cython's direct call of it, by `begin`) put NULL there. The macros
       are used in base.py only, where the struct is known. */
    #define WENGERT_TENSOR struct __pyx_obj_7wengert_5_core_4base_Tensor
    #define wengert_begin(tensor) Py_CLEAR(((WENGERT_TENSOR *)(tensor))->attributes)
    #define wengert_lazy_dict(cls) \
        wengert_set_dict_slot((PyTypeObject *)(cls), offsetof(WENGERT_TENSOR, attributes))
    static newfunc wengert_tensor_new;
    static PyObject *wengert_new_tensor(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
        PyObject *made = wengert_tensor_new(type, args, kwargs);
        if (made) {
            PyObject **slot = _PyObject_GetDictPtr(made);
            if (slot) Py_CLEAR(*slot);
        }
        return made;
    }
    static PyGetSetDef wengert_dict_property[] = {
        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
    static CYTHON_UNUSED int wengert_set_dict_slot(PyTypeObject *type, Py_ssize_t offset) {
        PyObject *property = PyDescr_NewGetSet(type, wengert_dict_property);
        if (property == NULL) return -1;
        int failed = PyDict_SetItemString(type->tp_dict, "__dict__", property);
        Py_DECREF(property);
        if (failed) return -1;
        wengert_tensor_new = type->tp_new;
        type->tp_new = wengert_new_tensor;
        type->tp_dictoffset = offset;
        type->tp_name = "wengert.Tensor";  /* where programs find it, and what error messages say */
        PyType_Modified(type);
        return 0;
    }
    /* The slot borrows: modes.py keeps its value alive with the thread. A thread state may die and its thread live on
       (callbacks from C), hence the check of the state's id, which is never given twice. */
    static __thread uint64_t wengert_owner;
    static __thread PyObject *wengert_value;
    static CYTHON_INLINE PyObject *wengert_recall(void) {
        PyObject *found = Py_None;
        if (wengert_value && wengert_owner == PyThreadState_GetID(PyThreadState_Get())) found = wengert_value;
        Py_INCREF(found);
        return found;
    }
    static CYTHON_INLINE void wengert_remember(PyObject *value) {
        wengert_owner = PyThreadState_GetID(PyThreadState_Get());
        wengert_value = value;
    }
    """
    object new "wengert_new"(object cls)
    int bind "wengert_bind"(object cls, object name, object value) except -1
    object weak "wengert_weak"(object value)
    object referent "wengert_referent"(object reference)
    bint is_ndarray "wengert_is_ndarray"(object value)
    tuple shape_of "wengert_shape_of"(object array)
    object dtype_of "wengert_dtype_of"(object array)
    bint is_complex "wengert_is_complex"(object array) except -1
    bint in_space "wengert_in_space"(object array, tuple shape, object dtype) except -1
    int lazy_dict "wengert_lazy_dict"(object cls) except -1
    void begin "wengert_begin"(object tensor)
    object subclass "wengert_subclass"(str module, str name, object base)
    object recall "wengert_recall"()
    void remember "wengert_remember"(object value)
