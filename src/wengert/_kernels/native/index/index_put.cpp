// x[index] and x[index] = value for index arrays or a mask: the cards `index` and `index_put`, and their rules.
#include "index/blocks.hpp"
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"
#include "index/masks.hpp"
#include "index/positions.hpp"

namespace wengert {
namespace {

// Row-major, strides of dimensions of length 1 included, and not empty.
PyArrayObject* in_plain_rows(PyObject* object) {
    PyArrayObject* array = plain(object);
    return array && holds_numbers(array) && PyArray_SIZE(array) > 0 && has_row_major_strides(array) ? array : nullptr;
}
// Whether the arrays of a list of indices, which follow any None, are contiguous.
bool are_contiguous(PyObject* indices) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(indices); ++i) {
        PyObject* index = PyList_GET_ITEM(indices, i);
        if (index != Py_None && !has_row_major_strides(reinterpret_cast<PyArrayObject*>(index))) return false;
    }
    return true;
}
npy_intp product(const npy_intp* shape, int ndim) {
    npy_intp result = 1;
    for (int i = 0; i < ndim; ++i) result *= shape[i];
    return result;
}

// A mask of the shape of an array, alone in the list of indices; null if there is something else.
PyArrayObject* whole_mask(PyObject* indices, PyArrayObject* array) {
    if (!PyList_CheckExact(indices) || PyList_GET_SIZE(indices) != 1) return nullptr;
    PyArrayObject* mask = plain(PyList_GET_ITEM(indices, 0), bool_descr);
    return mask && PyArray_NDIM(mask) > 0 && same_shape(mask, array) ? mask : nullptr;
}

// index(self, indices)
PyObject* index(PyObject* const* args) {
    PyArrayObject* x = in_plain_rows(args[0]);
    if (PyArrayObject* mask = x ? whole_mask(args[1], x) : nullptr) return held_elements(x, mask);
    IndexedPositions positions;
    npy_intp shape[most_dims];
    if (!x || !positions.find(args[1], x) || !are_contiguous(args[1])) return nullptr;
    const int ndim = positions.shape_of_part(x, shape);
    if (ndim < 0) return nullptr;
    const npy_intp outer = product(shape, positions.lead), count = positions.count();
    const npy_intp bytes = product(shape + positions.lead + positions.ndim, positions.rest(x)) * PyArray_ITEMSIZE(x);
    const Size all = Size(outer) * count * bytes;
    if (!all.fits() || (count == 0 && ndim != 1)) return nullptr;  // an empty one has no row-major strides
    Owned result(new_array(PyArray_DESCR(x), ndim, shape));
    if (!result || count == 0) return result.give();
    const char* from = PyArray_BYTES(x);
    char* to = PyArray_BYTES(result.get());
    const npy_intp block = PyArray_NBYTES(x) / outer, *offsets = positions.offsets.data();
    {
        ReleaseGil unlocked(all.value() >= 8 * thread_threshold);
        parallel_for(outer * count, bytes / 8 + 1, [=](npy_intp begin, npy_intp end) {
            const char* source = from + begin / count * block;
            npy_intp i = begin % count;
            for (npy_intp at = begin; at < end; ++at) {
                copy_element(to + at * bytes, source + offsets[i], bytes);
                if (++i == count) i = 0, source += block;
            }
        });
    }
    return result.give();
}

// Values under a mask of the shape of the target: one for all positions, or one for each.
bool put_under(PyArrayObject* target, PyArrayObject* mask, PyArrayObject* values) {
    const npy_intp count = PyArray_SIZE(target);
    const npy_bool* held = data_of<npy_bool>(mask);
    return nullptr != with_element(target, [=](auto element) -> PyObject* {
               using T = decltype(element);
               T* target_values = data_of<T>(target);
               const T* from = data_of<T>(values);
               ReleaseGil unlocked(count >= thread_threshold);
               if (PyArray_SIZE(values) == 1) {
                   const T value = *from;
                   parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
                       fill_held(target_values + begin, held + begin, end - begin, value);
                   });
                   return Py_None;
               }
               const Selected selected(held, count);
               if (selected.total() != PyArray_SIZE(values)) return nullptr;
               selected.put(from, target_values, target_values);
               return Py_None;
           });
}

// Adds slices at index arrays in front, repeated indices included; false, with nothing written, for whatever is
// unusual.
template <class T> bool add_at(PyArrayObject* target, PyObject* indices, PyArrayObject* values) {
    IndexedPositions positions;
    npy_intp shape[most_dims];
    if (!values || !positions.find(indices, target) || positions.lead > 0) return false;
    const int ndim = positions.shape_of_part(target, shape);
    if (ndim != PyArray_NDIM(values) || !std::equal(shape, shape + ndim, PyArray_DIMS(values))) return false;
    const npy_intp width = product(shape + positions.ndim, ndim - positions.ndim);
    char* target_values = PyArray_BYTES(target);
    const T* part = data_of<T>(values);
    ReleaseGil unlocked(PyArray_SIZE(values) >= thread_threshold);
    for (const npy_intp offset : positions.offsets) {
        T* row = reinterpret_cast<T*>(target_values + offset);
        for (npy_intp i = 0; i < width; ++i) row[i] += part[i];
        part += width;
    }
    return true;
}
PyObject* index_put_add(PyObject* const* args) {
    PyArrayObject *target = as_target(args[0]), *values = target ? as_source(args[2], target) : nullptr;
    if (!values || !plain(args[0]) || !plain(args[2]) || !PyList_CheckExact(args[1])) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[1]); ++i) {
        PyObject* index = PyList_GET_ITEM(args[1], i);
        if (PyArray_Check(index) && !are_disjoint(target, reinterpret_cast<PyArrayObject*>(index))) return nullptr;
    }
    bool added = false;
    if (PyArray_DESCR(target) == float_descr) added = add_at<float>(target, args[1], values);
    if (PyArray_DESCR(target) == double_descr) added = add_at<double>(target, args[1], values);
    if (!added) return nullptr;
    Py_RETURN_NONE;
}

// Whether each of many positions is a single element: NumPy's loop then takes less time than computing the positions.
bool names_many_elements(PyObject* indices, PyArrayObject* target) {
    if (!PyList_CheckExact(indices) || PyList_GET_SIZE(indices) != PyArray_NDIM(target)) return false;
    bool many = false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(indices); ++i) {
        PyArrayObject* index = aligned(PyList_GET_ITEM(indices, i), int64_descr);
        if (!index) return false;
        many = many || PyArray_SIZE(index) > most_elements;
    }
    return many;
}

// index_put_(self, indices, values, accumulate)
PyObject* index_put(PyObject* const* args) {
    if (args[3] == Py_True) return index_put_add(args);
    PyArrayObject* target = args[3] == Py_False ? as_target(args[0]) : nullptr;
    PyArrayObject* values = target ? as_source(args[2], target) : nullptr;
    PyArrayObject* mask = values && plain(args[0]) ? whole_mask(args[1], target) : nullptr;
    if (mask && plain(args[2]) && are_disjoint(target, mask) && PyArray_NDIM(values) <= 1) {
        if (put_under(target, mask, values)) Py_RETURN_NONE;
        return nullptr;
    }
    IndexedPositions positions;
    npy_intp shape[most_dims], strides[most_dims];
    if (!values || !PyList_CheckExact(args[1])) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[1]); ++i) {
        PyObject* index = PyList_GET_ITEM(args[1], i);
        if (PyArray_Check(index) && !are_disjoint(target, reinterpret_cast<PyArrayObject*>(index))) return nullptr;
    }
    if (names_many_elements(args[1], target) || !positions.find(args[1], target)) return nullptr;
    const int ndim = positions.shape_of_part(target, shape), lead = positions.lead, behind = lead + positions.ndim;
    if (ndim < 0 || !stretch(values, ndim, shape, strides)) return nullptr;
    Size size(1);
    for (int i = 0; i < ndim; ++i) size = size * shape[i];
    if (size.value_or_most() > most_elements) {
        const Blocks blocks{lead, positions.ndim, ndim, shape, strides, PyArray_BYTES(values)};
        return blocks.write(target, positions.offsets) ? Py_NewRef(Py_None) : nullptr;
    }
    char* to = PyArray_BYTES(target);
    const char* from = PyArray_BYTES(values);
    const npy_intp bytes = PyArray_ITEMSIZE(target), *target_strides = PyArray_STRIDES(target),
                   *offsets = positions.offsets.data();
    const int rest = positions.rest(target), first = lead + positions.taken;
    walk(lead, shape, target_strides, strides, 0, 0, [&](npy_intp x, npy_intp y) {
        const npy_intp* offset = offsets;
        walk(positions.ndim, shape + lead, strides + lead, strides + lead, y, 0, [&](npy_intp value, npy_intp) {
            walk(rest, shape + behind, target_strides + first, strides + behind, x + *offset++, value,
                 [=](npy_intp a, npy_intp b) { copy_element(to + a, from + b, bytes); });
        });
    });
    Py_RETURN_NONE;
}

// index_put(self, indices, values, accumulate): the same on a copy of an array in row-major order
PyObject* index_put_copy(PyObject* const* args) {
    PyArrayObject* x = in_plain_rows(args[0]);
    if (x && args[3] == Py_False && names_many_elements(args[1], x)) return nullptr;
    Owned result(x ? new_copy(x) : nullptr);
    if (!result) return nullptr;
    PyObject* write[4] = {reinterpret_cast<PyObject*>(result.get()), args[1], args[2], args[3]};
    PyObject* written = index_put(write);
    if (!written) return nullptr;
    Py_DECREF(written);
    return result.give();
}

// (grad, self_shape, indices): the gradient added where `index` read
template <class T> PyObject* index_rule(PyObject* const* args) {
    npy_intp shape[most_dims], part[most_dims];
    const int ndim = as_shape(args[1], shape);
    if (ndim < 1) return nullptr;
    for (int i = 0; i < ndim; ++i)
        if (shape[i] == 0) return nullptr;
    Owned result(new_zeros(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    Owned grad(as_contiguous(args[0], descr_of<T>()));
    IndexedPositions positions;
    if (PyArrayObject* mask = grad && PyArray_NDIM(grad.get()) == 1 ? whole_mask(args[2], result.get()) : nullptr) {
        const Selected held(data_of<npy_bool>(mask), PyArray_SIZE(mask));
        if (held.total() != PyArray_SIZE(grad.get())) return nullptr;
        held.put<T>(data_of<T>(grad.get()), nullptr, data_of<T>(result.get()));
        return result.give();
    }
    if (!grad || !positions.find(args[2], result.get())) return nullptr;
    if (positions.shape_of_part(result.get(), part) != PyArray_NDIM(grad.get())) return nullptr;
    for (int i = 0; i < PyArray_NDIM(grad.get()); ++i)
        if (part[i] != PyArray_DIM(grad.get(), i)) return nullptr;
    const npy_intp outer = product(shape, positions.lead), count = positions.count();
    const npy_intp inner = product(shape + positions.lead + positions.taken, positions.rest(result.get()));
    const npy_intp block = PyArray_SIZE(result.get()) / outer;
    const T* from = data_of<T>(grad.get());
    T* to = data_of<T>(result.get());
    {
        ReleaseGil unlocked(PyArray_SIZE(grad.get()) >= thread_threshold);
        for (npy_intp o = 0; o < outer; ++o)
            for (npy_intp k = 0; k < count; ++k, from += inner) {
                T* row = to + o * block + positions.offsets[static_cast<size_t>(k)] / static_cast<npy_intp>(sizeof(T));
                if (positions.once)
                    std::copy_n(from, inner, row);  // a zero keeps its sign
                else
                    for (npy_intp i = 0; i < inner; ++i) row[i] += from[i];
            }
    }
    return result.give();
}

// (grad, indices, accumulate): the gradient, with zeros where values were written
PyObject* index_put_rule(PyObject* const* args) {
    PyArrayObject* grad = args[2] == Py_False ? in_plain_rows(args[0]) : nullptr;
    if (!grad) return nullptr;
    Py_INCREF(PyArray_DESCR(grad));
    Owned zero(reinterpret_cast<PyArrayObject*>(PyArray_Zeros(0, nullptr, PyArray_DESCR(grad), 0)));
    if (!zero) return nullptr;
    PyObject* write[4] = {args[0], args[1], reinterpret_cast<PyObject*>(zero.get()), Py_False};
    return index_put_copy(write);
}

Methods position_methods({
    WENGERT_ENTRY(index, "(self, indices)", on_contiguous<direct<2, index>, few_with_gaps>),
    WENGERT_ENTRY(index_put_, "(self, indices, values, accumulate): None", direct<4, index_put>),
    WENGERT_ENTRY(index_put, "(self, indices, values, accumulate)",
                  on_contiguous<direct<4, index_put_copy>, few_with_gaps>),
    WENGERT_ENTRY(index_put_rule, "(grad, indices, accumulate)",
                  on_contiguous<direct<3, index_put_rule>, few_with_gaps>),
    WENGERT_ENTRY(index_rule, "(grad, self_shape, indices)",
                  on_contiguous<direct<3, by_element<index_rule<float>, index_rule<double>>>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
