// Complex numbers of their parts: for the dispatcher only.
#include "binding/complex_parts.hpp"
#include "pointwise/pointwise.hpp"
#include "pointwise/ufuncs.hpp"

#include <algorithm>
#include <cmath>

namespace wengert {
namespace {

constexpr npy_intp few = 256;  // beyond, NumPy's vectors take less time

template <class T> PyObject* of_angles(PyArrayObject* sizes, PyArrayObject* angles, int type) {
    PyArray_Descr* descr = PyArray_DescrFromType(type);
    Owned result(new_array(descr, PyArray_NDIM(sizes), PyArray_DIMS(sizes)));
    Py_DECREF(descr);
    if (!result) return nullptr;
    const T *size = data_of<T>(sizes), *angle = data_of<T>(angles);
    T* out = data_of<T>(result.get());  // two numbers for each
    for (npy_intp i = 0; i < PyArray_SIZE(sizes); ++i) {
        out[2 * i] = size[i] * std::cos(angle[i]);
        out[2 * i + 1] = size[i] * std::sin(angle[i]);
    }
    return result.give();
}
// polar(abs, angle), of one dtype and shape
PyObject* polar(PyObject* const* args) {
    PyArrayObject *sizes = plain(args[0]), *angles = sizes ? plain(args[1], PyArray_DESCR(sizes)) : nullptr;
    if (!angles || !same_shape(sizes, angles) || PyArray_SIZE(sizes) == 0 || PyArray_SIZE(sizes) > few) return nullptr;
    if (PyArray_DESCR(sizes) == float_descr) return of_angles<float>(sizes, angles, NPY_CFLOAT);
    return PyArray_DESCR(sizes) == double_descr ? of_angles<double>(sizes, angles, NPY_CDOUBLE) : nullptr;
}

// Of real numbers: pi where they are negative.
template <class T> PyObject* angle_of_reals(PyArrayObject* x) {
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* from = data_of<T>(x);
    T* out = data_of<T>(result.get());
    for_all(PyArray_SIZE(x), 1, [=](npy_intp begin, npy_intp end) {
        constexpr T pi = static_cast<T>(3.14159265358979323846);
        for (npy_intp i = begin; i < end; ++i) {
            const T angle = from[i] < 0 ? pi : T(0);
            out[i] = from[i] != from[i] ? from[i] : angle;
        }
    });
    return result.give();
}

// angle(self) of real numbers, and of complex64, whose parts lie side by side
PyObject* angle(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    if (x && PyArray_DESCR(x) == float_descr) return angle_of_reals<float>(x);
    if (x && PyArray_DESCR(x) == double_descr) return angle_of_reals<double>(x);
    if (!x || PyArray_TYPE(x) != NPY_CFLOAT || PyArray_ISBYTESWAPPED(x) || PyArray_SIZE(x) == 0) return nullptr;
    Owned result(new_array(float_descr, PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const float* parts = data_of<float>(x);
    float* out = data_of<float>(result.get());
    for_all(PyArray_SIZE(x), 16, [=](npy_intp begin, npy_intp end) {
        constexpr npy_intp piece = 1024;
        float real[piece], imaginary[piece];
        for (npy_intp at = begin; at < end; at += piece) {
            const npy_intp some = std::min(piece, end - at);
            for (npy_intp i = 0; i < some; ++i) real[i] = parts[2 * (at + i)], imaginary[i] = parts[2 * (at + i) + 1];
            loops<float>().binary[ARCTAN2](imaginary, 1, real, 1, out + at, some);
        }
    });
    return result.give();
}

// complex(real, imag), of one dtype and shape
template <class T> PyObject* joined(PyArrayObject* real, PyArrayObject* imaginary, int type) {
    PyArray_Descr* descr = PyArray_DescrFromType(type);
    Owned result(new_array(descr, PyArray_NDIM(real), PyArray_DIMS(real)));
    Py_DECREF(descr);
    if (!result) return nullptr;
    const T *real_data = data_of<T>(real), *imaginary_data = data_of<T>(imaginary);
    T* out = data_of<T>(result.get());
    for_all(PyArray_SIZE(real), 2, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) out[2 * i] = real_data[i], out[2 * i + 1] = imaginary_data[i];
    });
    return result.give();
}
PyObject* complex_numbers(PyObject* const* args) {
    PyArrayObject *real = plain(args[0]), *imaginary = real ? plain(args[1], PyArray_DESCR(real)) : nullptr;
    if (!imaginary || !same_shape(real, imaginary) || PyArray_SIZE(real) == 0) return nullptr;
    if (PyArray_DESCR(real) == float_descr) return joined<float>(real, imaginary, NPY_CFLOAT);
    return PyArray_DESCR(real) == double_descr ? joined<double>(real, imaginary, NPY_CDOUBLE) : nullptr;
}

template <class T> PyObject* conjugated(PyArrayObject* x) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* from = data_of<T>(x);
    T* out = data_of<T>(result.get());
    for_all(PyArray_SIZE(x), 2, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) out[2 * i] = from[2 * i], out[2 * i + 1] = -from[2 * i + 1];
    });
    return result.give();
}
// conjugate(self) of complex numbers, whose strides the result has
PyObject* conjugate(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    return x && is_row_major(x) ? conjugate_of(args[0]) : nullptr;
}

// Each number divided by its absolute value; 0 for 0.
template <class T> PyObject* signs_of(PyArrayObject* x) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* from = data_of<T>(x);
    T* out = data_of<T>(result.get());
    for (npy_intp i = 0; i < 2 * PyArray_SIZE(x); i += 2) {
        const T size = std::hypot(from[i], from[i + 1]);
        out[i] = size == 0 ? 0 : from[i] / size, out[i + 1] = size == 0 ? 0 : from[i + 1] / size;
    }
    return result.give();
}
// sgn(self), of few complex numbers
PyObject* sgn(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    if (!is_complex(x)) return direct_unary(SIGN, args[0]);
    if (PyArray_SIZE(x) == 0 || PyArray_SIZE(x) > few) return nullptr;
    return PyArray_TYPE(x) == NPY_CFLOAT ? signs_of<float>(x) : signs_of<double>(x);
}

Methods part_methods({
    WENGERT_ENTRY(sgn, "(self)", in_operand_order<direct<1, sgn>>),
    WENGERT_ENTRY(complex, "(real, imag)", in_operand_order<direct<2, complex_numbers>>),
    WENGERT_ENTRY(conjugate, "(self)", in_operand_order<direct<1, conjugate>>),
    WENGERT_ENTRY(angle, "(self)", in_operand_order<direct<1, angle>>),
    WENGERT_ENTRY(polar, "(abs, angle)", in_operand_order<direct<2, polar>>),
});

}  // namespace

PyArrayObject* reinterpreted_as(PyArrayObject* array, PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    Py_INCREF(descr);
    auto* view = reinterpret_cast<PyArrayObject*>(
        PyArray_NewFromDescr(&PyArray_Type, descr, ndim, shape, nullptr, PyArray_DATA(array),
                             PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, nullptr));
    if (!view) return nullptr;
    Py_INCREF(array);
    if (PyArray_SetBaseObject(view, reinterpret_cast<PyObject*>(array)) == 0) return view;
    return Py_DECREF(view), nullptr;
}

PyObject* conjugate_of(PyObject* object) {
    PyArrayObject* x = plain(object);
    if (!is_complex(x) || PyArray_SIZE(x) == 0) return nullptr;
    return PyArray_TYPE(x) == NPY_CFLOAT ? conjugated<float>(x) : conjugated<double>(x);
}

PyArrayObject* parts_of(PyArrayObject* x) {
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = PyArray_NDIM(x);
    std::copy(PyArray_DIMS(x), PyArray_DIMS(x) + ndim, shape);
    shape[ndim] = 2;
    return reinterpreted_as(x, PyArray_TYPE(x) == NPY_CFLOAT ? float_descr : double_descr, ndim + 1, shape);
}

PyObject* complex_of(PyObject* parts) {
    const Owned array(reinterpret_cast<PyArrayObject*>(parts));
    if (!array) return nullptr;
    PyArray_Descr* descr = PyArray_DescrFromType(PyArray_DESCR(array.get()) == float_descr ? NPY_CFLOAT : NPY_CDOUBLE);
    PyArrayObject* view =
        reinterpreted_as(array.get(), descr, PyArray_NDIM(array.get()) - 1, PyArray_DIMS(array.get()));
    Py_DECREF(descr);
    return reinterpret_cast<PyObject*>(view);
}

PyObject* over_count(PyObject* sums, npy_intp count) {
    static Ufunc divide{"numpy", "divide"};
    if (!sums) return nullptr;
    PyObject* number = PyLong_FromSsize_t(count / PyArray_SIZE(reinterpret_cast<PyArrayObject*>(sums)));
    PyObject* quotient = number ? of_two_complex(divide, sums, number) : nullptr;
    if (!quotient && number && !PyErr_Occurred()) quotient = PyNumber_TrueDivide(sums, number);  // of many
    Py_XDECREF(number);
    Py_DECREF(sums);
    return quotient;
}

PyObject* named_dims(PyObject* dim, int ndim, int further) {
    bool marked[NPY_MAXDIMS] = {};
    int count = 0;
    const auto mark = [&](PyObject* object) {
        int axis;
        if (!as_axis(object, ndim, axis) || marked[axis]) return false;
        return ++count, marked[axis] = true;
    };
    if (PyTuple_CheckExact(dim)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dim); ++i)
            if (!mark(PyTuple_GET_ITEM(dim, i))) return nullptr;
    } else if (dim != Py_None && !mark(dim)) {
        return nullptr;
    }
    const bool all = count == 0;
    PyObject* dims = PyTuple_New((all ? ndim : count) + further);
    Py_ssize_t at = 0;
    for (int axis = 0; dims && axis < ndim + further; ++axis) {
        if (axis < ndim && !all && !marked[axis]) continue;
        PyObject* number = PyLong_FromLong(axis);
        if (!number)
            Py_CLEAR(dims);
        else
            PyTuple_SET_ITEM(dims, at++, number);
    }
    return dims;
}
}  // namespace wengert
