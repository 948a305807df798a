// Products of matrices, vectors and batches, and the gradients of their factors: small ones by the loops of
// linalg/small.inc, large ones by packed panels, thin ones by NumPy's BLAS.
#include "binding/complex_products.hpp"
#include "binding/halved.hpp"
#include "linalg/product.hpp"

#include <numeric>
#include <vector>

namespace wengert {
namespace {

PyObject* as_object(PyArrayObject* array) { return reinterpret_cast<PyObject*>(array); }

template <class T> PyObject* as_operand(const Matrix<T>& matrix) {
    return matrix.is_transposed ? PyArray_Transpose(matrix.array, nullptr) : Py_NewRef(as_object(matrix.array));
}
// a b by NumPy's BLAS, called without a ufunc.
template <class T> PyArrayObject* blas_product(const Matrix<T>& a, const Matrix<T>& b) {
    const npy_intp shape[2] = {a.rows, b.columns};
    const bool large = is_large(descr_of<T>(), 2, shape) && PyArray_NDIM(a.array) == 2 && PyArray_NDIM(b.array) == 2;
    Owned out(large ? new_array(descr_of<T>(), 2, shape) : nullptr);
    if (large && !out) return nullptr;
    PyObject *left = as_operand(a), *right = left ? as_operand(b) : nullptr, *result = nullptr;
    if (right) result = with_python([&] { return PyArray_MatrixProduct2(left, right, out.get()); });
    Py_XDECREF(left);
    Py_XDECREF(right);
    if (result && !PyArray_CheckExact(result)) Py_CLEAR(result);  // a scalar
    return reinterpret_cast<PyArrayObject*>(result);
}
// a b as a new matrix in row-major or column-major order; null without an error if a length is 0 or the inner lengths
// differ. A bias is added as by `product`.
template <class T>
PyArrayObject* product_of(const Matrix<T>& a, const Matrix<T>& b, bool by_columns = false, const T* bias = nullptr,
                          bool* added = nullptr) {
    PyArrayObject* native_result = product(a, b, by_columns, bias, added);
    if (native_result || PyErr_Occurred()) return native_result;
    if (a.columns != b.rows || a.rows == 0 || a.columns == 0 || b.columns == 0) return nullptr;
    if (!by_columns) return blas_product(a, b);
    Owned transposed(blas_product(b.transposed(), a.transposed()));
    return transposed ? reinterpret_cast<PyArrayObject*>(PyArray_Transpose(transposed.get(), nullptr)) : nullptr;
}

// The product, noted for replays.
template <class T> void multiply_noted(const Matrix<T>& a, const Matrix<T>& b, T* out) {
    do_work([=] { multiply(a, b, out); }, {a.factor.data, b.factor.data, out});
}

// mm(self, mat2)
template <class T> PyObject* mm(PyObject* const* args) {
    Matrix<T> a, b;
    return as_matrix(args[0], a) && as_matrix(args[1], b) ? as_object(product_of(a, b)) : nullptr;
}

// mv(self, vec)
template <class T> PyObject* mv(PyObject* const* args) {
    Matrix<T> a, b;
    if (!as_matrix(args[0], a) || !as_column(args[1], b) || a.columns != b.rows || a.rows == 0 || b.rows == 0)
        return nullptr;
    if (!is_small(a, b)) return as_object(blas_product(a, b));
    Owned result(new_array(descr_of<T>(), 1, &a.rows));
    if (result) multiply_noted(a, b, data_of<T>(result.get()));
    return result.give();
}

// The inner product of long vectors, in pieces that do not depend on the number of threads.
template <class T> PyObject* long_dot(const T* a, const T* b, npy_intp count) {
    constexpr npy_intp piece = 16384;
    const npy_intp pieces = (count + piece - 1) / piece;
    std::vector<double> part(static_cast<size_t>(pieces));
    double* parts = part.data();
    {
        ReleaseGil unlocked(true);
        parallel_for(pieces, piece, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                parts[i] = loops<T>().row_centred_product(a + i * piece, b + i * piece,
                                                          std::min(piece, count - i * piece), T(0));
        });
    }
    Owned result(new_array(descr_of<T>(), 0, nullptr));
    if (result) *data_of<T>(result.get()) = static_cast<T>(std::accumulate(part.begin(), part.end(), 0.0));
    return result.give();
}
// dot(self, tensor)
template <class T> PyObject* dot(PyObject* const* args) {
    Matrix<T> a, b;
    if (!as_column(args[0], a) || !as_column(args[1], b)) return nullptr;
    if (a.rows == b.rows && a.rows >= thread_threshold && a.factor.row == 1 && b.factor.row == 1)
        return long_dot(a.factor.data, b.factor.data, a.rows);
    if (!is_small(a.transposed(), b)) return nullptr;
    Owned result(new_array(descr_of<T>(), 0, nullptr));
    if (result) multiply_noted(a.transposed(), b, data_of<T>(result.get()));
    return result.give();
}

// A batch of matrices: the first one, the distance of the next in elements, and how many there are.
template <class T> struct Batch {
    Matrix<T> first;
    npy_intp step, count;
    Matrix<T> at(npy_intp i) const {
        return {{first.factor.data + i * step, first.factor.row, first.factor.column}, first.rows, first.columns};
    }
    Batch transposed() const { return {first.transposed(), step, count}; }
};
// The batch of the last two of `ndim` dimensions; the others must have strides that allow one loop.
template <class T> bool as_batch(PyObject* object, Batch<T>& batch, int ndim = 3) {
    if (!as_matrix(object, batch.first, ndim)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    batch.count = 1, batch.step = 1;
    if (PyArray_SIZE(array) == 0) return false;
    for (int dim = ndim - 3; dim >= 0; --dim) {
        npy_intp step;
        if (!step_along<T>(array, dim, step)) return false;
        if (PyArray_DIM(array, dim) == 1) continue;
        if (batch.count == 1)
            batch.step = step;
        else if (step != batch.step * batch.count)
            return false;
        batch.count *= PyArray_DIM(array, dim);
    }
    return true;
}
// The products of larger matrices. Threads share the products if there are enough of them, otherwise each product.
template <class T> PyObject* batched_large(const Batch<T>& a, const Batch<T>& b, int ndim, const npy_intp* shape) {
    const npy_intp rows = a.first.rows, depth = a.first.columns, columns = b.first.columns;
    Owned result(new_array(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(true);
        const LargeProduct<T> product(a.first.factor, b.first.factor, rows, depth, columns);
        if (a.count < thread_count()) {
            for (npy_intp i = 0; i < a.count; ++i)
                product.run(a.at(i).factor.data, b.at(i).factor.data, out + i * rows * columns);
        } else {
            const npy_intp work = (Size(rows) * depth * columns).value_or_most();
            parallel_for(a.count, work, [&](npy_intp begin, npy_intp end) {
                Packed<T> left(rows, depth);
                for (npy_intp i = begin; i < end; ++i)
                    product.run_alone(left, a.at(i).factor.data, b.at(i).factor.data, out + i * rows * columns);
            });
        }
    }
    return result.give();
}
// The products of two batches, as an array of `shape`; null without an error if the matrices are neither small,
// narrow nor large.
template <class T> PyObject* batched(const Batch<T>& a, const Batch<T>& b, int ndim, const npy_intp* shape) {
    if (a.count != b.count || a.count == 0) return nullptr;
    const bool small = is_small(a.first, b.first);
    if (!small && !is_narrow(a.first, b.first))
        return is_large(a.first, b.first) ? batched_large(a, b, ndim, shape) : nullptr;
    const npy_intp rows = a.first.rows, columns = b.first.columns,
                   work = (Size(rows) * a.first.columns * columns).value_or_most();
    Owned result(new_array(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked((Size(a.count) * work).value_or_most() >= thread_threshold);
        if (a.count < thread_count() && !small) {
            for (npy_intp i = 0; i < a.count; ++i) multiply_rows(a.at(i), b.at(i), out + i * rows * columns);
        } else {
            parallel_for(a.count, work, [=](npy_intp begin, npy_intp end) {
                for (npy_intp i = begin; i < end; ++i) multiply(a.at(i), b.at(i), out + i * rows * columns);
            });
        }
    }
    return result.give();
}

template <class T> PyObject* batched(const Batch<T>& a, const Batch<T>& b) {
    const npy_intp shape[3] = {a.count, a.first.rows, b.first.columns};
    return batched(a, b, 3, shape);
}

// bmm(self, mat2)
template <class T> PyObject* bmm(PyObject* const* args) {
    Batch<T> a, b;
    return as_batch(args[0], a) && as_batch(args[1], b) ? batched(a, b) : nullptr;
}
// The small product of a batch with one matrix or vector, as one product with the rows of all matrices.
template <class T> PyObject* folded(const Batch<T>& batch, const Matrix<T>& other, int ndim, const npy_intp* shape) {
    Matrix<T> tall = batch.first;
    if (batch.count > 1 && tall.rows > 1 && batch.step != tall.rows * tall.factor.row) return nullptr;
    if (tall.rows == 1) tall.factor.row = batch.step;
    tall.rows = (Size(tall.rows) * batch.count).value_or_most();
    if (!is_small(tall, other)) return nullptr;
    Owned result(new_array(descr_of<T>(), ndim, shape));
    if (result) multiply(tall, other, data_of<T>(result.get()));
    return result.give();
}
// matmul(self, other), of a batch in three dimensions or more with as many matrices, in equal dimensions, or with a
// matrix or vector
template <class T> PyObject* matmul(PyObject* const* args) {
    PyArrayObject *self = aligned(args[0], descr_of<T>()), *other = aligned(args[1], descr_of<T>());
    Batch<T> a, b;
    if (!self || !other || PyArray_NDIM(self) < 3 || !as_batch(args[0], a, PyArray_NDIM(self))) return nullptr;
    const int ndim = PyArray_NDIM(self), last = PyArray_NDIM(other);
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(self), PyArray_DIMS(self) + ndim - 1, shape);
    if (last == 1) return as_column(args[1], b.first) ? folded(a, b.first, ndim - 1, shape) : nullptr;
    shape[ndim - 1] = last > 1 ? PyArray_DIM(other, last - 1) : 0;
    if (last == 2) return as_matrix(args[1], b.first) ? folded(a, b.first, ndim, shape) : nullptr;
    const bool alike =
        last == ndim && std::equal(shape, shape + ndim - 2, PyArray_DIMS(other)) && as_batch(args[1], b, ndim);
    return alike ? batched(a, b, ndim, shape) : nullptr;
}
// bmm_first_rule(grad, mat2) and bmm_second_rule(grad, self)
template <class T> PyObject* bmm_first_rule(PyObject* const* args) {
    Batch<T> grad, other;
    return as_batch(args[0], grad) && as_batch(args[1], other) ? batched(grad, other.transposed()) : nullptr;
}
template <class T> PyObject* bmm_second_rule(PyObject* const* args) {
    Batch<T> grad, other;
    return as_batch(args[0], grad) && as_batch(args[1], other) ? batched(other.transposed(), grad) : nullptr;
}

bool is_one(PyObject* object) {
    double number = 0;
    return object && as_number(object, number) && number == 1;
}

// addmm(self, mat1, mat2, beta, alpha), both numbers 1
template <class T> PyObject* addmm(PyObject* const* args) {
    Matrix<T> a, b;
    Factor<T> shift;
    if (!is_one(args[3]) || !is_one(args[4]) || !as_matrix(args[1], a) || !as_matrix(args[2], b)) return nullptr;
    if (!as_shift(args[0], a.rows, b.columns, shift)) return nullptr;
    const bool is_bias = shift.row == 0 && (shift.column == 1 || b.columns == 1);
    bool added = false;
    Owned result(product_of(a, b, false, is_bias ? shift.data : nullptr, &added));
    if (!result) return nullptr;
    if (added && is_bias) return result.give();
    T* out = data_of<T>(result.get());
    const npy_intp rows = a.rows, columns = b.columns;
    const auto work = [=] {
        parallel_for(rows, columns, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                const T* row = shift.data + i * shift.row;
                if (shift.column == 0 || shift.column == 1)
                    loops<T>().binary[ADD](out + i * columns, 1, row, shift.column, out + i * columns, columns);
                else
                    for (npy_intp j = 0; j < columns; ++j) out[i * columns + j] += row[j * shift.column];
            }
        });
    };
    perform((Size(rows) * columns).value_or_most(), work, {shift.data, out});
    return result.give();
}

// mm_first_rule(grad, mat2, self_shape, self_strides): grad mat2'
template <class T> PyObject* first_rule(PyObject* const* args) {
    Matrix<T> grad, other;
    SavedLayout layout;
    if (!as_matrix(args[0], grad) || !as_matrix(args[1], other) || !as_saved_layout(args[2], args[3], layout))
        return nullptr;
    if (grad.rows != layout.shape[0] || other.rows != layout.shape[1]) return nullptr;
    return as_object(product_of(grad, other.transposed(), layout.by_columns(sizeof(T))));
}
// mm_second_rule(grad, self, mat2_shape, mat2_strides): self' grad
template <class T> PyObject* second_rule(PyObject* const* args) {
    Matrix<T> grad, other;
    SavedLayout layout;
    if (!as_matrix(args[0], grad) || !as_matrix(args[1], other) || !as_saved_layout(args[2], args[3], layout))
        return nullptr;
    if (other.columns != layout.shape[0] || grad.columns != layout.shape[1]) return nullptr;
    return as_object(product_of(other.transposed(), grad, layout.by_columns(sizeof(T))));
}
// The same with `alpha`, which must be 1.
template <class T> PyObject* addmm_first_rule(PyObject* const* args) {
    return is_one(args[4]) ? first_rule<T>(args) : nullptr;
}
template <class T> PyObject* addmm_second_rule(PyObject* const* args) {
    return is_one(args[4]) ? second_rule<T>(args) : nullptr;
}

// addmm_bias_rule(grad, self_shape, beta): the gradient itself, or its sum over the rows for a bias of one row
template <class T> PyObject* addmm_bias_rule(PyObject* const* args) {
    Matrix<T> grad;
    npy_intp shape[most_dims];
    const int ndim = as_shape(args[1], shape);
    if (!is_one(args[2]) || !as_matrix(args[0], grad) || ndim < 1 || shape[ndim - 1] != grad.columns) return nullptr;
    if (ndim == 2 && shape[0] == grad.rows) return Py_NewRef(args[0]);
    if (ndim != 1 || grad.rows == 0 || grad.columns == 0) return nullptr;
    if ((Size(grad.rows) * grad.columns).value_or_most() >= thread_threshold) return nullptr;
    Owned result(new_array(descr_of<T>(), 1, &grad.columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const auto work = [=] {
        if (grad.factor.column == 1) {
            loops<T>().column_sum[OF_VALUES](grad.factor.data, grad.factor.row, grad.rows, grad.columns, out);
            return;
        }
        for (npy_intp j = 0; j < grad.columns; ++j) {
            double total = 0;
            const T* column = grad.factor.data + j * grad.factor.column;
            for (npy_intp i = 0; i < grad.rows; ++i) total += static_cast<double>(column[i * grad.factor.row]);
            out[j] = static_cast<T>(total);
        }
    };
    do_work(work, {grad.factor.data, out});
    return result.give();
}

constexpr npy_intp most_scaled = 8192;  // elements, for more of which NumPy is as fast

// mv_first_rule(grad, vec): each row of the gradient is `vec` times an element of `grad`
template <class T> PyObject* mv_first_rule(PyObject* const* args) {
    Matrix<T> grad, vec;
    if (!as_column(args[0], grad) || !as_column(args[1], vec)) return nullptr;
    if (grad.rows < 2 || vec.rows < 2) return nullptr;  // strides of a length of 1 are chosen in Python
    if ((Size(grad.rows) * vec.rows).value_or_most() > most_scaled) return nullptr;
    const npy_intp shape[2] = {grad.rows, vec.rows};
    Owned result(new_array(descr_of<T>(), 2, shape));
    if (!result) return nullptr;
    T* const out = data_of<T>(result.get());
    const auto work = [=] {
        for (npy_intp i = 0; i < grad.rows; ++i)
            for (npy_intp j = 0; j < vec.rows; ++j)
                out[i * vec.rows + j] = grad.factor.data[i * grad.factor.row] * vec.factor.data[j * vec.factor.row];
    };
    do_work(work, {grad.factor.data, vec.factor.data, out});
    return result.give();
}
// mv_second_rule(grad, self)
template <class T> PyObject* mv_second_rule(PyObject* const* args) {
    Matrix<T> grad, other;
    if (!as_column(args[0], grad) || !as_matrix(args[1], other) || !is_small(other.transposed(), grad)) return nullptr;
    Owned result(new_array(descr_of<T>(), 1, &other.columns));
    if (result) multiply_noted(other.transposed(), grad, data_of<T>(result.get()));
    return result.give();
}
// dot_rule(grad, other)
template <class T> PyObject* dot_rule(PyObject* const* args) {
    Matrix<T> other;
    PyArrayObject* grad = plain(args[0], descr_of<T>());
    if (!grad || PyArray_NDIM(grad) != 0 || !as_column(args[1], other)) return nullptr;
    if (other.rows == 0 || other.rows > most_scaled) return nullptr;
    Owned result(new_array(descr_of<T>(), 1, &other.rows));
    if (!result) return nullptr;
    const T grad_value = *data_of<T>(grad);
    T* out = data_of<T>(result.get());
    for (npy_intp i = 0; i < other.rows; ++i) out[i] = grad_value * other.factor.data[i * other.factor.row];
    return result.give();
}

#define WENGERT_PRODUCT(count, name, arguments) \
    WENGERT_REPEATABLE(name, arguments, direct<count, by_element<name<float>, name<double>>>)
#define WENGERT_COMPLEX_PRODUCT(name, arguments) \
    WENGERT_REPEATABLE(name, arguments, \
                       of_halves<direct<2, either<by_element<name<float>, name<double>>, complex_##name>>>)
Methods product_methods({
    WENGERT_COMPLEX_PRODUCT(mm, "(self, mat2)"),
    WENGERT_COMPLEX_PRODUCT(mv, "(self, vec)"),
    WENGERT_COMPLEX_PRODUCT(dot, "(self, tensor)"),
    WENGERT_COMPLEX_PRODUCT(bmm, "(self, mat2)"),
    WENGERT_COMPLEX_PRODUCT(matmul, "(self, other)"),
    WENGERT_REPEATABLE(addmm, "(self, mat1, mat2, beta, alpha)",
                       of_halves<direct<5, by_element<addmm<float>, addmm<double>>>>),
    WENGERT_COMPLEX_PRODUCT(bmm_first_rule, "(grad, mat2)"),
    WENGERT_COMPLEX_PRODUCT(bmm_second_rule, "(grad, self)"),
    WENGERT_REPEATABLE(mm_first_rule, "(grad, mat2, self_shape, self_strides)",
                       direct<4, either<by_element<first_rule<float>, first_rule<double>>, complex_first_rule>>),
    WENGERT_REPEATABLE(mm_second_rule, "(grad, self, mat2_shape, mat2_strides)",
                       direct<4, either<by_element<second_rule<float>, second_rule<double>>, complex_second_rule>>),
    WENGERT_PRODUCT(5, addmm_first_rule, "(grad, mat2, mat1_shape, mat1_strides, alpha)"),
    WENGERT_PRODUCT(5, addmm_second_rule, "(grad, mat1, mat2_shape, mat2_strides, alpha)"),
    WENGERT_PRODUCT(3, addmm_bias_rule, "(grad, self_shape, beta)"),
    WENGERT_COMPLEX_PRODUCT(mv_first_rule, "(grad, vec)"),
    WENGERT_COMPLEX_PRODUCT(mv_second_rule, "(grad, self)"),
    WENGERT_COMPLEX_PRODUCT(dot_rule, "(grad, other)"),
});
#undef WENGERT_PRODUCT
#undef WENGERT_COMPLEX_PRODUCT

}  // namespace

PyObject* real_products(PyArrayObject* a, PyArrayObject* b) {
    PyObject* args[] = {as_object(a), as_object(b)};
    return PyArray_NDIM(a) == 2 ? by_element<mm<float>, mm<double>>(args) : by_element<bmm<float>, bmm<double>>(args);
}
}  // namespace wengert
