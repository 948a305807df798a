// Writing elements at indices, or combining them with the elements there: the cards `scatter` and `scatter_reduce`.
#include "index/along.hpp"
#include "binding/elements.hpp"

#include <cstring>
#include <type_traits>

namespace wengert {
namespace {

using Call = PyObject* const*;

// A copy of `x`, of any strides, in which body(copy, position, source offset) is applied to each index; null for
// unsupported or wrong arguments.
struct Scattered {
    PyArrayObject *x = nullptr, *index = nullptr;
    Over over;

    Scattered(PyObject* self, PyObject* dim, PyObject* index_object) {
        PyArrayObject* array = PyArray_CheckExact(self) ? reinterpret_cast<PyArrayObject*>(self) : nullptr;
        PyArrayObject* positions = plain(index_object, int64_descr);
        int axis = 0;
        if (!array || !positions || !PyArray_ISBEHAVED_RO(array) || PyDataType_REFCHK(PyArray_DESCR(array)) ||
            PyArray_NDIM(array) != PyArray_NDIM(positions))
            return;
        if (PyArray_SIZE(positions) == 0 || !as_axis(dim, PyArray_NDIM(array), axis) ||
            !over.find(PyArray_NDIM(array), PyArray_DIMS(array), positions, axis))
            return;
        x = array, index = positions;
    }

    template <class Body> PyObject* make(const Body& body) const {
        Owned result(new_copy(x));
        if (!result) return nullptr;
        char* out = PyArray_BYTES(result.get());
        bool inside;
        {
            ReleaseGil unlocked(PyArray_SIZE(index) >= thread_threshold);
            inside = at_positions(data_of<int64_t>(index), over, PyArray_ITEMSIZE(x),
                                  [=](npy_intp to, npy_intp from) { body(out, to, from); });
        }
        return inside ? result.give() : nullptr;
    }
};

// ---- scatter -------------------------------------------------------------------------------------------------------
template <size_t bytes> PyObject* replaced(const Scattered& scattered, const char* source, npy_intp step) {
    return scattered.make(
        [=](char* out, npy_intp to, npy_intp from) { std::memcpy(out + to * bytes, source + from * step, bytes); });
}

// One element in the dtype of an array: a Python number that the dtype takes.
bool as_element(PyObject* number, PyArrayObject* array, char* element) {
    const auto store = [=](auto value) {
        if (!weak_value(number, value)) return false;
        std::memcpy(element, &value, sizeof value);
        return true;
    };
    if (PyArray_DESCR(array) == float_descr) return store(float{});
    if (PyArray_DESCR(array) == double_descr) return store(double{});
    return PyArray_DESCR(array) == int64_descr && store(int64_t{});
}

// The values: the part of an array of the shape of the index, or one element for all positions.
struct Source {
    char element[16] = {};
    const char* data = nullptr;
    npy_intp step = 0;
    Owned part;

    bool read(PyObject* object, const Scattered& scattered) {
        if (!PyArray_CheckExact(object)) {
            data = element;
            return as_element(object, scattered.x, element);
        }
        PyArrayObject* values = aligned(object, PyArray_DESCR(scattered.x));
        if (!values || !part.set(part_under(values, scattered.index))) return false;
        data = PyArray_BYTES(part.get()), step = PyArray_ITEMSIZE(values);
        return true;
    }
};

// scatter(self, dim, index, src, reduce)
PyObject* scatter(Call args) {
    const Scattered scattered(args[0], args[1], args[2]);
    Source source;
    if (!scattered.x || args[4] != Py_None || !source.read(args[3], scattered)) return nullptr;
    switch (PyArray_ITEMSIZE(scattered.x)) {
        case 1: return replaced<1>(scattered, source.data, source.step);
        case 2: return replaced<2>(scattered, source.data, source.step);
        case 4: return replaced<4>(scattered, source.data, source.step);
        case 8: return replaced<8>(scattered, source.data, source.step);
        case 16: return replaced<16>(scattered, source.data, source.step);
    }
    return nullptr;
}

// Whether all indices lie in [0, length).
bool all_within(const int64_t* index, npy_intp count, npy_intp length) {
    std::atomic<bool> inside{true};
    const uint64_t last = static_cast<uint64_t>(length) - 1;
    parallel_for(count, 1, [=, &inside](npy_intp begin, npy_intp end) {
        uint64_t signs = 0;
        for (npy_intp i = begin; i < end; ++i)
            signs |= static_cast<uint64_t>(index[i]) | (last - static_cast<uint64_t>(index[i]));
        if (signs >> 63) inside.store(false, std::memory_order_relaxed);
    });
    return inside.load();
}

// body(offset in the array, offset in the index) for each index, all of which are checked before the first is used: few
// in a copy; many, which another thread may change meanwhile, again when they are used.
template <class Body> bool put_in_place(const Scattered& scattered, const Body& body) {
    const npy_intp count = PyArray_SIZE(scattered.index);
    const Owned copy(count > most_elements ? nullptr : new_copy(scattered.index));
    if (!copy && PyErr_Occurred()) return false;
    const int64_t* index = data_of<int64_t>(copy ? copy.get() : scattered.index);
    ReleaseGil unlocked(count >= thread_threshold);
    if (!all_within(index, count, scattered.over.length)) return false;
    at_positions(index, scattered.over, PyArray_ITEMSIZE(scattered.x), body);
    return true;
}

PyObject* none_if(bool written) { return written ? Py_NewRef(Py_None) : nullptr; }

// scatter_(self, dim, index, src, reduce)
PyObject* scatter_in_place(Call args) {
    const Scattered scattered(args[0], args[1], args[2]);
    PyArrayObject *target = as_target(args[0]), *x = scattered.x ? plain(args[0]) : nullptr;
    Source source;
    if (!x || !target || args[4] != Py_None || !source.read(args[3], scattered)) return nullptr;
    if (source.step && !are_disjoint(target, reinterpret_cast<PyArrayObject*>(args[3]))) return nullptr;
    char* out = PyArray_BYTES(target);
    const char* from = source.data;
    const npy_intp step = source.step;
    const auto put = [&](auto size) {
        constexpr size_t bytes = decltype(size)::value;
        return none_if(put_in_place(
            scattered, [=](npy_intp to, npy_intp at) { std::memcpy(out + to * bytes, from + at * step, bytes); }));
    };
    switch (PyArray_ITEMSIZE(target)) {
        case 1: return put(std::integral_constant<size_t, 1>());
        case 2: return put(std::integral_constant<size_t, 2>());
        case 4: return put(std::integral_constant<size_t, 4>());
        case 8: return put(std::integral_constant<size_t, 8>());
        case 16: return put(std::integral_constant<size_t, 16>());
    }
    return nullptr;
}

// scatter_add_(self, dim, index, src)
template <class T> PyObject* add_in_place(Call args) {
    const Scattered scattered(args[0], args[1], args[2]);
    PyArrayObject *x = scattered.x ? plain(args[0], descr_of<T>()) : nullptr, *values = aligned(args[3], descr_of<T>());
    if (!x || !writeable(x) || !values || !are_disjoint(x, values)) return nullptr;
    const Owned part(part_under(values, scattered.index));
    if (!part) return nullptr;
    T* out = data_of<T>(x);
    const T* source = data_of<T>(part.get());
    return none_if(put_in_place(scattered, [=](npy_intp to, npy_intp from) { out[to] += source[from]; }));
}

// ---- scatter_reduce ------------------------------------------------------------------------------------------------
// scatter_reduce(self, dim, index, src, reduce, include_self), with the old values
template <class T> PyObject* scatter_reduce(Call args) {
    const Scattered scattered(args[0], args[1], args[2]);
    PyArrayObject* values = aligned(args[3], descr_of<T>());
    if (!scattered.x || PyArray_DESCR(scattered.x) != descr_of<T>() || !values || args[5] != Py_True) return nullptr;
    const Owned part(part_under(values, scattered.index));
    if (!part) return nullptr;
    const T* source = data_of<T>(part.get());
    const auto combined = [&](auto combine) {
        return scattered.make([=](char* out, npy_intp to, npy_intp from) {
            T* position = reinterpret_cast<T*>(out) + to;
            *position = combine(*position, source[from]);
        });
    };
    if (is_text(args[4], "sum")) return combined([](T a, T b) { return a + b; });
    if (is_text(args[4], "prod")) return combined([](T a, T b) { return a * b; });
    if (is_text(args[4], "amax")) return combined([](T a, T b) { return a >= b || a != a ? a : b; });
    if (is_text(args[4], "amin")) return combined([](T a, T b) { return a <= b || a != a ? a : b; });
    return nullptr;
}

Methods scatter_methods({
    WENGERT_ENTRY(scatter, "(self, dim, index, src, reduce)", on_contiguous<direct<5, scatter>>),
    WENGERT_ENTRY(scatter_, "(self, dim, index, src, reduce): None", direct<5, scatter_in_place>),
    WENGERT_ENTRY(scatter_add_, "(self, dim, index, src): None",
                  direct<4, by_element<add_in_place<float>, add_in_place<double>>>),
    WENGERT_ENTRY(scatter_reduce, "(self, dim, index, src, reduce, include_self)",
                  on_contiguous<direct<6, by_element<scatter_reduce<float>, scatter_reduce<double>>>>),
});

}  // namespace
}  // namespace wengert
