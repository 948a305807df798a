// Element-wise functions of arrays with gaps, such as a part of each row: row by row where rows are long, otherwise on
// blocks of short rows that are copied next to each other first.
#include "binding/memory_order.hpp"
#include "pointwise/pointwise.hpp"

#include <algorithm>
#include <cstring>

namespace wengert {
namespace {

constexpr npy_intp least_run = 16;     // elements side by side below which a row is not worth its call
constexpr npy_intp block_size = 1024;  // elements of short rows that are worked through together

// One array of numbers, or two of one dtype and shape, whose dimensions are ordered from the outermost to the
// innermost, so that a new row-major array has their order. `b` may be null.
class Rows {
public:
    bool find(PyArrayObject* a, PyArrayObject* b) {
        if (!is_strided_row(a) ||
            (b && (PyArray_DESCR(a) != PyArray_DESCR(b) || !same_shape(a, b) || !is_strided_row(b))))
            return false;
        shape_ = PyArray_DIMS(a), outer_ = PyArray_NDIM(a);
        const npy_intp size = PyArray_ITEMSIZE(a);
        while (outer_ > 0 && goes_on(a, size) && (!b || goes_on(b, size))) run *= shape_[--outer_];
        count = PyArray_SIZE(a) / run;
        return true;
    }
    bool are_short() const { return run < least_run; }
    // Where a row of an array begins, in bytes.
    npy_intp position(PyArrayObject* x, npy_intp row) const {
        npy_intp at = 0;
        for (int dim = outer_ - 1; dim > 0; --dim) {
            at += row % shape_[dim] * PyArray_STRIDE(x, dim);
            row /= shape_[dim];
        }
        return outer_ ? at + row * PyArray_STRIDE(x, 0) : at;
    }
    // `many` rows from `first` on, one behind the other.
    template <class T> void lay(PyArrayObject* x, npy_intp first, npy_intp many, T* to) const {
        for (npy_intp row = first, end = first + many; row < end;) {
            const npy_intp length = shape_[outer_ - 1], together = std::min(end - row, length - row % length);
            copy_rows(PyArray_BYTES(x) + position(x, row), PyArray_STRIDE(x, outer_ - 1), together, to);
            row += together, to += together * run;
        }
    }
    npy_intp run = 1, count = 0;

private:
    template <int size, class T> static void lay_few(const char* from, npy_intp step, npy_intp many, T* to) {
        for (npy_intp row = 0; row < many; ++row, from += step, to += size)
            for (int i = 0; i < size; ++i) to[i] = reinterpret_cast<const T*>(from)[i];
    }
    // Longer rows; the last four elements of a row may have been copied before.
    template <class T> void lay_by_fours(const char* from, npy_intp step, npy_intp many, T* to) const {
        constexpr npy_intp size = sizeof(T);
        for (npy_intp row = 0; row < many; ++row, from += step, to += run) {
            for (npy_intp i = 0; i + 4 < run; i += 4) std::memcpy(to + i, from + i * size, 4 * size);
            std::memcpy(to + run - 4, from + (run - 4) * size, 4 * size);
        }
    }
    template <class T> void copy_rows(const char* from, npy_intp step, npy_intp many, T* to) const {
        switch (run) {
            case 1: return lay_few<1>(from, step, many, to);
            case 2: return lay_few<2>(from, step, many, to);
            case 3: return lay_few<3>(from, step, many, to);
            case 4: return lay_few<4>(from, step, many, to);
            default: return lay_by_fours(from, step, many, to);
        }
    }
    static bool is_strided_row(PyArrayObject* x) {
        if (!(PyArray_FLAGS(x) & NPY_ARRAY_ALIGNED) || PyArray_SIZE(x) == 0) return false;
        for (int dim = 0; dim < PyArray_NDIM(x); ++dim)
            if (PyArray_STRIDE(x, dim) <= (dim + 1 < PyArray_NDIM(x) ? PyArray_STRIDE(x, dim + 1) : 0)) return false;
        return true;
    }
    bool goes_on(PyArrayObject* x, npy_intp size) const { return PyArray_STRIDE(x, outer_ - 1) == run * size; }

    const npy_intp* shape_ = nullptr;
    int outer_ = 0;
};

PyArrayObject* as_array(PyObject* object) {
    return PyArray_CheckExact(object) ? reinterpret_cast<PyArrayObject*>(object) : nullptr;
}
PyArrayObject* new_result(PyArrayObject* like) {
    return new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like));
}
template <class T> const T* data_at(PyArrayObject* x, npy_intp bytes) {
    return reinterpret_cast<const T*>(PyArray_BYTES(x) + bytes);
}

// The elements of an operand row by row: long rows are read directly, short ones from a buffer; or one number for all.
template <class T> class RowReader {
public:
    RowReader(PyArrayObject* x, const T* beside, const Rows& rows) : x_(x), beside_(beside), rows_(rows) {}
    npy_intp step() const { return x_ != nullptr; }
    const T* at(npy_intp row, npy_intp many, T* buffer) const {
        if (!x_) return beside_;
        if (!rows_.are_short()) return data_at<T>(x_, rows_.position(x_, row));
        rows_.lay(x_, row, many, buffer);
        return buffer;
    }

private:
    PyArrayObject* x_;
    const T* beside_;
    const Rows& rows_;
};

// body(first row, how many) for all rows, in pieces for threads: one long row at a time, or a block of short ones.
template <class Body> void by_rows(const Rows& rows, npy_intp cost, const Body& body) {
    ReleaseGil unlocked(rows.run * rows.count >= thread_threshold);
    const npy_intp together = rows.are_short() ? block_size / rows.run : 1;
    parallel_for(rows.count, rows.run * cost, [&](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; row += together) body(row, std::min(together, end - row));
    });
}

template <class T> PyObject* unary(UnaryLoop<T> loop, npy_intp cost, PyArrayObject* x, const Rows& rows) {
    PyArrayObject* result = loop ? new_result(x) : nullptr;
    if (!result) return nullptr;
    T* to = data_of<T>(result);
    const RowReader<T> reader(x, nullptr, rows);
    by_rows(rows, cost, [=, &rows](npy_intp row, npy_intp many) {
        T buffer[block_size];
        loop(reader.at(row, many, buffer), to + row * rows.run, many * rows.run);
    });
    return reinterpret_cast<PyObject*>(result);
}

template <class T>
PyObject* binary(BinaryLoop<T> loop, npy_intp cost, PyArrayObject* a, PyArrayObject* b, PyObject* number,
                 const Rows& rows) {
    T value;
    if (!loop || (!(a && b) && !weak_value(number, value))) return nullptr;
    PyArrayObject* result = new_result(a ? a : b);
    if (!result) return nullptr;
    T* to = data_of<T>(result);
    const RowReader<T> left(a, &value, rows), right(b, &value, rows);
    by_rows(rows, cost, [=, &rows](npy_intp row, npy_intp many) {
        T first[block_size], second[block_size];
        loop(left.at(row, many, first), left.step(), right.at(row, many, second), right.step(), to + row * rows.run,
             many * rows.run);
    });
    return reinterpret_cast<PyObject*>(result);
}

}  // namespace

PyObject* row_unary(Unary op, npy_intp cost, PyObject* object) {
    PyArrayObject* x = as_array(object);
    Rows rows;
    if (!x || !rows.find(x, nullptr)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return unary<float>(loops<float>().unary[op], cost, x, rows);
    // Of other doubles NumPy's loops may be vectors.
    const bool vectors = unary_rows[op].doubles == Doubles::OURS && op != LOG1P;
    return PyArray_DESCR(x) == double_descr && vectors ? unary<double>(loops<double>().unary[op], cost, x, rows)
                                                       : nullptr;
}

PyObject* row_binary(Binary op, npy_intp cost, PyObject* a_object, PyObject* b_object) {
    PyArrayObject *a = as_array(a_object), *b = as_array(b_object);
    if ((!a && (!b || PyArray_Check(a_object))) || (!b && PyArray_Check(b_object))) return nullptr;
    Rows rows;
    if (!rows.find(a ? a : b, a ? b : nullptr)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(a ? a : b);
    PyObject* number = a ? b_object : a_object;
    if (descr == float_descr) return binary<float>(loops<float>().binary[op], cost, a, b, number, rows);
    return descr == double_descr ? binary<double>(loops<double>().binary[op], cost, a, b, number, rows) : nullptr;
}

PyObject* row_binary_into(Binary op, npy_intp cost, PyObject* a, PyObject* b, PyObject* out) {
    constexpr npy_intp few = 1 << 14;  // of more NumPy's loop costs less than a result that is copied
    PyArrayObject* target = out ? few_with_gaps(out) : nullptr;
    if (!target || PyArray_SIZE(target) > few) return nullptr;
    const Owned result(writeable(target) ? reinterpret_cast<PyArrayObject*>(row_binary(op, cost, a, b)) : nullptr);
    if (!result || PyArray_DESCR(result.get()) != PyArray_DESCR(target) || !same_shape(result.get(), target))
        return nullptr;
    const int status = with_python([&] { return PyArray_CopyInto(target, result.get()); });
    return status < 0 ? nullptr : Py_NewRef(out);
}

}  // namespace wengert
