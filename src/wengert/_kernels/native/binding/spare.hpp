// Arrays offered to the next function that creates one, instead of new memory. Who replays a list of calls offers the
// array in which the same call of the last replay returned its result, if nobody else refers to it any more.
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
// Whether an array can be offered: nobody else refers to it, and it has writeable memory of its own, of a size that the
// C library, not `base/reserve.hpp`, provides, in row-major order or, as a matrix, in column-major order.
bool can_be_offered(PyArrayObject* array);

// An array that is offered while the object lives; the reference is shared with whoever takes it.
class Offer {
public:
    explicit Offer(PyArrayObject* array) {
        if (!array) return;
        Py_INCREF(array);
        PyArrayObject* before = offered_array;  // of another thread, which lost the interpreter's lock meanwhile
        offered_array = array;
        Py_XDECREF(before);
    }
    ~Offer() { withdraw_offer(); }
    Offer(const Offer&) = delete;
    Offer& operator=(const Offer&) = delete;
};

}  // namespace wengert
