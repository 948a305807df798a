// Products of complex matrices, computed as products of real ones. The left factor is read as a real matrix that has
// the real and imaginary parts side by side; each row of numbers a + b i of the right factor becomes two rows,
// (a, b, ...) and (-b, a, ...).
#include "binding/complex_parts.hpp"
#include "linalg/product.hpp"

namespace wengert {
namespace {

// A batch of complex matrices; strides in bytes.
struct Factors {
    PyArrayObject* array;
    npy_intp count, rows, columns, step, row, column;
    bool conjugated;

    Factors transposed() const { return {array, count, columns, rows, step, column, row, conjugated}; }
    Factors conjugate() const { return {array, count, rows, columns, step, row, column, !conjugated}; }
    Factors adjoint() const { return transposed().conjugate(); }
    bool is_row_major(npy_intp size) const {
        return !conjugated && column == size && row == columns * size && (count == 1 || step == rows * row);
    }
};

PyArrayObject* complex_array(PyObject* object, int ndim) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return is_complex(array) && (PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) && PyArray_NDIM(array) == ndim ? array
                                                                                                          : nullptr;
}
bool as_matrices(PyObject* object, Factors& factors, int ndim) {
    PyArrayObject* x = complex_array(object, ndim);
    if (!x) return false;
    const npy_intp *shape = PyArray_DIMS(x), *strides = PyArray_STRIDES(x);
    const bool batch = ndim == 3;
    factors = {x,
               batch ? shape[0] : 1,
               shape[ndim - 2],
               shape[ndim - 1],
               batch ? strides[0] : 0,
               strides[ndim - 2],
               strides[ndim - 1],
               false};
    return true;
}
bool as_column(PyObject* object, Factors& factors) {
    PyArrayObject* x = complex_array(object, 1);
    if (x) factors = {x, 1, PyArray_DIM(x, 0), 1, 0, PyArray_STRIDE(x, 0), 0, false};
    return x;
}

// Call write(index of the matrix, row, column, real part, imaginary part) for each element.
template <class T, class Write> void for_each_element(const Factors& from, const Write& write) {
    for (npy_intp i = 0; i < from.count; ++i)
        for (npy_intp row = 0; row < from.rows; ++row) {
            const char* data = PyArray_BYTES(from.array) + i * from.step + row * from.row;
            for (npy_intp column = 0; column < from.columns; ++column, data += from.column) {
                const T* parts = reinterpret_cast<const T*>(data);
                write(i, row, column, parts[0], from.conjugated ? -parts[1] : parts[1]);
            }
        }
}
// A new batch of real matrices; a single one has no batch dimension.
template <class T> PyArrayObject* new_matrices(npy_intp count, npy_intp rows, npy_intp columns) {
    const npy_intp shape[3] = {count, rows, columns};
    return count == 1 ? new_array(descr_of<T>(), 2, shape + 1) : new_array(descr_of<T>(), 3, shape);
}
// The left factor as a real matrix with twice as many columns.
template <class T> PyArrayObject* left_parts(const Factors& left) {
    const npy_intp wide[3] = {left.count, left.rows, 2 * left.columns};
    if (left.is_row_major(2 * sizeof(T)))
        return reinterpreted_as(left.array, descr_of<T>(), left.count == 1 ? 2 : 3, left.count == 1 ? wide + 1 : wide);
    Owned result(new_matrices<T>(left.count, left.rows, 2 * left.columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    for_each_element<T>(left,
                        [&](npy_intp, npy_intp, npy_intp, T real, T imaginary) { *out++ = real, *out++ = imaginary; });
    return result.take();
}
// The right factor as a real matrix with twice as many rows and columns.
template <class T> PyArrayObject* right_parts(const Factors& right) {
    const npy_intp width = 2 * right.columns;
    Owned result(new_matrices<T>(right.count, 2 * right.rows, width));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    if (right.is_row_major(2 * sizeof(T))) {
        const T* from = reinterpret_cast<const T*>(PyArray_BYTES(right.array));
        for (npy_intp row = 0; row < right.count * right.rows; ++row, from += width, out += 2 * width) {
            std::copy_n(from, width, out);
            for (npy_intp j = 0; j < width; j += 2) out[width + j] = -from[j + 1], out[width + j + 1] = from[j];
        }
        return result.take();
    }
    for_each_element<T>(right, [=](npy_intp i, npy_intp row, npy_intp column, T real, T imaginary) {
        T* const pair = out + ((i * right.rows + row) * 2) * width + 2 * column;
        pair[0] = real, pair[1] = imaginary, pair[width] = -imaginary, pair[width + 1] = real;
    });
    return result.take();
}

// Whether the copy of the right factor, of twice its bytes, is cheap beside the product: with few rows on the left only
// that of a small right factor is.
bool is_worthwhile(const Factors& left, const Factors& right) {
    constexpr npy_intp few_rows = 4, few = 4096, most = 1 << 20;
    const npy_intp numbers = (Size(right.count) * right.rows * right.columns).value_or_most();
    const npy_intp other = (Size(left.count) * left.rows * left.columns).value_or_most();
    return numbers > 0 && other > 0 && other <= 4 * most && numbers <= (left.rows >= few_rows ? most : few);
}

// a b as a row-major array of `shape`.
template <class T> PyObject* typed(const Factors& a, const Factors& b, int ndim, const npy_intp* shape) {
    const Owned left(left_parts<T>(a)), right(left ? right_parts<T>(b) : nullptr);
    if (!right) return nullptr;
    const Owned product(reinterpret_cast<PyArrayObject*>(real_products(left.get(), right.get())));
    return product ? reinterpret_cast<PyObject*>(reinterpreted_as(product.get(), PyArray_DESCR(a.array), ndim, shape))
                   : nullptr;
}
PyObject* multiplied(const Factors& a, const Factors& b, int ndim, const npy_intp* shape) {
    if (PyArray_TYPE(a.array) != PyArray_TYPE(b.array) || a.count != b.count || a.columns != b.rows ||
        !is_worthwhile(a, b))
        return nullptr;
    return PyArray_TYPE(a.array) == NPY_CFLOAT ? typed<float>(a, b, ndim, shape) : typed<double>(a, b, ndim, shape);
}
PyObject* matrix_of(const Factors& a, const Factors& b) {
    const npy_intp shape[2] = {a.rows, b.columns};
    return multiplied(a, b, 2, shape);
}
PyObject* batch_of(const Factors& a, const Factors& b) {
    const npy_intp shape[3] = {a.count, a.rows, b.columns};
    return multiplied(a, b, 3, shape);
}
// a b as the gradient of a factor, in the memory order of that factor.
PyObject* grad_of_factor(const Factors& a, const Factors& b, const SavedLayout& layout) {
    if (a.rows != layout.shape[0] || b.columns != layout.shape[1]) return nullptr;
    if (!layout.by_columns(PyArray_ITEMSIZE(a.array))) return matrix_of(a, b);
    const Owned transposed(reinterpret_cast<PyArrayObject*>(matrix_of(b.transposed(), a.transposed())));
    return transposed ? PyArray_Transpose(transposed.get(), nullptr) : nullptr;
}

}  // namespace

PyObject* complex_mm(PyObject* const* args) {
    Factors a, b;
    return as_matrices(args[0], a, 2) && as_matrices(args[1], b, 2) ? matrix_of(a, b) : nullptr;
}
PyObject* complex_mv(PyObject* const* args) {
    Factors a, b;
    return as_matrices(args[0], a, 2) && as_column(args[1], b) ? multiplied(a, b, 1, &a.rows) : nullptr;
}
PyObject* complex_dot(PyObject* const* args) {
    Factors a, b;
    return as_column(args[0], a) && as_column(args[1], b) ? multiplied(a.transposed(), b, 0, nullptr) : nullptr;
}
PyObject* complex_vdot(PyObject* const* args) {
    Factors a, b;
    return as_column(args[0], a) && as_column(args[1], b) ? multiplied(a.adjoint(), b, 0, nullptr) : nullptr;
}
PyObject* complex_bmm(PyObject* const* args) {
    Factors a, b;
    return as_matrices(args[0], a, 3) && as_matrices(args[1], b, 3) ? batch_of(a, b) : nullptr;
}
// The product of a batch with a batch of as many matrices, or with one matrix; then the rows of all matrices of the
// batch are those of a single one.
PyObject* complex_matmul(PyObject* const* args) {
    Factors a, b;
    if (!as_matrices(args[0], a, 3)) return nullptr;
    if (as_matrices(args[1], b, 3)) return batch_of(a, b);
    if (!as_matrices(args[1], b, 2) || !a.is_row_major(PyArray_ITEMSIZE(a.array))) return nullptr;
    const npy_intp shape[3] = {a.count, a.rows, b.columns};
    a.rows = (Size(a.rows) * a.count).value_or_most(), a.count = 1;
    return multiplied(a, b, 3, shape);
}
PyObject* complex_first_rule(PyObject* const* args) {
    Factors grad, other;
    SavedLayout layout;
    if (!as_matrices(args[0], grad, 2) || !as_matrices(args[1], other, 2) || !as_saved_layout(args[2], args[3], layout))
        return nullptr;
    return grad_of_factor(grad, other.adjoint(), layout);
}
PyObject* complex_second_rule(PyObject* const* args) {
    Factors grad, other;
    SavedLayout layout;
    if (!as_matrices(args[0], grad, 2) || !as_matrices(args[1], other, 2) || !as_saved_layout(args[2], args[3], layout))
        return nullptr;
    return grad_of_factor(other.adjoint(), grad, layout);
}
PyObject* complex_bmm_first_rule(PyObject* const* args) {
    Factors grad, other;
    return as_matrices(args[0], grad, 3) && as_matrices(args[1], other, 3) ? batch_of(grad, other.adjoint()) : nullptr;
}
PyObject* complex_bmm_second_rule(PyObject* const* args) {
    Factors grad, other;
    return as_matrices(args[0], grad, 3) && as_matrices(args[1], other, 3) ? batch_of(other.adjoint(), grad) : nullptr;
}
PyObject* complex_mv_first_rule(PyObject* const* args) {
    Factors grad, vec;
    if (!as_column(args[0], grad) || !as_column(args[1], vec) || grad.rows < 2 || vec.rows < 2) return nullptr;
    return matrix_of(grad, vec.adjoint());
}
PyObject* complex_mv_second_rule(PyObject* const* args) {
    Factors grad, other;
    if (!as_column(args[0], grad) || !as_matrices(args[1], other, 2)) return nullptr;
    return multiplied(other.adjoint(), grad, 1, &other.columns);
}
PyObject* complex_dot_rule(PyObject* const* args) {
    Factors other;
    PyArrayObject* grad = complex_array(args[0], 0);
    if (!grad || !as_column(args[1], other)) return nullptr;
    return multiplied({grad, 1, 1, 1, 0, 0, 0, false}, other.adjoint(), 1, &other.rows);
}

namespace {

Methods complex_methods({
    WENGERT_ENTRY(vdot, "(self, other) of complex numbers", direct<2, complex_vdot>),
});

}  // namespace
}  // namespace wengert
