// Arrays put one after the other along an axis, an old one (cat) or a new one (stack), and gradients taken apart again.
#include "binding/direct.hpp"

#include <cstring>
#include <vector>

namespace wengert {
namespace {

// An array as the copy reads it: one piece of memory for each position in the axes before, a step apart. In bytes.
struct Part {
    const char* data;
    npy_intp step, piece;
};

// False unless the axes from `axis` on are contiguous and those before it have one step.
bool as_part(PyArrayObject* x, int axis, Part& part) {
    const int ndim = PyArray_NDIM(x);
    npy_intp piece = PyArray_ITEMSIZE(x), step = 0, next = 0;
    for (int i = ndim - 1; i >= axis; --i) {
        if (PyArray_DIM(x, i) != 1 && PyArray_STRIDE(x, i) != piece) return false;
        piece *= PyArray_DIM(x, i);
    }
    bool known = false;
    for (int i = axis - 1; i >= 0; --i) {
        if (PyArray_DIM(x, i) == 1) continue;
        if (!known)
            step = PyArray_STRIDE(x, i);
        else if (PyArray_STRIDE(x, i) != next)
            return false;
        known = true;
        if (__builtin_mul_overflow(PyArray_STRIDE(x, i), PyArray_DIM(x, i), &next)) return false;
    }
    part = {PyArray_BYTES(x), step, piece};
    return true;
}

// Whether all strides are those of row-major order, also where a length of 1 leaves them open: with other strides
// images may have their channels innermost, and the result too.
bool row_major(PyArrayObject* x) {
    npy_intp step = PyArray_ITEMSIZE(x);
    for (int i = PyArray_NDIM(x) - 1; i >= 0; --i) {
        if (PyArray_STRIDE(x, i) != step) return false;
        step *= PyArray_DIM(x, i);
    }
    return true;
}

template <size_t bytes> void copy_units(char* to, npy_intp row, const char* from, npy_intp step, npy_intp count) {
    for (npy_intp i = 0; i < count; ++i, to += row, from += step) std::memcpy(to, from, bytes);
}
void copy_pieces(char* to, npy_intp row, const Part& part, npy_intp begin, npy_intp end) {
    const char* from = part.data + begin * part.step;
    const npy_intp count = end - begin;
    switch (part.piece) {
        case 4: return copy_units<4>(to, row, from, part.step, count);
        case 8: return copy_units<8>(to, row, from, part.step, count);
        case 16: return copy_units<16>(to, row, from, part.step, count);
    }
    for (npy_intp i = 0; i < count; ++i, to += row, from += part.step)
        std::memcpy(to, from, static_cast<size_t>(part.piece));
}

// Every row of the result holds a piece of each part.
void join_parts(char* out, npy_intp rows, npy_intp row, const Part* parts, npy_intp count) {
    constexpr npy_intp block = 64;  // bytes, copied in the time of 16 additions
    if (rows > 1) {
        parallel_for(rows, row / 4 + 1, [=](npy_intp begin, npy_intp end) {
            char* to = out + begin * row;
            for (npy_intp i = 0; i < count; to += parts[i++].piece) copy_pieces(to, row, parts[i], begin, end);
        });
        return;
    }
    parallel_for((row + block - 1) / block, 16, [=](npy_intp begin, npy_intp end) {
        const npy_intp first = begin * block, last = end * block < row ? end * block : row;
        for (npy_intp i = 0, at = 0; i < count && at < last; at += parts[i++].piece) {
            const npy_intp from = first > at ? first - at : 0,
                           to = last - at < parts[i].piece ? last - at : parts[i].piece;
            if (from < to) std::memcpy(out + at + from, parts[i].data + from, static_cast<size_t>(to - from));
        }
    });
}

// As many parts as there are arrays; a few need no memory.
class Parts {
public:
    explicit Parts(npy_intp count) : data_(few_) {
        if (count > 8) many_.resize(static_cast<size_t>(count)), data_ = many_.data();
    }
    void add(const Part& part) { data_[count_++] = part; }
    PyObject* joined(PyArray_Descr* descr, int ndim, const npy_intp* shape, npy_intp rows) const {
        Size row(0);
        for (npy_intp i = 0; i < count_; ++i) row = row + data_[i].piece;
        if (!row.fits() || row.value() == 0 || rows == 0) return nullptr;  // an empty one has no row-major strides
        Owned result(new_array(descr, ndim, shape));
        if (!result) return nullptr;
        char* out = PyArray_BYTES(result.get());
        {
            ReleaseGil unlocked(PyArray_NBYTES(result.get()) >= 8 * thread_threshold);
            join_parts(out, rows, row.value(), data_, count_);
        }
        return result.give();
    }

private:
    Part few_[8];
    std::vector<Part> many_;
    Part* data_;
    npy_intp count_ = 0;
};

// Array number `at` of a list, exact and with the dtype of the first one, without references; null otherwise.
PyArrayObject* array_at(PyObject* list, Py_ssize_t at) {
    PyObject *first = PyList_GET_ITEM(list, 0), *object = PyList_GET_ITEM(list, at);
    if (!PyArray_CheckExact(first) || !PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    PyArray_Descr* descr = PyArray_DESCR(array);
    return descr == PyArray_DESCR(reinterpret_cast<PyArrayObject*>(first)) && !PyDataType_REFCHK(descr) ? array
                                                                                                        : nullptr;
}
// `cat` passes over these, whatever the other shapes are.
bool is_legacy_empty(PyArrayObject* x) { return PyArray_NDIM(x) == 1 && PyArray_DIM(x, 0) == 0; }

bool same_shape_but(PyArrayObject* a, PyArrayObject* b, int axis) {
    if (PyArray_NDIM(a) != PyArray_NDIM(b)) return false;
    for (int i = 0; i < PyArray_NDIM(a); ++i)
        if (i != axis && PyArray_DIM(a, i) != PyArray_DIM(b, i)) return false;
    return true;
}

// cat(tensors, dim)
PyObject* cat(PyObject* const* args) {
    PyObject* list = args[0];
    if (!PyList_CheckExact(list)) return nullptr;
    const Py_ssize_t count = PyList_GET_SIZE(list);
    PyArrayObject* model = nullptr;
    Parts parts(count);
    Size length(0);
    int axis = 0;
    for (Py_ssize_t at = 0; at < count; ++at) {
        PyArrayObject* x = array_at(list, at);
        if (!x) return nullptr;
        if (is_legacy_empty(x)) continue;
        if (!model && (model = x, !as_axis(args[1], PyArray_NDIM(x), axis) || PyArray_NDIM(x) > most_dims))
            return nullptr;
        if (!same_shape_but(x, model, axis) || (PyArray_NDIM(x) > 3 && !row_major(x))) return nullptr;
        length = length + PyArray_DIM(x, axis);
        Part part;
        if (PyArray_DIM(x, axis) == 0) continue;
        if (!as_part(x, axis, part)) return nullptr;
        parts.add(part);
    }
    if (!model || !length.fits()) return nullptr;
    npy_intp shape[most_dims], rows = 1;
    for (int i = 0; i < PyArray_NDIM(model); ++i) shape[i] = PyArray_DIM(model, i);
    for (int i = 0; i < axis; ++i) rows *= shape[i];
    shape[axis] = length.value();
    return parts.joined(PyArray_DESCR(model), PyArray_NDIM(model), shape, rows);
}

// stack(tensors, dim)
PyObject* stack(PyObject* const* args) {
    PyObject* list = args[0];
    if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) == 0) return nullptr;
    const Py_ssize_t count = PyList_GET_SIZE(list);
    PyArrayObject* model = array_at(list, 0);
    int axis = 0;
    if (!model || PyArray_NDIM(model) >= most_dims || !as_axis(args[1], PyArray_NDIM(model) + 1, axis)) return nullptr;
    const int ndim = PyArray_NDIM(model);
    Parts parts(count);
    for (Py_ssize_t at = 0; at < count; ++at) {
        PyArrayObject* x = array_at(list, at);
        Part part;
        if (!x || !same_shape(x, model) || (ndim > 3 && !row_major(x)) || !as_part(x, axis, part)) return nullptr;
        parts.add(part);
    }
    npy_intp shape[most_dims], rows = 1;
    for (int i = 0; i < ndim; ++i) shape[i < axis ? i : i + 1] = PyArray_DIM(model, i);
    for (int i = 0; i < axis; ++i) rows *= shape[i];
    shape[axis] = count;
    return parts.joined(PyArray_DESCR(model), ndim + 1, shape, rows);
}

// A view of a gradient; null without an error if the base of the view would not own the memory.
PyObject* view_of(PyArrayObject* grad, int ndim, npy_intp* shape, npy_intp* strides, npy_intp offset) {
    Py_INCREF(PyArray_DESCR(grad));
    Owned view(reinterpret_cast<PyArrayObject*>(
        PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(grad), ndim, shape, strides, PyArray_BYTES(grad) + offset,
                             PyArray_FLAGS(grad) & NPY_ARRAY_WRITEABLE, nullptr)));
    if (!view) return nullptr;
    Py_INCREF(grad);
    if (PyArray_SetBaseObject(view.get(), reinterpret_cast<PyObject*>(grad)) < 0) return nullptr;
    PyObject* base = PyArray_BASE(view.get());
    return base == reinterpret_cast<PyObject*>(grad) || base == PyArray_BASE(grad) ? view.give() : nullptr;
}

// The lengths of the parts along the axis; false if they are not those of `grad`, or one is such an empty vector.
bool part_lengths(PyObject* shapes, PyArrayObject* grad, int axis, npy_intp* lengths) {
    const int ndim = PyArray_NDIM(grad);
    Size total(0);
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(shapes); ++at) {
        PyObject* shape = PyTuple_GET_ITEM(shapes, at);
        if (!PyTuple_Check(shape)) return false;
        if (PyTuple_GET_SIZE(shape) != ndim || !as_index(PyTuple_GET_ITEM(shape, axis), lengths[at]) || lengths[at] < 0)
            return false;
        total = total + lengths[at];
    }
    return total.fits() && total.value() == PyArray_DIM(grad, axis);
}

// (grad, tensors_shape, dim): views of the gradient, part by part.
PyObject* cat_rule(PyObject* const* args) {
    if (!PyArray_CheckExact(args[0]) || !PyTuple_CheckExact(args[1])) return nullptr;
    auto* grad = reinterpret_cast<PyArrayObject*>(args[0]);
    const int ndim = PyArray_NDIM(grad);
    const Py_ssize_t count = PyTuple_GET_SIZE(args[1]);
    int axis = 0;
    if (ndim > most_dims || !as_axis(args[2], ndim, axis)) return nullptr;
    std::vector<npy_intp> lengths(static_cast<size_t>(count));
    if (!part_lengths(args[1], grad, axis, lengths.data())) return nullptr;
    npy_intp shape[most_dims], strides[most_dims], offset = 0;
    for (int i = 0; i < ndim; ++i) shape[i] = PyArray_DIM(grad, i), strides[i] = PyArray_STRIDE(grad, i);
    PyObject* parts = PyList_New(count);
    for (Py_ssize_t at = 0; parts && at < count; ++at) {
        shape[axis] = lengths[static_cast<size_t>(at)];
        PyObject* part = view_of(grad, ndim, shape, strides, offset);
        if (part)
            PyList_SET_ITEM(parts, at, part);
        else
            Py_CLEAR(parts);
        offset += shape[axis] * strides[axis];
    }
    return parts;
}

// (grad, dim): views of the gradient, one for each position along the axis.
PyObject* stack_rule(PyObject* const* args) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    auto* grad = reinterpret_cast<PyArrayObject*>(args[0]);
    const int ndim = PyArray_NDIM(grad);
    int axis = 0;
    if (ndim > most_dims || !as_axis(args[1], ndim, axis)) return nullptr;
    npy_intp shape[most_dims], strides[most_dims];
    for (int i = 0, to = 0; i < ndim; ++i)
        if (i != axis) shape[to] = PyArray_DIM(grad, i), strides[to++] = PyArray_STRIDE(grad, i);
    PyObject* parts = PyList_New(PyArray_DIM(grad, axis));
    for (npy_intp at = 0; parts && at < PyArray_DIM(grad, axis); ++at) {
        PyObject* part = view_of(grad, ndim - 1, shape, strides, at * PyArray_STRIDE(grad, axis));
        if (part)
            PyList_SET_ITEM(parts, at, part);
        else
            Py_CLEAR(parts);
    }
    return parts;
}

// hstack(tensors), vstack and dstack: (None, dim), of `cat`, where all have enough dimensions; vectors are joined along
// their dimension
template <int least> PyObject* stack_arguments(PyObject* const* args) {
    PyObject* list = args[0];
    if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) == 0) return nullptr;
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(list); ++at) {
        PyObject* item = PyList_GET_ITEM(list, at);
        if (!PyArray_CheckExact(item) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(item)) < least) return nullptr;
    }
    const bool vectors = least == 1 && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(PyList_GET_ITEM(list, 0))) == 1;
    static constexpr int dims[] = {0, 1, 0, 2};  // of hstack, vstack and dstack, by their least number of dimensions
    return Py_BuildValue("(Oi)", Py_None, vectors ? 0 : dims[least]);
}

Methods join_methods({
    WENGERT_ENTRY(hstack_arguments, "(tensors)", direct<1, stack_arguments<1>>),
    WENGERT_ENTRY(vstack_arguments, "(tensors)", direct<1, stack_arguments<2>>),
    WENGERT_ENTRY(dstack_arguments, "(tensors)", direct<1, stack_arguments<3>>),
    WENGERT_ENTRY(cat, "(tensors, dim)", direct<2, cat>),
    WENGERT_ENTRY(stack, "(tensors, dim)", direct<2, stack>),
    WENGERT_ENTRY(cat_rule, "(grad, tensors_shape, dim)", direct<3, cat_rule>),
    WENGERT_ENTRY(stack_rule, "(grad, dim)", direct<2, stack_rule>),
});

}  // namespace
}  // namespace wengert
