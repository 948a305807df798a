// Words of 32 bits of a generator, and draws from them that no other thread comes between.
#pragma once

#include "binding/lengths.hpp"

#include <numpy/random/bitgen.h>

namespace wengert {

// An owned reference, released at the end of the scope.
struct Reference {
    PyObject* object;
    explicit Reference(PyObject* owned) : object(owned) {}
    ~Reference() { Py_XDECREF(object); }
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;
};

inline PyObject* attribute(PyObject* object, PyObject* name) {
    return object ? PyObject_GetAttr(object, name) : nullptr;
}

// What `Stream.sources` of a generator holds for the process that we are in (see `Source`), a new reference; null,
// without an error, where it is yet to be made.
enum { bits_capsule, lock_acquire, lock_release, kept_number, source_parts };
inline PyObject* source_of(PyObject* generator, PyObject* forks) {
    static PyObject* const stream_name = PyUnicode_InternFromString("_stream");
    static PyObject* const sources_name = PyUnicode_InternFromString("sources");
    const Reference stream(attribute(generator, stream_name)), sources(attribute(stream.object, sources_name));
    const Reference process(sources.object ? with_python([&] { return PyObject_CallNoArgs(forks); }) : nullptr);
    if (!process.object || !PyDict_CheckExact(sources.object)) return nullptr;
    PyObject* source = PyDict_GetItemWithError(sources.object, process.object);
    return source && PyTuple_Check(source) && PyTuple_GET_SIZE(source) > source_parts ? Py_NewRef(source) : nullptr;
}

struct Words {
    bitgen_t* state;
    uint32_t next() const { return state->next_uint32(state->state); }
    uint64_t next_long() const {
        const uint64_t high = next();
        return high << 32 | next();
    }
    void draw(float& x) const { x = static_cast<float>(next() & 0xFFFFFF) * (1.0f / 16777216.0f); }
    void draw(double& x) const {
        x = static_cast<double>(next_long() & ((uint64_t{1} << 53) - 1)) * (1.0 / 9007199254740992.0);
    }
};

// first + the rest of a word divided by `width`, without a division: Lemire, Kaser and Kurz, Faster remainder by direct
// computation (2019), 1.
inline void draw_below(Words words, uint32_t width, uint64_t first, uint64_t* to, index_t count) {
#ifdef __SIZEOF_INT128__
    const uint64_t share = ~uint64_t{0} / width + 1;  // wraps to 0 for a width of 1, whose rests are 0
    for (index_t at = 0; at < count; ++at) {
        const uint64_t low = share * words.next();
        to[at] = first + static_cast<uint64_t>((static_cast<unsigned __int128>(low) * width) >> 64);
    }
#else
    for (index_t at = 0; at < count; ++at) to[at] = first + words.next() % width;
#endif
}

// A new array that `fill` fills from the words of a source with these parts, under NumPy's lock, so that no draw of
// another thread takes words in between.
template <class Fill>
PyObject* under_lock(PyObject* const* parts, PyArray_Descr* descr, int ndim, const npy_intp* shape, Fill fill) {
    PyArrayObject* kept = plain(parts[kept_number], double_descr);
    if (!kept || PyArray_SIZE(kept) != 2 || !PyCapsule_IsValid(parts[bits_capsule], "BitGenerator")) return nullptr;
    auto* state = static_cast<bitgen_t*>(PyCapsule_GetPointer(parts[bits_capsule], "BitGenerator"));
    Owned result(new_array(descr, ndim, shape));
    const Reference held(result ? with_python([&] { return PyObject_CallOneArg(parts[lock_acquire], Py_False); })
                                : nullptr);
    if (held.object != Py_True) return nullptr;
    fill(Words{state}, data_of<double>(kept), result.get());
    const Reference released(with_python([&] { return PyObject_CallNoArgs(parts[lock_release]); }));
    return released.object ? result.give() : nullptr;
}
// Standard normal numbers as `randn` draws them; `kept`: whether the second number of the last pair is still there, and
// it.
void draw_normal_numbers(Words words, double* kept, float* to, index_t count);
void draw_normal_numbers(Words words, double* kept, double* to, index_t count);

}  // namespace wengert
