// Small matrix products. Larger ones are the twin's: NumPy brings a BLAS, whose call costs more than a small product.
#include "common.hpp"

namespace wengert {
namespace {

Twin matmul_twin("matmul"), linear_twin("linear");

constexpr npy_intp small_work = 8192;  // multiplications; measured: here both ways take the same time

struct Matrix {
    PyArrayObject* array = nullptr;
    bool transposed = false;
};

// A matrix whose rows, or whose columns, lie one after the other.
Matrix as_matrix(PyObject* object) {
    if (!PyArray_CheckExact(object)) return {};
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    if (PyArray_NDIM(array) != 2 || !(PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED)) return {};
    if (PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS) return {array, false};
    if (PyArray_FLAGS(array) & NPY_ARRAY_F_CONTIGUOUS) return {array, true};
    return {};
}

template <class T>
PyObject* product(PyArrayObject* a, PyArrayObject* b, bool transposed, const T* bias) {
    const npy_intp rows = PyArray_DIM(a, 0), depth = PyArray_DIM(a, 1), columns = PyArray_SIZE(b) / (depth ? depth : 1);
    const npy_intp shape[2] = {rows, columns};
    Owned result(new_array(descr_of<T>(), 2, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    loops<T>().small_product(data_of<T>(a), data_of<T>(b), out, rows, depth, columns, transposed);
    for (npy_intp i = 0; bias && i < rows; ++i) loops<T>().binary[ADD](out + i * columns, 1, bias, 1, out + i * columns, columns);
    return result.give();
}

bool is_small(PyArrayObject* a, PyArrayObject* b) {
    return PyArray_SIZE(a) > 0 && PyArray_SIZE(b) > 0 && PyArray_SIZE(a) <= small_work &&
           PyArray_SIZE(a) * (PyArray_SIZE(b) / PyArray_DIM(a, 1)) <= small_work;
}

PyObject* compute_matmul(PyObject** slots) {
    PyArrayObject* a = plain(slots[0]);
    const Matrix b = as_matrix(slots[1]);
    if (!a || !b.array || !absent(slots[2]) || PyArray_NDIM(a) != 2 || PyArray_DESCR(a) != PyArray_DESCR(b.array)) return nullptr;
    if (PyArray_DIM(a, 1) != PyArray_DIM(b.array, 0) || !is_small(a, b.array)) return nullptr;
    if (PyArray_DESCR(a) == float_descr) return product<float>(a, b.array, b.transposed, nullptr);
    return PyArray_DESCR(a) == double_descr ? product<double>(a, b.array, b.transposed, nullptr) : nullptr;
}

template <class T>
PyObject* compute_linear(PyObject** slots) {
    PyArrayObject *x = plain(slots[0], descr_of<T>()), *weight = plain(slots[1], descr_of<T>());
    const T* bias;
    if (!x || !weight || PyArray_NDIM(x) != 2 || PyArray_NDIM(weight) != 2) return nullptr;
    if (PyArray_DIM(x, 1) != PyArray_DIM(weight, 1) || !is_small(x, weight)) return nullptr;
    if (!absent(slots[2])) {
        PyArrayObject* shift = plain(slots[2]);
        if (!shift || PyArray_NDIM(shift) != 1) return nullptr;
    }
    if (!optional_data(slots[2], PyArray_DIM(weight, 0), bias)) return nullptr;
    return product<T>(x, weight, true, bias);
}

const char* const matmul_names[] = {"a", "b", "out"};
const char* const linear_names[] = {"x", "weight", "bias"};

PyObject* matmul(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(matmul_twin, matmul_names, 2, args, nargs, kwnames, compute_matmul);
}
PyObject* linear(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(linear_twin, linear_names, 2, args, nargs, kwnames, [](PyObject** slots) {
        return plain(slots[0], float_descr) ? compute_linear<float>(slots) : compute_linear<double>(slots);
    });
}

PyMethodDef matmul_methods[] = {
    fast_method("matmul", matmul, "matmul(a, b, out=None)"),
    fast_method("linear", linear, "linear(x, weight, bias=None)"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList matmul_list(matmul_methods);

}  // namespace
}  // namespace wengert
