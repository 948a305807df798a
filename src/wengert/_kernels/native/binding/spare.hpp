// Arrays offered to the next functions that create some, instead of new memory. Who replays a list of calls offers the
// arrays in which the same call of the last replay returned its results, if nobody else refers to them any more.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// Whether the caller's reference is the only one to an object.
inline bool is_unique(PyObject* object) {
#ifdef Py_GIL_DISABLED
    (void)object;
    return false;  // other threads may take references at any time
#else
    return Py_REFCNT(object) == 1;
#endif
}
// Whether nobody but the caller can reach an array, and it may be written to.
inline bool is_free(PyObject* object) {
    if (!is_unique(object) || !PyArray_CheckExact(object)) return false;
    const Py_ssize_t watchers = PyArray_Type.tp_weaklistoffset;
    const bool watched = watchers > 0 && *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + watchers);
    return !watched && writeable(reinterpret_cast<PyArrayObject*>(object));
}
// Whether an array can be offered: nobody else refers to it, and it has writeable memory of its own, of a size that the
// C library, not `base/reserve.hpp`, provides, in row-major order or, as a matrix, in column-major order.
bool can_be_offered(PyArrayObject* array);

// Arrays that are offered while the object lives; a reference is shared with whoever takes one.
class Offer {
public:
    static constexpr int most = 4;
    Offer(PyArrayObject* const* arrays, int count);
    ~Offer() { withdraw(); }
    Offer(const Offer&) = delete;
    Offer& operator=(const Offer&) = delete;
    static void withdraw();
};

}  // namespace wengert
