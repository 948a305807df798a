// The order in memory of the results of element-wise functions: torch's rules, as in `_core/operators/layouts.py`.
#include "binding/memory_order.hpp"

#include <utility>

namespace wengert {

PyArrayObject* view_as(PyArrayObject* array, int ndim, npy_intp* shape, npy_intp* strides) {
    Py_INCREF(PyArray_DESCR(array));
    const int flags = PyArray_FLAGS(array) & (NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED);
    PyObject* view = PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(array), ndim, shape, strides,
                                          PyArray_DATA(array), flags, nullptr);
    if (!view) return nullptr;
    Py_INCREF(array);
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view), reinterpret_cast<PyObject*>(array)) < 0)
        return Py_DECREF(view), nullptr;
    return reinterpret_cast<PyArrayObject*>(view);
}

// Whether an array repeats elements along some dimension.
static bool is_expanded(PyArrayObject* array) {
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim)
        if (PyArray_DIM(array, dim) > 1 && PyArray_STRIDE(array, dim) == 0) return true;
    return false;
}

bool OperandOrder::find(PyObject* const* args, Py_ssize_t nargs, bool first_last) {
    PyArrayObject* arrays[ReplacedArguments::most];
    bool all_contiguous = true, same_dtype = true;
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!PyArray_CheckExact(args[i])) continue;
        PyArrayObject* array = arrays[count_++] = reinterpret_cast<PyArrayObject*>(args[i]);
        ndim_ = std::max(ndim_, PyArray_NDIM(array));
        all_contiguous = all_contiguous && PyArray_IS_C_CONTIGUOUS(array);
        same_dtype = same_dtype && PyArray_DESCR(array) == PyArray_DESCR(arrays[0]);
    }
    if (all_contiguous || ndim_ > most_dims) return false;
    std::fill(shape_, shape_ + ndim_, npy_intp{1});
    if (first_last) std::rotate(arrays, arrays + 1, arrays + count_);
    for (int k = 0; k < count_; ++k)
        if (!stretch(arrays[k]) || (!same_dtype && is_expanded(arrays[k])))
            return false;  // a copy of it in another dtype may be row-major
    for (int k = 0; k < count_; ++k) read_strides(k, arrays[k]);
    itemsize_ = PyArray_ITEMSIZE(arrays[0]);
    sort();
    // With a dimension of length 1, images may also count as having their channels innermost.
    return row_major_ || ndim_ != 4 || std::find(shape_, shape_ + ndim_, npy_intp{1}) == shape_ + ndim_;
}

// Broadcasts the shape of the result with an operand; false if that has no elements, a negative stride or another
// shape.
bool OperandOrder::stretch(PyArrayObject* array) {
    const int missing = ndim_ - PyArray_NDIM(array);
    for (int dim = missing; dim < ndim_; ++dim) {
        const npy_intp length = PyArray_DIM(array, dim - missing);
        if (length == 0 || PyArray_STRIDE(array, dim - missing) < 0) return false;
        if (length == 1) continue;
        if (shape_[dim] != 1 && shape_[dim] != length) return false;
        shape_[dim] = length;
    }
    return true;
}

// The strides with which an operand is read: 0 where it is repeated.
void OperandOrder::read_strides(int k, PyArrayObject* array) {
    const int missing = ndim_ - PyArray_NDIM(array);
    bool unrepeated = missing == 0;
    for (int dim = 0; dim < ndim_; ++dim) {
        const int operand_dim = dim - missing;
        const bool repeated = operand_dim < 0 || (PyArray_DIM(array, operand_dim) == 1 && shape_[dim] != 1);
        strides_[k][dim] = repeated ? 0 : PyArray_STRIDE(array, operand_dim);
        unrepeated = unrepeated && !repeated;
    }
    same_layout_ = same_layout_ && unrepeated && std::equal(strides_[0], strides_[0] + ndim_, strides_[k]);
}

// 1 if the first dimension is outside the other in memory, -1 if inside, 0 if unknown: decided by the first operand
// with a stride along both.
int OperandOrder::compared(int dim, int other) const {
    for (int k = 0; k < count_; ++k) {
        const npy_intp step = strides_[k][dim], other_step = strides_[k][other];
        if (step == 0 || other_step == 0) continue;
        if (step != other_step) return step > other_step ? 1 : -1;
        if (shape_[dim] > shape_[other]) return 1;
    }
    return 0;
}

void OperandOrder::sort() {
    for (int i = 0; i < ndim_; ++i) order_[i] = ndim_ - 1 - i;
    for (int at = 1; at < ndim_; ++at) {
        int position = at;
        for (int before = at - 1; before >= 0; --before) {
            const int order = compared(order_[before], order_[position]);
            if (order < 0) break;
            if (order > 0) std::swap(order_[before], order_[position]), position = before;
        }
    }
    for (int i = 0; i < ndim_; ++i) row_major_ = row_major_ && order_[i] == ndim_ - 1 - i;
}

// Whether the first operand fills its memory.
bool OperandOrder::is_dense() const {
    npy_intp step = itemsize_;
    for (int i = 0; i < ndim_; ++i) {
        const npy_intp length = shape_[order_[i]];
        if (length > 1 && strides_[0][order_[i]] != step) return false;
        step *= length;
    }
    return true;
}

PyArrayObject* OperandOrder::reordered(PyArrayObject* array) const {
    npy_intp shape[most_dims], strides[most_dims];
    const int missing = ndim_ - PyArray_NDIM(array);
    for (int i = 0; i < ndim_; ++i) {
        const int operand_dim = order_[ndim_ - 1 - i] - missing;
        shape[i] = operand_dim < 0 ? 1 : PyArray_DIM(array, operand_dim);
        strides[i] = operand_dim < 0 ? PyArray_ITEMSIZE(array) : PyArray_STRIDE(array, operand_dim);
    }
    Owned view(view_as(array, ndim_, shape, strides));
    if (!view || PyArray_IS_C_CONTIGUOUS(view.get())) return view.take();
    return few_numbers(reinterpret_cast<PyObject*>(view.get())) ? new_copy(view.get()) : view.take();
}

bool OperandOrder::restore(PyObject* object) const {
    if (!PyArray_CheckExact(object) || Py_REFCNT(object) != 1) return false;
    auto* result = reinterpret_cast<PyArrayObject*>(object);
    if (PyArray_NDIM(result) != ndim_ || !PyArray_CHKFLAGS(result, NPY_ARRAY_OWNDATA | NPY_ARRAY_C_CONTIGUOUS))
        return false;
    for (int i = 0; i < ndim_; ++i)
        if (PyArray_DIM(result, i) != shape_[order_[ndim_ - 1 - i]]) return false;
    if (row_major_) return true;
    const bool exactly = same_layout_ && is_dense();
    npy_intp elements = 1;
    for (int i = 0; i < ndim_; ++i) {
        const int dim = order_[i];
        PyArray_DIMS(result)[dim] = shape_[dim];
        PyArray_STRIDES(result)[dim] = (exactly ? strides_[0][dim] / itemsize_ : elements) * PyArray_ITEMSIZE(result);
        elements *= shape_[dim];
    }
    return PyArray_UpdateFlags(result, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS), true;
}

}  // namespace wengert
