// Products of two matrices with their twins' names.
#include "linalg/product.hpp"

namespace wengert {
namespace {

Twin matmul_twin("matmul"), linear_twin("linear");

template <class T> PyObject* compute_matmul(PyObject** slots) {
    Matrix<T> a, b;
    if (!absent(slots[2]) || !as_matrix(slots[0], a) || !as_matrix(slots[1], b)) return nullptr;
    return reinterpret_cast<PyObject*>(product(a, b));
}

template <class T> PyObject* compute_linear(PyObject** slots) {
    Matrix<T> x, weight;
    const T* bias;
    if (!as_matrix(slots[0], x) || !as_matrix(slots[1], weight)) return nullptr;
    if (!absent(slots[2])) {
        PyArrayObject* shift = plain(slots[2]);
        if (!shift || PyArray_NDIM(shift) != 1) return nullptr;
    }
    if (!optional_data(slots[2], weight.rows, bias)) return nullptr;
    bool added = false;
    Owned result(product(x, weight.transposed(), false, bias, &added));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const npy_intp columns = weight.rows;
    if (!bias || added) return result.give();
    ReleaseGil unlocked((Size(x.rows) * columns).value_or_most() >= thread_threshold);
    parallel_for(x.rows, columns, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i)
            loops<T>().binary[ADD](out + i * columns, 1, bias, 1, out + i * columns, columns);
    });
    return result.give();
}

const char* const matmul_names[] = {"a", "b", "out"};
const char* const linear_names[] = {"x", "weight", "bias"};

PyObject* matmul(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(matmul_twin, matmul_names, 2, args, nargs, kwnames, [](PyObject** slots) {
        return aligned(slots[0], float_descr) ? compute_matmul<float>(slots) : compute_matmul<double>(slots);
    });
}
PyObject* linear(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(linear_twin, linear_names, 2, args, nargs, kwnames, [](PyObject** slots) {
        return aligned(slots[0], float_descr) ? compute_linear<float>(slots) : compute_linear<double>(slots);
    });
}

PyMethodDef matmul_methods[] = {
    WENGERT_FUNCTION(matmul, "(a, b, out=None)", matmul),
    WENGERT_FUNCTION(linear, "(x, weight, bias=None)", linear),
    {nullptr, nullptr, 0, nullptr},
};
MethodList matmul_list(matmul_methods);

}  // namespace
}  // namespace wengert
