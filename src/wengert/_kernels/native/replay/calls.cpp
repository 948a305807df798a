// The entries of a recorded list that call native functions, run one after another without Python.
//
// A list works on registers, a Python list of arrays. Each call keeps the array in which it returned its result (a
// spare) and offers it again in the next run if nobody else refers to it any more (binding/spare.hpp).
#include "binding/spare.hpp"
#include "binding/work.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace wengert {
namespace {

// An owned reference.
class Object {
public:
    explicit Object(PyObject* object = nullptr) : object_(Py_XNewRef(object)) {}
    Object(const Object& other) : object_(Py_XNewRef(other.object_)) {}
    Object(Object&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
    Object& operator=(Object other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object() { Py_XDECREF(object_); }
    PyObject* get() const { return object_; }
    static Object taken(PyObject* reference) {
        Object object;
        object.object_ = reference;
        return object;
    }

private:
    PyObject* object_;
};

// The value of an argument: of a register, a constant, or a list of such.
struct Argument {
    Py_ssize_t place = -1;
    Object constant;
    std::vector<Argument> elements;
    bool is_sequence = false;
};
// Where a result goes: -1 for one that is dropped. `layout` has its dtype, shape and strides.
struct Result {
    Py_ssize_t place = -1;
    Object layout;
};
constexpr size_t most_arguments = 24;
constexpr int most_noted_dims = 4;  // of arrays whose memory is compared
enum Kind { RETURNS = 0, WRITES = 1, COMPARES_BYTES = 2, COMPARES_RESULT = 3, COPIES = 4, VIEWS = 5 };

// The memory of an array.
struct Memory {
    const char* data = nullptr;
    int ndim = 0;
    npy_intp shape[most_noted_dims], strides[most_noted_dims], itemsize = 0;

    bool read(PyObject* object) {
        if (!PyArray_CheckExact(object)) return false;
        auto* array = reinterpret_cast<PyArrayObject*>(object);
        ndim = PyArray_NDIM(array);
        if (ndim > most_noted_dims) return false;
        data = PyArray_BYTES(array), itemsize = PyArray_ITEMSIZE(array);
        std::copy(PyArray_DIMS(array), PyArray_DIMS(array) + ndim, shape);
        std::copy(PyArray_STRIDES(array), PyArray_STRIDES(array) + ndim, strides);
        return true;
    }
    bool is_of(PyObject* object) const {
        if (!PyArray_CheckExact(object)) return false;
        auto* array = reinterpret_cast<PyArrayObject*>(object);
        if (PyArray_BYTES(array) != data || PyArray_NDIM(array) != ndim || PyArray_ITEMSIZE(array) != itemsize)
            return false;
        for (int dim = 0; dim < ndim; ++dim)
            if (PyArray_DIM(array, dim) != shape[dim] || PyArray_STRIDE(array, dim) != strides[dim]) return false;
        return true;
    }
    bool contains(const void* pointer) const {
        const char *first = data, *last = data, *address = static_cast<const char*>(pointer);
        for (int dim = 0; dim < ndim; ++dim) {
            if (shape[dim] == 0) return false;
            (strides[dim] < 0 ? first : last) += (shape[dim] - 1) * strides[dim];
        }
        return address >= first && address < last + itemsize;
    }
};
// The work of a call on certain memory.
struct Repeated {
    std::vector<Work> works;
    std::vector<Memory> operands;  // in the order of the arguments that are registers
    const void* result = nullptr;
    int count = 0;  // of notes taken
};

struct Call {
    int kind = RETURNS;
    Object callable;
    std::vector<Argument> arguments;
    std::vector<Result> results;
    std::vector<Py_ssize_t> frees;
    Object expected;  // bytes, or the result itself
    bool several = false;
    Py_ssize_t spare = -1;              // its number, or -1
    DirectFunction function = nullptr;  // of a built-in function of positional arguments
    bool is_repeatable = false;
    Repeated repeated;
};

struct Calls {
    std::vector<Call> list;  // those that cannot run here have no callable and compare no bytes
    std::vector<Object> spares;
    Py_ssize_t registers = 0;
};

// ---- description ---------------------------------------------------------------------------------------------------

bool fail(const char* text) {
    PyErr_Format(PyExc_ValueError, "replay_calls: %s", text);
    return false;
}
bool read_place(PyObject* object, Py_ssize_t count, Py_ssize_t& place) {
    place = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (place == -1 && PyErr_Occurred()) return false;
    return place < count || fail("an entry names a register that the list does not have");
}
bool read_places(PyObject* object, Py_ssize_t count, std::vector<Py_ssize_t>& places) {
    if (!PyTuple_Check(object)) return fail("expected a tuple of registers");
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(object); ++at) {
        Py_ssize_t place;
        if (!read_place(PyTuple_GET_ITEM(object, at), count, place)) return false;
        if (place >= 0) places.push_back(place);
    }
    return true;
}
// (places, constants): a constant for each negative place; a nested pair (places, constants) is a sequence.
bool read_arguments(PyObject* places, PyObject* constants, Py_ssize_t count, std::vector<Argument>& arguments,
                    bool nested = false) {
    if (!PyTuple_Check(places) || !PyTuple_Check(constants) || PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(constants))
        return fail("expected as many places as constants");
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(places); ++at) {
        Argument argument;
        PyObject* constant = PyTuple_GET_ITEM(constants, at);
        if (!read_place(PyTuple_GET_ITEM(places, at), count, argument.place)) return false;
        argument.is_sequence = argument.place < -1;
        if (argument.is_sequence) {
            if (nested || !PyTuple_Check(constant) || PyTuple_GET_SIZE(constant) != 2)
                return fail("expected places and constants of a sequence");
            if (!read_arguments(PyTuple_GET_ITEM(constant, 0), PyTuple_GET_ITEM(constant, 1), count, argument.elements,
                                true))
                return false;
        } else if (argument.place < 0) {
            argument.constant = Object(constant);
        }
        arguments.push_back(std::move(argument));
    }
    return nested || arguments.size() <= most_arguments || fail("a call has too many arguments");
}
bool read_results(PyObject* places, PyObject* layouts, Py_ssize_t count, std::vector<Result>& results) {
    if (!PyTuple_Check(places) || !PyTuple_Check(layouts) || PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(layouts))
        return fail("expected a layout for each result");
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(places); ++at) {
        Result result;
        PyObject* layout = PyTuple_GET_ITEM(layouts, at);
        if (!read_place(PyTuple_GET_ITEM(places, at), count, result.place)) return false;
        if (result.place >= 0 && !PyArray_Check(layout)) return fail("the layout of a result is no array");
        result.layout = Object(layout);
        results.push_back(std::move(result));
    }
    return true;
}
// The C function of a built-in function that takes positional arguments only; null for others.
DirectFunction positional(PyObject* callable) {
    if (!PyCFunction_CheckExact(callable) || PyCFunction_GET_FLAGS(callable) != METH_FASTCALL) return nullptr;
    return reinterpret_cast<DirectFunction>(reinterpret_cast<void*>(PyCFunction_GET_FUNCTION(callable)));
}
PyObject* constant_of(const Argument& argument) { return argument.constant.get() ? argument.constant.get() : Py_None; }
bool has_layout(PyObject* object, PyObject* layout);
// Whether the argument of a call that copies is a row-major array with the layout of the result.
bool copies_fit(const Call& call) {
    if (call.arguments.size() != 1 || call.results.size() != 1 || call.results[0].place < 0) return false;
    PyObject* constant = constant_of(call.arguments[0]);
    return has_layout(constant, call.results[0].layout.get()) &&
           is_row_major(reinterpret_cast<PyArrayObject*>(constant));
}
// (kind, callable, places, constants, several, results, layouts, spare, frees, expected), or None
bool read_call(PyObject* description, Calls& calls) {
    Call call;
    if (description != Py_None) {
        PyObject *callable, *places, *constants, *results, *layouts, *frees, *expected;
        int several;
        if (!PyTuple_Check(description) ||
            !PyArg_ParseTuple(description, "iOOOpOOnOO", &call.kind, &callable, &places, &constants, &several, &results,
                              &layouts, &call.spare, &frees, &expected))
            return PyErr_Occurred() || fail("expected a tuple or None");
        if (call.kind < RETURNS || call.kind > VIEWS) return fail("unknown kind of call");
        if (!read_arguments(places, constants, calls.registers, call.arguments) ||
            !read_results(results, layouts, calls.registers, call.results) ||
            !read_places(frees, calls.registers, call.frees))
            return false;
        call.several = several != 0;
        if (call.kind == COMPARES_BYTES &&
            (call.arguments.size() != 1 || call.arguments[0].place < 0 || !PyBytes_Check(expected)))
            return fail("expected one register and bytes to compare");
        if (call.kind == COPIES && !copies_fit(call)) return fail("expected a row-major constant like the result");
        if (call.kind == VIEWS && !(call.arguments.size() == 2 && call.arguments[0].place >= 0 &&
                                    PyLong_CheckExact(constant_of(call.arguments[1]))))
            return fail("expected a register and an offset");
        if (call.kind != WRITES && call.kind != COMPARES_BYTES && call.kind != COMPARES_RESULT && !call.several &&
            call.results.size() != 1)
            return fail("expected one result");
        if (call.spare >= static_cast<Py_ssize_t>(calls.spares.size())) {
            if (call.spare > static_cast<Py_ssize_t>(calls.list.size())) return fail("too many spare arrays");
            calls.spares.resize(static_cast<size_t>(call.spare) + 1);
        }
        call.callable = Object(callable), call.expected = Object(expected);
        call.function = positional(callable);
        call.is_repeatable = call.function && (call.kind == WRITES || (call.kind == RETURNS && !call.several)) &&
                             is_repeatable(PyCFunction_GET_FUNCTION(callable));
        for (const Argument& argument : call.arguments) call.is_repeatable &= !argument.is_sequence;
    }
    calls.list.push_back(std::move(call));
    return true;
}

constexpr const char* capsule_name = "wengert.replay_calls";

void destroy(PyObject* capsule) { delete static_cast<Calls*>(PyCapsule_GetPointer(capsule, capsule_name)); }

// replay_calls(descriptions, registers)
PyObject* replay_calls(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs != 2 || !PyTuple_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "replay_calls: expected a tuple of calls and the number of registers");
        return nullptr;
    }
    try {
        auto calls = std::make_unique<Calls>();
        calls->registers = PyNumber_AsSsize_t(args[1], PyExc_OverflowError);
        if (calls->registers == -1 && PyErr_Occurred()) return nullptr;
        for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(args[0]); ++at)
            if (!read_call(PyTuple_GET_ITEM(args[0], at), *calls)) return nullptr;
        PyObject* capsule = PyCapsule_New(calls.get(), capsule_name, destroy);
        if (capsule) calls.release();
        return capsule;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

// ---- a run ---------------------------------------------------------------------------------------------------------

PyObject* sequence_of(const std::vector<Argument>& elements, PyObject* registers) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(elements.size()));
    for (size_t at = 0; list && at < elements.size(); ++at) {
        const Argument& element = elements[at];
        PyObject* value = element.place >= 0 ? PyList_GET_ITEM(registers, element.place) : element.constant.get();
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(at), Py_NewRef(value));
    }
    return list;
}

// The arguments of a call. Registers and constants are borrowed: nobody else changes the list of registers.
class Arguments {
public:
    Arguments(const Call& call, PyObject* registers) {
        for (const Argument& argument : call.arguments) {
            PyObject* value =
                argument.place >= 0 ? PyList_GET_ITEM(registers, argument.place) : argument.constant.get();
            if (argument.is_sequence) {
                value = sequence_of(argument.elements, registers);
                if (!value) return;
                made_[made_count_++] = value;
            }
            values[count++] = value;
        }
        complete = true;
    }
    ~Arguments() {
        while (made_count_) Py_DECREF(made_[--made_count_]);
    }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    PyObject* values[most_arguments];
    Py_ssize_t count = 0;
    bool complete = false;

private:
    PyObject* made_[most_arguments];
    int made_count_ = 0;
};

bool has_layout(PyObject* object, PyObject* layout) {
    if (!PyArray_CheckExact(object)) return false;
    auto *array = reinterpret_cast<PyArrayObject*>(object), *wanted = reinterpret_cast<PyArrayObject*>(layout);
    if (PyArray_DESCR(array) != PyArray_DESCR(wanted) || !same_shape(array, wanted)) return false;
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim)
        if (PyArray_STRIDE(array, dim) != PyArray_STRIDE(wanted, dim)) return false;
    return true;
}

void put(PyObject* registers, Py_ssize_t place, PyObject* value) {
    PyObject* before = PyList_GET_ITEM(registers, place);
    PyList_SET_ITEM(registers, place, Py_NewRef(value));
    Py_DECREF(before);
}

// Puts the results of a call into their registers; false if they differ in layout from those recorded.
bool store(const Call& call, PyObject* result, PyObject* registers) {
    if (!call.several) {
        if (!has_layout(result, call.results[0].layout.get())) return false;
        put(registers, call.results[0].place, result);
        return true;
    }
    if (!PyList_Check(result) && !PyTuple_Check(result)) return false;
    if (PySequence_Fast_GET_SIZE(result) != static_cast<Py_ssize_t>(call.results.size())) return false;
    PyObject** items = PySequence_Fast_ITEMS(result);
    for (size_t at = 0; at < call.results.size(); ++at) {
        const Result& wanted = call.results[at];
        if (wanted.place < 0) continue;
        if (!has_layout(items[at], wanted.layout.get())) return false;
        put(registers, wanted.place, items[at]);
    }
    return true;
}

bool has_bytes(PyObject* object, PyObject* expected) {
    if (!PyArray_CheckExact(object)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return (PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS) != 0 &&
           PyArray_NBYTES(array) == PyBytes_GET_SIZE(expected) &&
           std::memcmp(PyArray_DATA(array), PyBytes_AS_STRING(expected), static_cast<size_t>(PyArray_NBYTES(array))) ==
               0;
}

PyObject* result_of(const Call& call, const Arguments& arguments) {
    PyObject* self = PyCFunction_CheckExact(call.callable.get()) ? PyCFunction_GET_SELF(call.callable.get()) : nullptr;
    if (call.function) return call.function(self, arguments.values, arguments.count);
    return with_python([&] {
        return PyObject_Vectorcall(call.callable.get(), arguments.values, static_cast<size_t>(arguments.count),
                                   nullptr);
    });
}

// A copy of a constant, in the array of the last run if that is free.
PyObject* copy_of(const Call& call, PyObject* spare) {
    auto* constant = reinterpret_cast<PyArrayObject*>(constant_of(call.arguments[0]));
    const Offer offer(reinterpret_cast<PyArrayObject*>(spare));
    PyArrayObject* copy = new_array(PyArray_DESCR(constant), PyArray_NDIM(constant), PyArray_DIMS(constant));
    if (copy) std::memcpy(PyArray_DATA(copy), PyArray_DATA(constant), static_cast<size_t>(PyArray_NBYTES(constant)));
    return reinterpret_cast<PyObject*>(copy);
}
// A view of the memory of a register's array, at an offset from its first element; null without an error if that
// memory has gaps, or is too small.
PyObject* view_of(const Call& call, PyObject* registers) {
    PyObject* object = PyList_GET_ITEM(registers, call.arguments[0].place);
    npy_intp offset = 0;
    if (!PyArray_CheckExact(object) || !as_index(constant_of(call.arguments[1]), offset)) return nullptr;
    auto *array = reinterpret_cast<PyArrayObject*>(object), *whole = array;
    while (PyArray_BASE(whole) && PyArray_Check(PyArray_BASE(whole)))
        whole = reinterpret_cast<PyArrayObject*>(PyArray_BASE(whole));
    auto* layout = reinterpret_cast<PyArrayObject*>(call.results[0].layout.get());
    Size first(PyArray_BYTES(array) - PyArray_BYTES(whole)), last(PyArray_ITEMSIZE(layout));
    first = first + offset;
    last = last + first;
    for (int dim = 0; dim < PyArray_NDIM(layout); ++dim) {
        if (PyArray_DIM(layout, dim) == 0) return nullptr;
        Size& end = PyArray_STRIDE(layout, dim) < 0 ? first : last;
        end = end + Size(PyArray_DIM(layout, dim) - 1) * PyArray_STRIDE(layout, dim);
    }
    if (!first.fits() || !last.fits() || first.value() < 0 || last.value() > PyArray_NBYTES(whole) ||
        !PyArray_ISONESEGMENT(whole))
        return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(layout);
    Py_INCREF(descr);
    Owned view(reinterpret_cast<PyArrayObject*>(
        PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(layout), PyArray_DIMS(layout), PyArray_STRIDES(layout),
                             PyArray_BYTES(array) + offset, PyArray_FLAGS(whole) & NPY_ARRAY_WRITEABLE, nullptr)));
    if (!view) return nullptr;
    Py_INCREF(whole);
    return PyArray_SetBaseObject(view.get(), reinterpret_cast<PyObject*>(whole)) < 0 ? nullptr : view.give();
}

enum Outcome { RAN, STOPPED, FAILED };

// Repeats the work of a call if its operands, and the array for its result, are the memory that it was noted for.
bool repeat(const Call& call, PyObject* spare, PyObject* registers) {
    const Repeated& repeated = call.repeated;
    if (repeated.works.empty() || (call.kind == RETURNS) != (spare != nullptr)) return false;
    if (spare && PyArray_DATA(reinterpret_cast<PyArrayObject*>(spare)) != repeated.result) return false;
    const Memory* memory = repeated.operands.data();
    for (const Argument& argument : call.arguments)
        if (argument.place >= 0 && !(memory++)->is_of(PyList_GET_ITEM(registers, argument.place))) return false;
    for (const Work& work : repeated.works) work.run();
    if (spare) put(registers, call.results[0].place, spare);
    return true;
}
// Keeps what a call has noted, unless it leads to other memory than that of its operands and its result.
void keep(Call& call, const WorkNotes& notes, const Arguments& arguments, PyObject* result) {
    constexpr int most_notes = 32;  // of a call whose operands are in other memory in each run
    Repeated& repeated = call.repeated;
    if (++repeated.count == most_notes) call.is_repeatable = false;
    repeated.works.clear();
    repeated.operands.clear();
    if (!notes.complete || notes.work_count == 0) return;
    Memory of_result;
    if (result && !of_result.read(result)) return;
    for (size_t at = 0; at < call.arguments.size(); ++at) {
        if (call.arguments[at].place < 0) continue;
        repeated.operands.emplace_back();
        if (!repeated.operands.back().read(arguments.values[at])) return;
    }
    for (int at = 0; at < notes.pointer_count; ++at) {
        bool known = result && of_result.contains(notes.pointers[at]);
        for (const Memory& memory : repeated.operands) known = known || memory.contains(notes.pointers[at]);
        if (!known) return;
    }
    repeated.result = of_result.data;
    repeated.works.assign(notes.works, notes.works + notes.work_count);
}

// Offers an array and takes notes while the object lives.
class ReplayedCall {
public:
    ReplayedCall(PyObject* spare, WorkNotes* notes) : offer_(reinterpret_cast<PyArrayObject*>(spare)) {
        work_notes = notes;
    }
    ~ReplayedCall() { work_notes = nullptr; }
    ReplayedCall(const ReplayedCall&) = delete;
    ReplayedCall& operator=(const ReplayedCall&) = delete;

private:
    Offer offer_;
};

Outcome run_call(Calls& calls, Call& call, PyObject* registers) {
    if (call.kind == COMPARES_BYTES)
        return has_bytes(PyList_GET_ITEM(registers, call.arguments[0].place), call.expected.get()) ? RAN : STOPPED;
    if (!call.callable.get()) return STOPPED;
    if (call.kind == VIEWS) {
        const Object view(Object::taken(view_of(call, registers)));
        if (!view.get()) return PyErr_Occurred() ? FAILED : STOPPED;
        return store(call, view.get(), registers) ? RAN : STOPPED;
    }
    Object* kept = call.spare >= 0 ? &calls.spares[static_cast<size_t>(call.spare)] : nullptr;
    auto* array = kept ? reinterpret_cast<PyArrayObject*>(kept->get()) : nullptr;
    const Object spare(array && can_be_offered(array) ? kept->get() : nullptr);  // another thread may replace `kept`
    if (repeat(call, spare.get(), registers)) return RAN;
    const Arguments arguments(call, registers);
    if (!arguments.complete) return FAILED;
    WorkNotes notes;
    PyObject* result;
    if (call.kind == COPIES) {
        result = copy_of(call, spare.get());
    } else {
        const ReplayedCall running(spare.get(),
                                   call.is_repeatable && (spare.get() || call.kind == WRITES) ? &notes : nullptr);
        result = result_of(call, arguments);
    }
    if (!result) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return FAILED;
        PyErr_Clear();  // NumPy refuses an array of that size: the operator's body says why
        return STOPPED;
    }
    bool ran = result != Py_NotImplemented;
    if (ran && call.kind == COMPARES_RESULT) ran = result == call.expected.get();
    if (ran && call.kind == WRITES) {
        ran = result == Py_None;
        if (ran) keep(call, notes, arguments, nullptr);
    }
    if (ran && (call.kind == RETURNS || call.kind == COPIES)) {
        const bool adopted = kept && result != kept->get() && can_be_offered(reinterpret_cast<PyArrayObject*>(result));
        ran = store(call, result, registers);
        if (ran && adopted) *kept = Object(result);
        if (ran && call.kind == RETURNS && result == spare.get()) keep(call, notes, arguments, result);
    }
    Py_DECREF(result);
    return ran ? RAN : STOPPED;
}

// Runs the calls from number `at` on, which is set to that of the first one that could not run. False: an error is set.
bool run_from(Calls& calls, npy_intp& at, PyObject* registers) {
    for (; at < static_cast<npy_intp>(calls.list.size()); ++at) {
        Call& call = calls.list[static_cast<size_t>(at)];
        const Outcome outcome = run_call(calls, call, registers);
        if (outcome == FAILED) return false;
        if (outcome == STOPPED) break;
        for (const Py_ssize_t place : call.frees) put(registers, place, Py_None);
    }
    return true;
}

// run_calls(calls, registers, first): the number of the first entry from `first` on that could not run.
PyObject* run_calls(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    Calls* calls = nargs == 3 ? static_cast<Calls*>(PyCapsule_GetPointer(args[0], capsule_name)) : nullptr;
    if (!calls) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "run_calls: expected calls, registers and a number");
        return nullptr;
    }
    if (!PyList_CheckExact(args[1]) || PyList_GET_SIZE(args[1]) != calls->registers) {
        PyErr_SetString(PyExc_ValueError, "run_calls: expected a list with as many elements as there are registers");
        return nullptr;
    }
    npy_intp at = 0;
    if (!as_index(args[2], at) || at < 0) {
        PyErr_SetString(PyExc_ValueError, "run_calls: expected the number of an entry");
        return nullptr;
    }
    try {
        return run_from(*calls, at, args[1]) ? PyLong_FromSsize_t(at) : nullptr;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

Methods replay_methods({
    direct_method("replay_calls", replay_calls,
                  "replay_calls(descriptions, registers): the calls of a list, for `run_calls`"),
    direct_method("run_calls", run_calls,
                  "run_calls(calls, registers, first): runs them; the number of the first one that could not run"),
});

}  // namespace
}  // namespace wengert
