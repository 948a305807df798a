from libc.stdint cimport int64_t
cdef extern from *:
    """
    #ifndef NPY_NO_DEPRECATED_API
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #endif
    #include <numpy/ndarraytypes.h>
    #include <sys/stat.h>
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
    /* An attribute of an object that is not a NumPy array: any object, even a tensor that leads back to itself. */
    static CYTHON_UNUSED PyObject *wengert_attribute(PyObject *array, const char *name) {
        if (Py_EnterRecursiveCall(" while reading an attribute of an array")) return NULL;
        PyObject *result = PyObject_GetAttrString(array, name);
        Py_LeaveRecursiveCall();
        return result;
    }
    #define wengert_is_ndarray(value) (wengert_as_ndarray(value) != NULL)
    static CYTHON_INLINE PyObject *wengert_with_lengths(PyObject *shape, PyArrayObject *a) {
        for (int at = 0; shape && at < PyArray_NDIM(a); at++) {
            PyObject *length = PyLong_FromSsize_t(PyArray_DIM(a, at));
            if (length) PyTuple_SET_ITEM(shape, at, length); else Py_CLEAR(shape);
        }
        return shape;
    }
    static CYTHON_UNUSED PyObject *wengert_shape_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        return a ? wengert_with_lengths(PyTuple_New(PyArray_NDIM(a)), a) : wengert_attribute(array, "shape");
    }
    /* The same as an instance of a subclass of tuple that adds nothing to its fields. */
    static CYTHON_UNUSED PyObject *wengert_shape_as(PyObject *array, PyObject *cls) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) {
            PyObject *shape = wengert_attribute(array, "shape"), *result = shape ? PyObject_CallOneArg(cls, shape) : NULL;
            Py_XDECREF(shape);
            return result;
        }
        PyObject *result = ((PyTypeObject *)cls)->tp_alloc((PyTypeObject *)cls, PyArray_NDIM(a));
    #if PY_VERSION_HEX >= 0x030E0000
        if (result) ((PyTupleObject *)result)->ob_hash = -1;  /* tuples keep their hash from here on; allocated, it would be 0 */
    #endif
        return wengert_with_lengths(result, a);
    }
    /* The number in an array of one element; None for other objects than NumPy's arrays and for less common numbers. */
    static CYTHON_UNUSED PyObject *wengert_number_in(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL || !(PyArray_FLAGS(a) & NPY_ARRAY_ALIGNED) || PyArray_DESCR(a)->byteorder == NPY_OPPBYTE) Py_RETURN_NONE;
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_DIM(a, at) != 1) Py_RETURN_NONE;
        const void *data = PyArray_DATA(a);
        switch (PyArray_DESCR(a)->type_num) {
            case NPY_FLOAT: return PyFloat_FromDouble(*(const float *)data);
            case NPY_DOUBLE: return PyFloat_FromDouble(*(const double *)data);
            case NPY_LONG: return PyLong_FromLong(*(const long *)data);
            case NPY_BOOL: return PyBool_FromLong(*(const npy_bool *)data);
        }
        Py_RETURN_NONE;
    }
    /* The value of a key in a dictionary; None if there is none, or the mapping has a look-up of its own. */
    static CYTHON_UNUSED PyObject *wengert_entry(PyObject *mapping, PyObject *key) {
        if (!PyDict_Check(mapping) || Py_TYPE(mapping)->tp_as_mapping->mp_subscript != PyDict_Type.tp_as_mapping->mp_subscript)
            Py_RETURN_NONE;
        PyObject *value = PyDict_GetItemWithError(mapping, key);
        return value ? Py_NewRef(value) : PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    /* Whether an array is 0-dim, holds a floating-point count that is exact, and may be written to. */
    static int wengert_is_count(PyArrayObject *a) {
        const int needed = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
        if (a == NULL || PyArray_NDIM(a) || (PyArray_FLAGS(a) & needed) != needed) return 0;
        if (PyArray_DESCR(a)->byteorder == NPY_OPPBYTE) return 0;
        const double most = 9007199254740992.0;  /* 2**53; NaN is not below it */
        switch (PyArray_DESCR(a)->type_num) {
            case NPY_FLOAT: return *(const float *)PyArray_DATA(a) >= 0 && *(const float *)PyArray_DATA(a) < most;
            case NPY_DOUBLE: return *(const double *)PyArray_DATA(a) >= 0 && *(const double *)PyArray_DATA(a) < most;
        }
        return 0;
    }
    /* Increment counts in 0-dim arrays; return the new values, or None, and change nothing, if one is unusual. */
    static CYTHON_UNUSED PyObject *wengert_incremented(PyObject *arrays) {
        Py_ssize_t count = PyList_GET_SIZE(arrays);
        for (Py_ssize_t at = 0; at < count; at++)
            if (!wengert_is_count(wengert_as_ndarray(PyList_GET_ITEM(arrays, at)))) Py_RETURN_NONE;
        PyObject *values = PyList_New(count);
        if (values == NULL) return NULL;
        for (Py_ssize_t at = 0; at < count; at++) {
            PyArrayObject *a = (PyArrayObject *)PyList_GET_ITEM(arrays, at);
            if (PyArray_DESCR(a)->type_num == NPY_FLOAT) *(float *)PyArray_DATA(a) += 1; else *(double *)PyArray_DATA(a) += 1;
        }
        for (Py_ssize_t at = 0; at < count; at++) {  /* one array may count for several */
            PyArrayObject *a = (PyArrayObject *)PyList_GET_ITEM(arrays, at);
            double number = PyArray_DESCR(a)->type_num == NPY_FLOAT ? *(float *)PyArray_DATA(a) : *(double *)PyArray_DATA(a);
            PyObject *value = PyLong_FromDouble(number);
            if (value == NULL) { Py_DECREF(values); return NULL; }
            PyList_SET_ITEM(values, at, value);
        }
        return values;
    }
    /* Times of the last change of files in `root`, in ns, and their sizes; None where C cannot read them. */
    static CYTHON_UNUSED PyObject *wengert_statuses(PyObject *root, PyObject *names) {
    #if defined(__linux__) || defined(__APPLE__)
        Py_ssize_t count = PyList_GET_SIZE(names);
        PyObject *times = PyList_New(count), *sizes = PyList_New(count), *path = NULL, *both = NULL;
        for (Py_ssize_t at = 0; times && sizes && at < count; at++) {
            struct stat status;
            if (!PyUnicode_Check(PyList_GET_ITEM(names, at))) { PyErr_BadArgument(); goto end; }
            PyObject *text = PyUnicode_FromFormat("%U/%U", root, PyList_GET_ITEM(names, at)), *time, *size;
            Py_XSETREF(path, text ? PyUnicode_EncodeFSDefault(text) : NULL);
            Py_XDECREF(text);
            if (path == NULL) goto end;
            if (stat(PyBytes_AS_STRING(path), &status)) {
                PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
                goto end;
            }
    #ifdef __APPLE__
            time = PyLong_FromLongLong(status.st_mtimespec.tv_sec * 1000000000LL + status.st_mtimespec.tv_nsec);
    #else
            time = PyLong_FromLongLong(status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec);
    #endif
            size = PyLong_FromLongLong((long long)status.st_size);
            if (time) PyList_SET_ITEM(times, at, time);
            if (size) PyList_SET_ITEM(sizes, at, size);
            if (time == NULL || size == NULL) goto end;
        }
        if (times && sizes) both = PyTuple_Pack(2, times, sizes);
    end:
        Py_XDECREF(path);
        Py_XDECREF(times);
        Py_XDECREF(sizes);
        return both;
    #else
        Py_RETURN_NONE;
    #endif
    }
    /* A tuple with another first element. */
    static CYTHON_UNUSED PyObject *wengert_with_first(PyObject *values, PyObject *first) {
        Py_ssize_t count = PyTuple_GET_SIZE(values);
        PyObject *result = PyTuple_New(count);
        for (Py_ssize_t at = 0; result && at < count; at++)
            PyTuple_SET_ITEM(result, at, Py_NewRef(at ? PyTuple_GET_ITEM(values, at) : first));
        return result;
    }
    /* (start, stop) of a slice without a step whose bounds are integers or missing; None for any other. */
    static CYTHON_UNUSED PyObject *wengert_plain_range(PyObject *value) {
        PySliceObject *part = PySlice_Check(value) ? (PySliceObject *)value : NULL;
        if (part == NULL || part->step != Py_None || (part->start != Py_None && !PyLong_CheckExact(part->start))
            || (part->stop != Py_None && !PyLong_CheckExact(part->stop))) Py_RETURN_NONE;
        return PyTuple_Pack(2, part->start, part->stop);
    }
    static CYTHON_UNUSED int wengert_has_flag(PyObject *array, int flag) {
        PyArrayObject *a = wengert_as_ndarray(array);
        return a && (PyArray_FLAGS(a) & flag) != 0;
    }
    #define wengert_has_rows(array) wengert_has_flag((array), NPY_ARRAY_C_CONTIGUOUS)
    static CYTHON_UNUSED PyObject *wengert_address_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a) return PyLong_FromVoidPtr(PyArray_DATA(a));
        PyObject *pointer = PyObject_GetAttrString(array, "ctypes");
        PyObject *result = pointer ? PyObject_GetAttrString(pointer, "data") : NULL;
        Py_XDECREF(pointer);
        return result;
    }
    static CYTHON_UNUSED PyObject *wengert_dtype_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) return wengert_attribute(array, "dtype");
        return Py_NewRef((PyObject *)PyArray_DESCR(a));
    }
    static Py_ssize_t wengert_count(PyObject *array, const char *name) {
        PyObject *result = wengert_attribute(array, name);
        Py_ssize_t count = result ? PyLong_AsSsize_t(result) : -1;
        Py_XDECREF(result);
        return count;
    }
    static CYTHON_UNUSED Py_ssize_t wengert_ndim_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        return a ? PyArray_NDIM(a) : wengert_count(array, "ndim");
    }
    /* The letter of an array's dtype, or -1 with an error set. */
    static CYTHON_UNUSED int wengert_kind_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a) return PyArray_DESCR(a)->kind;
        PyObject *dtype = wengert_attribute(array, "dtype");
        PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
        int result = kind && PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) ? (int)PyUnicode_READ_CHAR(kind, 0) : -1;
        if (result < 0 && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an array's dtype has no kind");
        Py_XDECREF(kind);
        Py_XDECREF(dtype);
        return result;
    }
    static CYTHON_UNUSED int wengert_is_complex(PyObject *array) {
        int kind = wengert_kind_of(array);
        return kind < 0 ? -1 : kind == 'c';
    }
    static CYTHON_UNUSED int wengert_is_inexact(PyObject *array) {
        int kind = wengert_kind_of(array);
        return kind < 0 ? -1 : kind == 'f' || kind == 'c' || kind == 'V';
    }
    static CYTHON_UNUSED int wengert_is_half(PyObject *value) {
        PyArrayObject *a = wengert_as_ndarray(value);
        return a && PyArray_DESCR(a)->type_num >= NPY_HALF;
    }
    static CYTHON_UNUSED Py_ssize_t wengert_size_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) return wengert_count(array, "size");
        Py_ssize_t size = 1;
        for (int at = 0; at < PyArray_NDIM(a); at++) size *= PyArray_DIM(a, at);
        return size;
    }
    /* Bytes of one element, or -1 with an error set. The field of the descriptor has another offset in NumPy 1 than in 2. */
    static Py_ssize_t wengert_itemsize(PyArrayObject *a) {
        switch (PyArray_DESCR(a)->type_num) {
            case NPY_BOOL: case NPY_BYTE: case NPY_UBYTE: return 1;
            case NPY_SHORT: case NPY_USHORT: case NPY_HALF: return 2;
            case NPY_INT: case NPY_UINT: case NPY_FLOAT: return 4;
            case NPY_LONG: case NPY_ULONG: return sizeof(long);
            case NPY_LONGLONG: case NPY_ULONGLONG: case NPY_DOUBLE: case NPY_CFLOAT: return 8;
            case NPY_CDOUBLE: return 16;
        }
        return wengert_count((PyObject *)a, "itemsize");
    }
    static CYTHON_UNUSED int wengert_is_row_major(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) return 1;  /* arrays of other modules: taken as ordered */
        Py_ssize_t step = wengert_itemsize(a);
        if (step < 0) return -1;
        for (int at = PyArray_NDIM(a) - 1; at >= 0; at--) {
            if (PyArray_STRIDE(a, at) != step) return 0;
            if (PyArray_DIM(a, at) > 1) step *= PyArray_DIM(a, at);
        }
        return 1;
    }
    static CYTHON_UNUSED int wengert_has_zero_stride(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) {
            PyObject *strides = wengert_attribute(array, "strides"), *zero = PyLong_FromLong(0);
            int result = strides && zero ? PySequence_Contains(strides, zero) : -1;
            Py_XDECREF(strides);
            Py_XDECREF(zero);
            return result;
        }
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_STRIDE(a, at) == 0) return 1;
        return 0;
    }
    static CYTHON_UNUSED int wengert_keeps_rows(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) return 1;
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_DIM(a, at) == 0) return 0;
        int rows = wengert_is_row_major(array);
        if (rows) return rows;
        Py_ssize_t inner = 0;
        int expanded = 0;
        for (int at = PyArray_NDIM(a) - 1; at >= 0; at--) {
            Py_ssize_t stride = PyArray_STRIDE(a, at);
            if (stride == 0) {
                expanded |= PyArray_DIM(a, at) > 1;
            } else {
                if (stride <= inner) return 0;
                inner = stride;
            }
        }
        return expanded;
    }
    static CYTHON_UNUSED int wengert_in_space(PyObject *array, PyObject *shape, PyObject *dtype) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL || shape == Py_None) return 0;  /* arrays of other modules: looked at by name */
        if ((PyObject *)PyArray_DESCR(a) != dtype || PyArray_NDIM(a) != PyTuple_GET_SIZE(shape)) return 0;
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_DIM(a, at) != PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, at))) return 0;
        return 1;
    }
    static CYTHON_UNUSED int wengert_share_space(PyObject *array, PyObject *other) {
        PyArrayObject *a = wengert_as_ndarray(array), *b = wengert_as_ndarray(other);
        if (a == NULL || b == NULL || PyArray_DESCR(a) != PyArray_DESCR(b) || PyArray_NDIM(a) != PyArray_NDIM(b)) return 0;
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_DIM(a, at) != PyArray_DIM(b, at)) return 0;
        return 1;
    }
    static CYTHON_INLINE PyObject *wengert_new(PyObject *cls) {
        PyObject *nothing = PyTuple_New(0);  /* a shared constant of the interpreter */
        if (nothing == NULL) return NULL;
        PyObject *result = ((PyTypeObject *)cls)->tp_new((PyTypeObject *)cls, nothing, NULL);
        Py_DECREF(nothing);
        return result;
    }
    static CYTHON_UNUSED int wengert_bind(PyObject *cls, PyObject *name, PyObject *value) {
        PyTypeObject *type = (PyTypeObject *)cls;
        if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return PyObject_SetAttr(cls, name, value);
        if (PyUnicode_CompareWithASCIIString(name, "__module__") == 0)  /* a part of a static class' name */
            type->tp_name = PyUnicode_CompareWithASCIIString(value, "torch") == 0 ? "torch.Tensor" : "wengert.Tensor";
        else if (PyDict_SetItem(type->tp_dict, name, value) < 0) return -1;
        PyType_Modified(type);
        return 0;
    }
    static CYTHON_UNUSED PyObject *wengert_subclass(PyObject *module, PyObject *name, PyObject *base) {
        PyObject *full = PyUnicode_FromFormat("%U.%U", module, name), *bases = full ? PyTuple_Pack(1, base) : NULL;
        PyType_Slot slots[] = {{0, NULL}};
        PyType_Spec spec = {full ? PyUnicode_AsUTF8(full) : NULL, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
        PyObject *result = bases && spec.name ? PyType_FromSpecWithBases(&spec, bases) : NULL;
        if (result) ((PyTypeObject *)result)->tp_name += PyUnicode_GET_LENGTH(module) + 1;  /* errors name it without */
        Py_XDECREF(bases), Py_XDECREF(full);
        return result;
    }
    static CYTHON_UNUSED PyObject *wengert_referent(PyObject *reference) {
    #if PY_VERSION_HEX >= 0x030D0000
        PyObject *result = NULL;
        if (PyWeakref_GetRef(reference, &result) < 0) return NULL;
        if (result) return result;
        Py_RETURN_NONE;
    #else
        return Py_XNewRef(PyWeakref_GetObject(reference));
    #endif
    }
    #define wengert_weak(value) PyWeakref_NewRef((PyObject *)(value), NULL)
    /* Tensor.attributes is the slot of the instance's dictionary: NULL until Python makes one. Cython fills new instances with
       None, so both ways of allocation (tp_new here, and Cython's direct call of it, by `begin`) put NULL there. The macros
       are used in base.py only, where the struct is known. */
    #define WENGERT_FIELD(object, offset) (*(PyObject **)((char *)(object) + (offset)))
    #define WENGERT_TENSOR struct __pyx_obj_7wengert_5_core_6tensor_4base_Tensor
    #define wengert_begin(tensor) Py_CLEAR(((WENGERT_TENSOR *)(tensor))->attributes)
    #define wengert_lazy_dict(cls) \
        wengert_set_dict_slot((PyTypeObject *)(cls), offsetof(WENGERT_TENSOR, attributes))
    static newfunc wengert_tensor_new;
    static PyObject *wengert_new_tensor(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
        PyObject *result = wengert_tensor_new(type, args, kwargs);
        if (result) {
            PyObject **slot = _PyObject_GetDictPtr(result);
            if (slot) Py_CLEAR(*slot);
        }
        return result;
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
        type->tp_name = "wengert.Tensor";  /* its public name, as in error messages */
        type->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;  /* programs put methods of their own on the class */
        PyType_Modified(type);
        return 0;
    }
    /* Call a native function with arrays in the place of tensors and of lists of them. The references are
       its own: another thread may replace the array of a tensor meanwhile. The macro is used where the struct is known. */
    #define WENGERT_MOST_ARGUMENTS 16
    #define wengert_on_arrays(function, args, cls) wengert_call_on_arrays( \
        (function), (args), (PyTypeObject *)(cls), offsetof(WENGERT_TENSOR, _array_))
    static PyObject *wengert_list_of_arrays(PyObject *values, PyTypeObject *tensor, Py_ssize_t offset) {
        Py_ssize_t count = PySequence_Fast_GET_SIZE(values);
        PyObject *arrays = PyList_New(count);
        if (arrays && PySequence_Fast_GET_SIZE(values) != count) { Py_DECREF(arrays); Py_RETURN_NOTIMPLEMENTED; }  /* a collection */
        for (Py_ssize_t at = 0; arrays && at < count; at++) {
            PyObject *element = PySequence_Fast_GET_ITEM(values, at);
            int is_tensor = PyObject_TypeCheck(element, tensor);
            if (!is_tensor && element != Py_None) { Py_DECREF(arrays); Py_RETURN_NOTIMPLEMENTED; }
            PyList_SET_ITEM(arrays, at, Py_NewRef(is_tensor ? WENGERT_FIELD(element, offset) : element));
        }
        return arrays;
    }
    /* The value, or the first one in a list that is not None; a borrowed reference. */
    static PyObject *wengert_first_of(PyObject *value) {
        if (!PyTuple_CheckExact(value) && !PyList_CheckExact(value)) return value;
        for (Py_ssize_t at = 0; at < PySequence_Fast_GET_SIZE(value); at++)
            if (PySequence_Fast_GET_ITEM(value, at) != Py_None) return PySequence_Fast_GET_ITEM(value, at);
        return Py_None;
    }
    static CYTHON_UNUSED PyObject *wengert_call_on_arrays(PyObject *function, PyObject *args, PyTypeObject *tensor, Py_ssize_t offset) {
        PyObject *arguments[WENGERT_MOST_ARGUMENTS] = {NULL}, *result = Py_NotImplemented;
        Py_ssize_t count = PyTuple_GET_SIZE(args), held = 0;
        if (count > WENGERT_MOST_ARGUMENTS) Py_RETURN_NOTIMPLEMENTED;
        for (; held < count; held++) {
            PyObject *value = PyTuple_GET_ITEM(args, held);
            if (PyObject_TypeCheck(value, tensor)) {
                value = Py_NewRef(WENGERT_FIELD(value, offset));
            } else if (Py_TYPE(value) == &PyLong_Type || value == Py_None) {
                Py_INCREF(value);
            } else {
                PyObject *first = wengert_first_of(value);
                if (wengert_as_ndarray(first)) break;  /* a program's array: refused by the card, or converted to a tensor */
                value = PyObject_TypeCheck(first, tensor) ? wengert_list_of_arrays(value, tensor, offset) : Py_NewRef(value);
                if (value == NULL) { result = NULL; break; }
                if (value == Py_NotImplemented) { Py_DECREF(value); break; }
            }
            arguments[held] = value;
        }
        if (held == count) result = PyObject_Vectorcall(function, arguments, (size_t)count, NULL);
        else Py_XINCREF(result);
        while (held > 0) Py_DECREF(arguments[--held]);
        if (result == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {  /* an array of that size: the body refuses it by name */
            PyErr_Clear();
            Py_RETURN_NOTIMPLEMENTED;
        }
        return result;
    }
    static CYTHON_UNUSED int wengert_is_part_of(PyObject *array, PyObject *base_array) {
        PyArrayObject *a = wengert_as_ndarray(array), *other = wengert_as_ndarray(base_array);
        PyObject *base = a ? PyArray_BASE(a) : NULL;
        return base && other && (base == base_array || base == PyArray_BASE(other));
    }
    static CYTHON_UNUSED PyObject *wengert_base_of(PyObject *array) {
        PyArrayObject *a = wengert_as_ndarray(array);
        if (a == NULL) return wengert_attribute(array, "base");
        return Py_NewRef(PyArray_BASE(a) ? PyArray_BASE(a) : Py_None);
    }
    static CYTHON_UNUSED int wengert_is_laid_like(PyObject *array, PyObject *other) {
        PyArrayObject *a = wengert_as_ndarray(array), *b = wengert_as_ndarray(other);
        if (a == NULL || b == NULL || PyArray_NDIM(a) != PyArray_NDIM(b)) return 0;
        for (int at = 0; at < PyArray_NDIM(a); at++)
            if (PyArray_STRIDE(a, at) != PyArray_STRIDE(b, at)) return 0;
        return 1;
    }
    #define wengert_owns_memory(array) wengert_has_flag((array), NPY_ARRAY_OWNDATA)
    #define wengert_references(value) ((long)Py_REFCNT((PyObject *)(value)))
    /* The slot owns its value until modes.py clears it at the thread's end. A thread state may die and its thread live on
       (callbacks from C), hence the check of the state's id, which is never used twice. */
    static __thread uint64_t wengert_owner;
    static __thread PyObject *wengert_value;
    static CYTHON_INLINE PyObject *wengert_recall(void) {
        PyObject *result = Py_None;
        if (wengert_value && wengert_owner == PyThreadState_GetID(PyThreadState_Get())) result = wengert_value;
        Py_INCREF(result);
        return result;
    }
    static CYTHON_INLINE void wengert_remember(PyObject *value) {
        PyObject *before = wengert_value;
        Py_INCREF(value);
        wengert_owner = PyThreadState_GetID(PyThreadState_Get());
        wengert_value = value;
        Py_XDECREF(before);
    }
    #define wengert_forget() Py_CLEAR(wengert_value)
    """
    object new "wengert_new"(object cls)
    int bind "wengert_bind"(object cls, object name, object value) except -1
    object weak "wengert_weak"(object value)
    object referent "wengert_referent"(object reference)
    bint is_ndarray "wengert_is_ndarray"(object value)
    tuple shape_of "wengert_shape_of"(object array)
    object shape_as "wengert_shape_as"(object array, object cls)
    object number_in "wengert_number_in"(object array)
    object entry "wengert_entry"(object mapping, object key)
    object incremented "wengert_incremented"(list arrays)
    object statuses "wengert_statuses"(str root, list names)
    tuple with_first "wengert_with_first"(tuple values, object first)
    bint has_rows "wengert_has_rows"(object array)
    object plain_range "wengert_plain_range"(object part)
    object address_of "wengert_address_of"(object array)
    object dtype_of "wengert_dtype_of"(object array)
    Py_ssize_t ndim_of "wengert_ndim_of"(object array) except? -1
    bint is_complex "wengert_is_complex"(object array) except -1
    bint is_half "wengert_is_half"(object value)
    bint is_inexact "wengert_is_inexact"(object array) except -1
    Py_ssize_t size_of "wengert_size_of"(object array) except -1
    bint is_row_major "wengert_is_row_major"(object array) except -1
    bint has_zero_stride "wengert_has_zero_stride"(object array) except -1
    bint keeps_rows "wengert_keeps_rows"(object array) except -1
    bint in_space "wengert_in_space"(object array, tuple shape, object dtype)
    bint share_space "wengert_share_space"(object array, object other)
    int lazy_dict "wengert_lazy_dict"(object cls) except -1
    void begin "wengert_begin"(object tensor)
    object subclass "wengert_subclass"(str module, str name, object base)
    object on_arrays "wengert_on_arrays"(object function, tuple args, object cls)
    bint is_part_of "wengert_is_part_of"(object array, object base_array)
    object base_of "wengert_base_of"(object array)
    bint is_laid_like "wengert_is_laid_like"(object array, object other)
    bint owns_memory "wengert_owns_memory"(object array)
    int64_t references "wengert_references"(object value)
    object recall "wengert_recall"()
    void remember "wengert_remember"(object value)
    void forget "wengert_forget"()
