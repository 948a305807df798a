// Padding with a constant or with elements of the array, and the transpose of the latter. For the dispatcher only.
#include "binding/elements.hpp"
#include "binding/memory_order.hpp"
#include "arrays/views.hpp"

#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

enum Edge { CONSTANT, REFLECT, REPLICATE, CIRCULAR, UNKNOWN };
Edge as_edge(PyObject* mode) {
    return static_cast<Edge>(REFLECT + number_of_text(mode, {"reflect", "replicate", "circular"}));
}

// For each dimension, first to last, what is added before and behind: `pad` begins with the last dimension.
struct Sides {
    int ndim = 0, padded = 0;
    npy_intp shape[most_dims], before[most_dims], behind[most_dims], padded_shape[most_dims];

    bool read(PyObject* pad, int count, const npy_intp* lengths) {
        if (!PyTuple_CheckExact(pad) || count > most_dims) return false;
        const Py_ssize_t width_count = PyTuple_GET_SIZE(pad);
        if (width_count % 2 || width_count > 2 * static_cast<Py_ssize_t>(count)) return false;
        ndim = count, padded = static_cast<int>(width_count / 2);
        Size room(32);
        for (int i = 0; i < ndim; ++i) {
            const int at = 2 * (ndim - 1 - i);
            before[i] = behind[i] = 0;
            if (at < width_count &&
                !(as_width(PyTuple_GET_ITEM(pad, at), before[i]) && as_width(PyTuple_GET_ITEM(pad, at + 1), behind[i])))
                return false;
            const Size length = Size(lengths[i]) + before[i] + behind[i];
            if (!length.fits() || length.value() < 1 || lengths[i] < 1) return false;
            shape[i] = lengths[i], padded_shape[i] = length.value();
            room = room * padded_shape[i];
        }
        return room.fits();
    }
    static bool as_width(PyObject* object, npy_intp& width) {
        constexpr npy_intp most = static_cast<npy_intp>(std::min<int64_t>(int64_t(1) << 48, NPY_MAX_INTP / 16));
        return PyLong_CheckExact(object) && as_index(object, width) && width > -most && width < most;
    }
    npy_intp size() const { return product(padded_shape, ndim); }
    npy_intp rows() const { return product(padded_shape, ndim - 1); }  // of the result
    static npy_intp product(const npy_intp* lengths, int count) {
        npy_intp total = 1;
        for (int i = 0; i < count; ++i) total *= lengths[i];
        return total;
    }
};

// ---- a constant -----------------------------------------------------------------------------------------------------
// Rows of the result that hold rows of the array: copied behind what is filled.
void copy_kept(const Sides& s, npy_intp bytes, const char* from, char* to) {
    const int last = s.ndim - 1;
    npy_intp first[most_dims], count[most_dims], index[most_dims] = {};
    for (int i = 0; i < s.ndim; ++i) {
        first[i] = std::max<npy_intp>(0, -s.before[i]);
        count[i] = s.shape[i] - first[i] - std::max<npy_intp>(0, -s.behind[i]);
        if (count[i] < 1) return;
    }
    const npy_intp rows = Sides::product(count, last);
    for (npy_intp row = 0; row < rows; ++row) {
        npy_intp source = 0, target = 0;
        for (int i = 0; i < last; ++i) {
            source = source * s.shape[i] + first[i] + index[i];
            target = target * s.padded_shape[i] + first[i] + index[i] + s.before[i];
        }
        std::memcpy(to + (target * s.padded_shape[last] + first[last] + s.before[last]) * bytes,
                    from + (source * s.shape[last] + first[last]) * bytes, static_cast<size_t>(count[last] * bytes));
        for (int i = last - 1; i >= 0 && ++index[i] == count[i]; --i) index[i] = 0;
    }
}

// Doubles what is filled already until all is.
void fill_with(char* to, npy_intp count, const char* element, npy_intp bytes) {
    copy_element(to, element, bytes);
    for (npy_intp filled = 1; filled < count;) {
        const npy_intp more = std::min(filled, count - filled);
        std::memcpy(to + filled * bytes, to, static_cast<size_t>(more * bytes));
        filled += more;
    }
}

PyObject* constant_border(PyObject* object, PyObject* pad, PyObject* value) {
    PyArrayObject* x = plain(object);
    Sides s;
    Element fill;
    if (!x || !holds_numbers(x) || !is_row_major(x) || PyArray_NDIM(x) == 0 ||
        !s.read(pad, PyArray_NDIM(x), PyArray_DIMS(x)))
        return nullptr;
    bool grows = false;
    for (int i = 0; i < s.ndim; ++i) {
        grows |= s.before[i] > 0 || s.behind[i] > 0;
        if (std::max<npy_intp>(0, -s.before[i]) + std::max<npy_intp>(0, -s.behind[i]) > s.shape[i]) return nullptr;
    }
    if (!grows || !fill.read(x, value)) return nullptr;
    const npy_intp bytes = PyArray_ITEMSIZE(x);
    const char* element = fill.data();
    const bool zeros = std::all_of(element, element + bytes, [](char byte) { return byte == 0; });
    Owned result(zeros ? new_zeros(PyArray_DESCR(x), s.ndim, s.padded_shape)
                       : new_array(PyArray_DESCR(x), s.ndim, s.padded_shape));
    if (!result) return nullptr;
    char* to = PyArray_BYTES(result.get());
    ReleaseGil unlocked(s.size() >= thread_threshold);
    if (!zeros) fill_with(to, s.size(), element, bytes);
    copy_kept(s, bytes, PyArray_BYTES(x), to);
    return result.give();
}
// constant_pad_nd(self, pad, value); pad_constant(input, pad, value), None for 0
PyObject* constant_pad_nd(Call args) {
    return args[2] == Py_None ? nullptr : constant_border(args[0], args[1], args[2]);
}
PyObject* pad_constant(Call args) { return constant_border(args[0], args[1], args[2] == Py_None ? nullptr : args[2]); }

// ---- the array's own elements ---------------------------------------------------------------------------------------
// The first element of a dimension that is kept, and how many are.
npy_intp first_kept(npy_intp before) { return std::max<npy_intp>(0, -before); }
npy_intp kept(npy_intp length, npy_intp before, npy_intp behind) {
    return length - first_kept(behind) - first_kept(before);
}

// Whether a dimension has the elements that its sides repeat: to be checked before memory is allocated.
bool reaches(npy_intp length, npy_intp before, npy_intp behind, Edge mode) {
    if (mode == REFLECT) return std::max(before, behind) < length;
    if (mode == REPLICATE) return length > 0;
    return mode == CIRCULAR && kept(length, before, behind) >= std::max<npy_intp>(1, std::max(before, behind));
}

// For each position along a dimension of the result the element that it repeats; false if one would lie outside.
bool fill_sources(npy_intp length, npy_intp before, npy_intp padded, Edge mode, npy_intp behind, npy_intp* sources) {
    const npy_intp first = first_kept(before), round = kept(length, before, behind);
    for (npy_intp i = 0; i < padded; ++i) {
        npy_intp at = i - before;
        if (mode == REPLICATE) {
            at = std::min(std::max<npy_intp>(at, 0), length - 1);
        } else if (mode == REFLECT) {
            at = at < 0 ? -at : at;
            at = at >= length ? 2 * (length - 1) - at : at;
        } else {
            at = first + ((at - first) % round + round) % round;
        }
        if (at < 0 || at >= length) return false;
        sources[i] = at;
    }
    return true;
}

// The sources of all dimensions, one after the other.
class Sources {
public:
    // For an array of these sides that there is memory for.
    bool fill(const Sides& s, Edge mode) {
        Size total(0);
        for (int i = 0; i < s.ndim; ++i) start_[i] = total.value_or_most(), total = total + s.padded_shape[i];
        if (!total.fits()) return false;
        positions_.resize(static_cast<size_t>(total.value()));
        for (int i = 0; i < s.ndim; ++i)
            if (!fill_sources(s.shape[i], s.before[i], s.padded_shape[i], mode, s.behind[i],
                              positions_.data() + start_[i]))
                return false;
        return true;
    }
    // visit(row of the result, row of the array, where the elements of a row come from), for some rows
    template <class Visit> void over_rows(const Sides& s, npy_intp begin, npy_intp end, const Visit& visit) const {
        const int last = s.ndim - 1;
        npy_intp index[most_dims] = {}, rest = begin;
        for (int i = last - 1; i >= 0; rest /= s.padded_shape[i--]) index[i] = rest % s.padded_shape[i];
        for (npy_intp row = begin; row < end; ++row) {
            npy_intp source = 0;
            for (int i = 0; i < last; ++i)
                source = source * s.shape[i] + positions_[static_cast<size_t>(start_[i] + index[i])];
            visit(row, source, positions_.data() + start_[last]);
            for (int i = last - 1; i >= 0 && ++index[i] == s.padded_shape[i]; --i) index[i] = 0;
        }
    }

private:
    npy_intp start_[most_dims];
    std::vector<npy_intp> positions_;
};

// One to three padded dimensions behind one or two others, as `pad` takes them.
bool is_usual(const Sides& s, Edge mode) {
    bool fits = s.padded >= 1 && s.padded <= 3 && s.ndim - s.padded >= 1 && s.ndim - s.padded <= 2;
    for (int i = 0; i < s.ndim; ++i) fits = fits && reaches(s.shape[i], s.before[i], s.behind[i], mode);
    return fits;
}

// edge_pad(self, pad, mode)
PyObject* edge_pad(Call args) {
    PyArrayObject* x = plain(args[0]);
    Sides s;
    Sources sources;
    if (!x || !holds_numbers(x) || !is_row_major(x) || PyArray_NDIM(x) == 0 ||
        !s.read(args[1], PyArray_NDIM(x), PyArray_DIMS(x)))
        return nullptr;
    const Edge mode = as_edge(args[2]);
    if (!is_usual(s, mode)) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), s.ndim, s.padded_shape));
    if (!result || !sources.fill(s, mode)) return nullptr;
    const npy_intp bytes = PyArray_ITEMSIZE(x), length = s.shape[s.ndim - 1], width = s.padded_shape[s.ndim - 1];
    const npy_intp before = std::max<npy_intp>(0, s.before[s.ndim - 1]),
                   behind = std::max<npy_intp>(0, s.behind[s.ndim - 1]);
    const char* from = PyArray_BYTES(x);
    char* to = PyArray_BYTES(result.get());
    ReleaseGil unlocked(s.size() >= thread_threshold);
    const auto copy_row = [=](npy_intp row, npy_intp source, const npy_intp* positions) {
        const char* source_row = from + source * length * bytes;
        char* target = to + row * width * bytes;
        const npy_intp inner = std::max<npy_intp>(width - before - behind, 0);
        for (npy_intp i = 0; i < before && i < width; ++i)
            copy_element(target + i * bytes, source_row + positions[i] * bytes, bytes);
        if (inner > 0)
            std::memcpy(target + before * bytes, source_row + positions[before] * bytes,
                        static_cast<size_t>(inner * bytes));
        for (npy_intp i = before + inner; i < width; ++i)
            copy_element(target + i * bytes, source_row + positions[i] * bytes, bytes);
    };
    parallel_for(s.rows(), width, [&](npy_intp begin, npy_intp end) { sources.over_rows(s, begin, end, copy_row); });
    return result.give();
}

// edge_pad_backward(grad, pad, mode, shape)
template <class T> PyObject* folded(Call args) {
    Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    npy_intp shape[most_dims];
    const int ndim = as_shape(args[3], shape);
    Sides s;
    Sources sources;
    if (!grad || ndim < 1 || !s.read(args[1], ndim, shape) || PyArray_NDIM(grad.get()) != ndim) return nullptr;
    if (s.size() > most_elements) return nullptr;
    const Edge mode = as_edge(args[2]);
    if (!std::equal(s.padded_shape, s.padded_shape + ndim, PyArray_DIMS(grad.get())) || !is_usual(s, mode) ||
        !sources.fill(s, mode))
        return nullptr;
    Owned result(new_zeros(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    const npy_intp length = s.shape[ndim - 1], width = s.padded_shape[ndim - 1];
    const T* from = data_of<T>(grad.get());
    T* to = data_of<T>(result.get());
    ReleaseGil unlocked(s.size() >= thread_threshold);
    sources.over_rows(s, 0, s.rows(), [=](npy_intp row, npy_intp source, const npy_intp* positions) {
        for (npy_intp i = 0; i < width; ++i) to[source * length + positions[i]] += from[row * width + i];
    });
    return result.give();
}
// edge_pad_rule(grad, pad, mode, self_shape, self_strides): of a row-major array
PyObject* edge_pad_rule(Call args) {
    npy_intp shape[most_dims], strides[NPY_MAXDIMS];
    const int ndim = as_shape(args[3], shape);
    if (ndim < 1 || as_lengths(args[4], strides) != ndim || !PyArray_CheckExact(args[0])) return nullptr;
    npy_intp step = PyArray_ITEMSIZE(reinterpret_cast<PyArrayObject*>(args[0]));
    for (int i = ndim - 1; i >= 0; step *= shape[i--])
        if (strides[i] != step) return nullptr;
    return by_element<folded<float>, folded<double>>(args);
}

Methods pad_methods({
    WENGERT_ENTRY(constant_pad_nd, "(self, pad, value)", on_contiguous<direct<3, constant_pad_nd>, few_with_gaps>),
    direct_method("direct_pad_constant", on_contiguous<direct<3, pad_constant>, few_with_gaps>,
                  "constant_pad_nd(self, pad, value or None), or NotImplemented"),
    WENGERT_ENTRY(edge_pad, "(self, pad, mode)", on_contiguous<direct<3, edge_pad>, few_with_gaps>),
    WENGERT_ENTRY(edge_pad_backward, "(grad, pad, mode, shape)",
                  on_contiguous<direct<4, by_element<folded<float>, folded<double>>>, few_with_gaps>),
    direct_method("direct_edge_pad_rule", on_contiguous<direct<5, edge_pad_rule>, few_with_gaps>,
                  "edge_pad's rule (grad, pad, mode, self_shape, self_strides)"),
});

}  // namespace
}  // namespace wengert
