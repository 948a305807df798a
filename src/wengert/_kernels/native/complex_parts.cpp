// Complex numbers of their parts: for the dispatcher only.
#include "laid.hpp"

#include <algorithm>
#include <cmath>

namespace wengert {
namespace {

constexpr npy_intp few = 256;  // beyond, NumPy's vectors of sines take less time

template <class T>
PyObject* of_angles(PyArrayObject* sizes, PyArrayObject* angles, int type) {
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
template <class T>
PyObject* angle_of_reals(PyArrayObject* x) {
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* from = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
        constexpr T half_turn = static_cast<T>(3.14159265358979323846);
        for (npy_intp i = begin; i < end; ++i) out[i] = from[i] != from[i] ? from[i] : from[i] < 0 ? half_turn : T(0);
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
    const npy_intp count = PyArray_SIZE(x);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 16, [=](npy_intp begin, npy_intp end) {
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

PyMethodDef part_methods[] = {
    direct_method("direct_angle", iterated<direct<1, angle>>, "angle(self), or NotImplemented"),
    direct_method("direct_polar", iterated<direct<2, polar>>, "polar(abs, angle), or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList part_list(part_methods);

}  // namespace
}  // namespace wengert
