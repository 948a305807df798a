// Runs the entries of a recorded list that call native functions, one after another, without Python.
//
// A list works on registers, a Python list of arrays. Each call keeps the array in which it returned its result (a
// spare) and offers it again in the next run if nobody else refers to it any more (binding/spare.hpp).
#include "replay/calls.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace wengert {

namespace {

PyObject* sequence_of(const std::vector<Argument>& elements, PyObject* registers) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(elements.size()));
    for (size_t at = 0; list && at < elements.size(); ++at) {
        const Argument& element = elements[at];
        const bool is_register = element.kind == Argument::REGISTER;
        PyObject* value = is_register ? PyList_GET_ITEM(registers, element.place) : element.constant.get();
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(at), Py_NewRef(value));
    }
    return list;
}

// The arguments of a call, borrowed: nobody else changes the list of registers.
class Arguments {
public:
    Arguments(const Calls& calls, const Step& step, PyObject* registers) {
        const int32_t* place = calls.places.data() + step.operands;
        for (const Argument& argument : calls.call_of(step).arguments) {
            PyObject* value = argument.constant.get();
            if (argument.kind == Argument::SEQUENCE) {
                value = sequence_of(*argument.elements, registers);
                if (!value) return;
                sequences_[sequence_count_++] = value;
            } else if (argument.kind == Argument::REGISTER) {
                value = PyList_GET_ITEM(registers, *place++);
            }
            values[count++] = value;
        }
        is_complete = true;
    }
    ~Arguments() {
        while (sequence_count_) Py_DECREF(sequences_[--sequence_count_]);
    }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    PyObject* values[most_arguments];
    size_t count = 0;
    bool is_complete = false;

private:
    PyObject* sequences_[most_arguments];
    int sequence_count_ = 0;
};

// The array of the first operand of a call that has one, borrowed.
PyObject* first_operand(const Calls& calls, const Step& step, PyObject* registers) {
    return PyList_GET_ITEM(registers, calls.places[step.operands]);
}
// The layout of the only result of a call.
PyArrayObject* only_layout(const Calls& calls, const Step& step) {
    return as_array(calls.call_of(step).layouts[0].get());
}

inline __attribute__((always_inline)) void put(PyObject** registers, Py_ssize_t place, PyObject* value) {
    PyObject* before = registers[place];
    registers[place] = Py_NewRef(value);
    Py_DECREF(before);
}
// The elements of the list of registers, which has as many in the whole run.
PyObject** items_of(PyObject* registers) { return reinterpret_cast<PyListObject*>(registers)->ob_item; }
void put(PyObject* registers, Py_ssize_t place, PyObject* value) { put(items_of(registers), place, value); }

// ---- spare arrays --------------------------------------------------------------------------------------------------

// A result for which there is no spare array is kept as one for the next run.
void adopt(Spare& spare, PyObject* result) {
    Object& kept = spare.arrays[0].get() ? spare.arrays[1] : spare.arrays[0];
    if (can_be_offered(as_array(result))) kept = Object(result);
}
// Puts a result into its register; false if its layout differs from that recorded.
bool store_one(Calls& calls, const Step& step, size_t number, PyObject* result, bool offered, PyObject* registers) {
    const Result wanted = calls.result_of(step, number);
    if (wanted.place < 0) return true;
    if (!has_layout(result, calls.call_of(step).layouts[number].get())) return false;
    if (wanted.spare >= 0 && !offered && is_unique(result))
        adopt(calls.spares[static_cast<size_t>(wanted.spare)], result);
    put(registers, wanted.place, result);
    return true;
}

PyObject* result_of(const Call& call, const Arguments& arguments) {
    PyObject* callable = call.callable.get();
    const auto count = static_cast<Py_ssize_t>(arguments.count);
    if (call.function) return call.function(PyCFunction_GET_SELF(callable), arguments.values, count);
    return with_python([&] { return PyObject_Vectorcall(callable, arguments.values, arguments.count, nullptr); });
}

// The arrays that are offered to a call, for its results in their order, and its notes.
class Offered {
public:
    Offered(const Calls& calls, const Step& step) {
        const size_t results = calls.call_of(step).layouts.size();
        if (results > most_offered) return;
        for (size_t number = 0; number < results; ++number) {
            const int32_t spare = calls.result_of(step, number).spare;
            PyObject* array = nullptr;
            if (spare >= 0)
                for (const Object& kept : calls.spares[static_cast<size_t>(spare)].arrays)
                    if (!array && kept.get() && can_be_offered(as_array(kept.get()))) array = kept.get();
            arrays_[count_++] = Object(array);  // another thread may replace what is kept
        }
    }
    // Offers them while a function runs.
    PyObject* run(const Call& call, const Arguments& arguments, WorkNotes* notes) const {
        PyArrayObject* offered[most_offered];
        int count = 0;
        for (size_t at = 0; at < count_; ++at)
            if (arrays_[at].get()) offered[count++] = as_array(arrays_[at].get());
        const Offer offer(offered, count);
        const Noting noting(notes);
        return result_of(call, arguments);
    }
    PyObject* at(size_t number) const { return number < count_ ? arrays_[number].get() : nullptr; }

private:
    Object arrays_[most_offered];
    size_t count_ = 0;
};

// ---- calls ---------------------------------------------------------------------------------------------------------

enum Outcome { RAN, STOPPED, FAILED };

bool has_bytes(PyObject* object, PyObject* expected) {
    if (!PyArray_CheckExact(object)) return false;
    PyArrayObject* array = as_array(object);
    Py_ssize_t size = PyArray_ITEMSIZE(array);
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim) size *= PyArray_DIM(array, dim);
    const char *bytes = PyArray_BYTES(array), *wanted = PyBytes_AS_STRING(expected);
    if (!(PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS) || size != PyBytes_GET_SIZE(expected)) return false;
    return size == 8 ? std::memcmp(bytes, wanted, 8) == 0  // without a call
                     : std::memcmp(bytes, wanted, static_cast<size_t>(size)) == 0;
}

// A free array among those kept for a number, borrowed; null if there is none.
inline __attribute__((always_inline)) PyObject* free_spare(const Calls& calls, int32_t number) {
    if (number < 0) return nullptr;
    const Object(&kept)[2] = calls.spares[static_cast<size_t>(number)].arrays;
    if (kept[0].get() && is_free(kept[0].get())) return kept[0].get();
    return kept[1].get() && is_free(kept[1].get()) ? kept[1].get() : nullptr;
}
// An array for the only result of a call, a spare one if there is one; null with an error.
class NewResult {
public:
    NewResult(const Calls& calls, const Step& step) {
        const Offered offered(calls, step);
        PyArrayObject* layout = only_layout(calls, step);
        is_offered_ = offered.at(0) && has_layout(offered.at(0), reinterpret_cast<PyObject*>(layout));
        array_ = is_offered_ ? Object(offered.at(0))
                             : Object::taken(reinterpret_cast<PyObject*>(
                                   new_array(PyArray_DESCR(layout), PyArray_NDIM(layout), PyArray_DIMS(layout))));
    }
    PyObject* get() const { return array_.get(); }
    char* data() const { return PyArray_BYTES(as_array(array_.get())); }
    bool store(Calls& calls, const Step& step, PyObject* registers) const {
        return store_one(calls, step, 0, array_.get(), is_offered_, registers);
    }

private:
    Object array_;
    bool is_offered_;
};

void copy_elements(PyArrayObject* from, char* to) {
    size_t size = static_cast<size_t>(PyArray_ITEMSIZE(from));
    for (int dim = 0; dim < PyArray_NDIM(from); ++dim) size *= static_cast<size_t>(PyArray_DIM(from, dim));
    std::memcpy(to, PyArray_DATA(from), size);
}
// A copy of a constant, which is in row-major order.
Outcome copy(Calls& calls, const Step& step, PyObject* registers) {
    PyObject* object = calls.call_of(step).arguments[0].constant.get();
    PyObject* spare = free_spare(calls, step.spare);
    if (spare && has_layout(spare, object)) {
        copy_elements(as_array(object), PyArray_BYTES(as_array(spare)));
        put(registers, step.place, spare);
        return RAN;
    }
    const NewResult result(calls, step);
    if (!result.get()) return FAILED;
    copy_elements(as_array(object), result.data());
    return result.store(calls, step, registers) ? RAN : STOPPED;
}

// A view of the memory of a register's array, at an offset from its first element; null without an error if that
// memory has gaps, or is too small.
PyObject* view_of(PyObject* object, PyObject* offset_object, PyArrayObject* layout) {
    npy_intp offset = 0;
    if (!PyArray_CheckExact(object) || !as_index(offset_object, offset)) return nullptr;
    PyArrayObject *array = as_array(object), *owner = array;
    while (PyArray_BASE(owner) && PyArray_Check(PyArray_BASE(owner))) owner = as_array(PyArray_BASE(owner));
    Size first = Size(PyArray_BYTES(array) - PyArray_BYTES(owner)) + offset;
    Size last = first + PyArray_ITEMSIZE(layout);
    for (int dim = 0; dim < PyArray_NDIM(layout); ++dim) {
        if (PyArray_DIM(layout, dim) == 0) return nullptr;
        Size& end = PyArray_STRIDE(layout, dim) < 0 ? first : last;
        end = end + Size(PyArray_DIM(layout, dim) - 1) * PyArray_STRIDE(layout, dim);
    }
    if (!first.fits() || !last.fits() || first.value() < 0 || last.value() > PyArray_NBYTES(owner) ||
        !PyArray_ISONESEGMENT(owner))
        return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(layout);
    Py_INCREF(descr);
    Owned view(as_array(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(layout), PyArray_DIMS(layout),
                                             PyArray_STRIDES(layout), PyArray_BYTES(array) + offset,
                                             PyArray_FLAGS(owner) & NPY_ARRAY_WRITEABLE, nullptr)));
    if (!view) return nullptr;
    Py_INCREF(owner);
    return PyArray_SetBaseObject(view.get(), reinterpret_cast<PyObject*>(owner)) < 0 ? nullptr : view.give();
}
Outcome take_view(Calls& calls, const Step& step, PyObject* registers) {
    PyObject* offset = calls.call_of(step).arguments[1].constant.get();
    const Object view(Object::taken(view_of(first_operand(calls, step, registers), offset, only_layout(calls, step))));
    if (!view.get()) return PyErr_Occurred() ? FAILED : STOPPED;
    return store_one(calls, step, 0, view.get(), true, registers) ? RAN : STOPPED;
}

bool writes_into(PyObject* target) { return PyArray_CheckExact(target) && writeable(as_array(target)); }
// Does the work of a call again, if it was noted for the memory of its operands, and of a spare array for its result.
// (What a list of small calls does most of the time: a call of this function would be a tenth of it.)
inline __attribute__((always_inline)) bool repeat(const Calls& calls, Step& step, PyObject** registers) {
    PyObject* spare = nullptr;
    const int32_t* operands = calls.places.data() + step.operands;
    if (step.kind == RETURNS) {
        spare = free_spare(calls, step.spare);
        if (!spare) return false;
    } else if (!writes_into(registers[*operands])) {
        return false;
    }
    const NotedWork* known = step.repeated.find(registers, operands, spare ? as_array(spare) : nullptr);
    if (!known) return false;
    if (spare) put(registers, step.place, spare);  // before another thread may run, which could take it
    step.repeated.run(*known);
    return true;
}
// Puts the view that a call returned in the last run into its register, as a view of the present operand.
bool view_again(Calls& calls, const Step& step, PyObject* registers) {
    PyObject* view = calls.views[static_cast<size_t>(step.view)].of(
        first_operand(calls, step, registers), reinterpret_cast<PyObject*>(only_layout(calls, step)));
    if (view) put(registers, step.place, view);
    return view != nullptr;
}
void keep_view(Calls& calls, const Step& step, PyObject* registers) {
    const int32_t source = calls.places[step.operands];
    const bool is_result = calls.view_in[static_cast<size_t>(step.place)] < 0;
    if (is_result && is_on_large_memory(PyList_GET_ITEM(registers, step.place))) return;
    calls.views[static_cast<size_t>(step.view)].keep(PyList_GET_ITEM(registers, step.place),
                                                     PyList_GET_ITEM(registers, source),
                                                     !calls.is_filled[static_cast<size_t>(source)]);
}
void end_views(Calls& calls, const Step& step) {
    for (uint32_t at = step.frees; at < step.end; ++at) {
        const int32_t view = calls.view_in[static_cast<size_t>(calls.places[at])];
        if (view < 0) continue;
        calls.views[static_cast<size_t>(view)].end();
    }
}
Operands operands_of(const Calls& calls, const Step& step) {
    return {calls.places.data() + step.operands, step.frees - step.operands, &calls.is_filled};
}
void keep_notes(const Calls& calls, Step& step, const WorkNotes& notes, PyObject* registers, PyObject* result) {
    step.repeated.keep(notes, items_of(registers), operands_of(calls, step), result ? as_array(result) : nullptr);
}
// Keeps what a call does with many elements, for fusions.
void keep_elements(Calls& calls, size_t number, const WorkNotes& notes, PyObject* registers, PyObject* result) {
    const Step& step = calls.steps[number];
    if (notes.elements.kind == ElementNotes::NONE || calls.elements_at(number)) return;
    if (calls.elements.empty()) calls.elements.resize(calls.steps.size());
    calls.elements[number] = element_call(calls.call_of(step), notes, items_of(registers), operands_of(calls, step),
                                          step.kind == RETURNS ? as_array(result) : nullptr);
    if (calls.elements[number]) ++calls.element_calls;
}

// The decision of a call, which is noted once.
int decide(Calls& calls, size_t number, PyObject* registers) {
    const Step& step = calls.steps[number];
    WorkNotes notes;
    int truth;
    {
        const Noting noting(calls.elements_at(number) ? nullptr : &notes);
        truth = calls.call_of(step).decision(first_operand(calls, step, registers));
    }
    if (truth >= 0) keep_elements(calls, number, notes, registers, nullptr);
    return truth;
}

// Puts the results of a call into their registers; false if it has not done what it did when it was recorded.
bool conclude(Calls& calls, const Step& step, PyObject* result, const Offered& offered, PyObject* registers) {
    const Call& call = calls.call_of(step);
    if (call.kind == COMPARES_RESULT) return result == call.expected.get();
    if (call.kind == WRITES) return result == Py_None;
    if (!call.several) return store_one(calls, step, 0, result, offered.at(0) != nullptr, registers);
    if (!PyList_Check(result) && !PyTuple_Check(result)) return false;
    if (PySequence_Fast_GET_SIZE(result) != static_cast<Py_ssize_t>(call.layouts.size())) return false;
    PyObject** items = PySequence_Fast_ITEMS(result);
    for (size_t at = 0; at < call.layouts.size(); ++at)
        if (!store_one(calls, step, at, items[at], offered.at(at) != nullptr, registers)) return false;
    return true;
}

Outcome call_function(Calls& calls, size_t number, PyObject* registers) {
    Step& step = calls.steps[number];
    const Call& call = calls.call_of(step);
    const Arguments arguments(calls, step, registers);
    if (!arguments.is_complete) return FAILED;
    const Offered offered(calls, step);
    WorkNotes notes;
    const bool takes_notes = step.repeated.takes_notes();
    const Object result(Object::taken(offered.run(call, arguments, takes_notes ? &notes : nullptr)));
    if (!result.get()) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return FAILED;
        PyErr_Clear();  // NumPy refuses an array of that size: the operator's body says why
        return STOPPED;
    }
    if (result.get() == Py_NotImplemented || !conclude(calls, step, result.get(), offered, registers)) return STOPPED;
    if (takes_notes && (call.kind == WRITES || result.get() == offered.at(0)))
        keep_notes(calls, step, notes, registers, call.kind == WRITES ? nullptr : result.get());
    if (takes_notes) keep_elements(calls, number, notes, registers, result.get());
    return RAN;
}
Outcome run_call(Calls& calls, size_t number, PyObject* registers) {
    const Step& step = calls.steps[number];
    const Call& call = calls.call_of(step);
    if (!call.callable.get()) return STOPPED;
    if (call.kind == COMPARES_BYTES)
        return has_bytes(first_operand(calls, step, registers), call.expected.get()) ? RAN : STOPPED;
    if (call.decision) {
        const int truth = decide(calls, number, registers);
        if (truth >= 0) return (truth != 0) == (call.expected.get() == Py_True) ? RAN : STOPPED;
    }
    if (call.kind == VIEWS) return take_view(calls, step, registers);
    if (call.kind == COPIES) return copy(calls, step, registers);
    return call_function(calls, number, registers);
}
// Takes a kept view again, or runs a call.
Outcome run_anew(Calls& calls, size_t number, PyObject* registers) {
    const Step& step = calls.steps[number];
    if (step.view >= 0 && view_again(calls, step, registers)) return RAN;
    const Outcome outcome = run_call(calls, number, registers);
    if (outcome == RAN && step.view >= 0) keep_view(calls, step, registers);
    return outcome;
}
// Empties the registers that no later call needs.
inline __attribute__((always_inline)) void empty(Calls& calls, const Step& step, PyObject** registers) {
    const int32_t* places = calls.places.data();
    for (uint32_t place = step.frees; place < step.end; ++place) put(registers, places[place], Py_None);
    if (step.ends_views) end_views(calls, step);
}

// ---- fusions -------------------------------------------------------------------------------------------------------

Outcome run_steps(Calls& calls, const std::vector<uint32_t>& steps, PyObject* registers) {
    for (const uint32_t at : steps) {
        Step& step = calls.steps[at];
        if (step.repeated.is_possible && repeat(calls, step, items_of(registers))) continue;
        const Outcome outcome = run_anew(calls, at, registers);
        if (outcome != RAN) return outcome;
    }
    return RAN;
}
// The parts of a fusion; nothing has happened unless they ran.
Outcome run_parts(Calls& calls, const Fusion& fusion, PyObject* registers) {
    std::vector<NewResult> results;
    std::vector<char*> data;
    std::vector<double> totals(static_cast<size_t>(fusion.sums));
    for (const Fusion::Guard& guard : fusion.guards)
        if (!guard.holds(items_of(registers))) return STOPPED;
    for (const FusedResult& result : fusion.results) {
        results.emplace_back(calls, calls.steps[result.call]);
        if (!results.back().get()) return FAILED;
        data.push_back(results.back().data());
    }
    if (!run_blocks(fusion, items_of(registers), data.data(), totals.data())) return STOPPED;
    for (size_t at = 0; at < results.size(); ++at) {
        const FusedResult& result = fusion.results[at];
        const ElementNotes* sum = result.summed ? &result.summed->work : nullptr;
        if (sum) sum->store(sum->function, totals[static_cast<size_t>(result.sum)], data[at]);
        if (!results[at].store(calls, calls.steps[result.call], registers)) return STOPPED;
    }
    return RAN;
}
// Unless it ran, its calls can be run one by one, in their order: none of them has had an effect but on registers that
// they fill.
Outcome run_fusion(Calls& calls, const Fusion& fusion, PyObject* registers) {
    Outcome outcome = run_steps(calls, fusion.before, registers);
    if (outcome == RAN) outcome = run_parts(calls, fusion, registers);
    if (outcome == RAN) outcome = run_steps(calls, fusion.after, registers);
    ++(outcome == RAN ? fusion.runs : fusion.refusals);
    for (uint32_t at = fusion.first; outcome == RAN && at < fusion.end; ++at)
        empty(calls, calls.steps[at], items_of(registers));
    return outcome;
}
// The same; what is refused memory is left to the calls one by one.
Outcome try_fusion(Calls& calls, const Fusion& fusion, PyObject* registers) {
    if (!fusion.is_worth_trying()) return STOPPED;
    try {
        const Outcome outcome = run_fusion(calls, fusion, registers);
        if (outcome != FAILED || !PyErr_ExceptionMatches(PyExc_MemoryError)) return outcome;
        PyErr_Clear();
    } catch (const std::bad_alloc&) {
        ++fusion.refusals;
    }
    return STOPPED;
}
// Plans fusions where calls have noted more than at the last time.
void plan(Calls& calls) {
    if (calls.planned == calls.element_calls) return;
    calls.planned = calls.element_calls;
    try {
        plan_fusions(calls);
    } catch (const std::bad_alloc&) {
        for (Step& step : calls.steps) step.fusion = -1;
    }
}

// Runs the calls from number `at` on, which is set to that of the first one that could not run. False: an error is set.
bool run_from(Calls& calls, npy_intp& at, PyObject* registers) {
    if (at == 0)
        for (const int32_t view : calls.results) calls.views[static_cast<size_t>(view)].rest();
    npy_intp fused_until = 0;
    plan(calls);
    Step* const steps = calls.steps.data();
    PyObject** const items = items_of(registers);
    for (const auto count = static_cast<npy_intp>(calls.steps.size()); at < count; ++at) {
        const auto number = static_cast<size_t>(at);
        Step& step = steps[number];
        if (step.fusion >= 0 && at >= fused_until) {
            const std::shared_ptr<const Fusion> fusion = calls.fusions[static_cast<size_t>(step.fusion)];
            fused_until = fusion->end;
            const Outcome outcome = try_fusion(calls, *fusion, registers);
            if (outcome == FAILED) return false;
            if (outcome == RAN) {
                at = fused_until - 1;
                continue;
            }
        }
        if (!step.repeated.is_possible || !repeat(calls, step, items)) {
            const Outcome outcome = run_anew(calls, number, registers);
            if (outcome == FAILED) return false;
            if (outcome == STOPPED) return true;
        }
        empty(calls, step, items);
    }
    return true;
}

// ---- single calls --------------------------------------------------------------------------------------------------

// The result of a call that returns one array: in `array`, which nobody else uses, or, if that is null, in a new one.
// `Py_NotImplemented` if it could not run; null with an error set.
PyObject* run_alone(Calls& calls, size_t number, PyObject* registers, PyArrayObject* array) {
    Step& step = calls.steps[number];
    const Call& call = calls.call_of(step);
    const Arguments arguments(calls, step, registers);
    if (!arguments.is_complete) return nullptr;
    WorkNotes notes;
    const bool takes_notes = array && step.repeated.takes_notes();
    Object result;
    {
        const Offer offer(&array, array ? 1 : 0);
        const Noting noting(takes_notes ? &notes : nullptr);
        result = Object::taken(result_of(call, arguments));
    }
    if (!result.get()) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
        PyErr_Clear();  // the operator's body says why
        return Py_NewRef(Py_NotImplemented);
    }
    if (!has_layout(result.get(), call.layouts[0].get())) return Py_NewRef(Py_NotImplemented);
    put(registers, step.place, result.get());
    if (takes_notes && result.get() == reinterpret_cast<PyObject*>(array))
        keep_notes(calls, step, notes, registers, result.get());
    return Py_NewRef(result.get());
}

// ---- functions -----------------------------------------------------------------------------------------------------

// Does the work of a call again in `array`, if it was noted for that memory and that of the operands.
inline __attribute__((always_inline)) bool repeat_in(const Calls& calls, Step& step, PyObject* registers,
                                                     PyObject* array) {
    if (step.kind != RETURNS || !step.repeated.is_possible || !PyArray_CheckExact(array) || !writeable(as_array(array)))
        return false;
    const NotedWork* known =
        step.repeated.find(items_of(registers), calls.places.data() + step.operands, as_array(array));
    if (!known) return false;
    put(registers, step.place, array);
    step.repeated.run(*known);
    return true;
}

// The result of one entry, in `array`, which nobody else uses, or in a new one (None); `Py_NotImplemented` if it could not
// run. The core calls it by its address, the context of a capsule of calls.
PyObject* run_entry(void* known, PyObject* registers, Py_ssize_t number, PyObject* array_object) {
    auto& calls = *static_cast<Calls*>(known);
    if (!PyList_CheckExact(registers) || PyList_GET_SIZE(registers) != calls.registers || number < 0 ||
        number >= static_cast<Py_ssize_t>(calls.steps.size())) {
        PyErr_SetString(PyExc_ValueError, "expected a list of all registers, and the number of an entry");
        return nullptr;
    }
    if (repeat_in(calls, calls.steps[static_cast<size_t>(number)], registers, array_object))
        return Py_NewRef(array_object);
    const Call& call = calls.call_at(static_cast<size_t>(number));
    if (!call.callable.get() || call.kind != RETURNS || call.several) return Py_NewRef(Py_NotImplemented);
    PyArrayObject* array = nullptr;
    if (has_layout(array_object, call.layouts[0].get()) && writeable(as_array(array_object)))
        array = as_array(array_object);
    try {
        return run_alone(calls, static_cast<size_t>(number), registers, array);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

void destroy(PyObject* capsule) { delete static_cast<Calls*>(PyCapsule_GetPointer(capsule, capsule_name)); }

Calls* calls_in(PyObject* const* args, Py_ssize_t nargs, Py_ssize_t wanted) {
    if (nargs == wanted) return static_cast<Calls*>(PyCapsule_GetPointer(args[0], capsule_name));
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, nargs);
    return nullptr;
}

// replay_calls(descriptions, registers, movable=None)
PyObject* replay_calls(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    npy_intp registers = 0;
    PyObject* movable = nargs == 3 && args[2] != Py_None ? args[2] : nullptr;
    if ((nargs != 2 && nargs != 3) || !PyTuple_Check(args[0]) || !as_index(args[1], registers) ||
        (movable && !PyBytes_Check(movable))) {
        PyErr_SetString(PyExc_TypeError,
                        "replay_calls: expected a tuple of calls, the number of registers, and bytes or None");
        return nullptr;
    }
    try {
        std::unique_ptr<Calls> calls = read_calls(args[0], registers, movable);
        PyObject* capsule = calls ? PyCapsule_New(calls.get(), capsule_name, destroy) : nullptr;
        if (!capsule) return nullptr;
        static_cast<void>(calls.release());
        if (PyCapsule_SetContext(capsule, reinterpret_cast<void*>(&run_entry)) < 0) Py_CLEAR(capsule);
        return capsule;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::length_error&) {
        return PyErr_NoMemory();
    }
}

// run_calls(calls, registers, first): the number of the first entry from `first` on that could not run.
PyObject* run_calls(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    Calls* calls = calls_in(args, nargs, 3);
    if (!calls) return nullptr;
    npy_intp at = 0;
    if (!PyList_CheckExact(args[1]) || PyList_GET_SIZE(args[1]) != calls->registers || !as_index(args[2], at) ||
        at < 0) {
        PyErr_SetString(PyExc_ValueError, "run_calls: expected a list of all registers, and the number of an entry");
        return nullptr;
    }
    try {
        return run_from(*calls, at, args[1]) ? PyLong_FromSsize_t(at) : nullptr;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

// repeated_calls(calls): for each entry how often it has repeated its work
PyObject* repeated_calls(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    const Calls* calls = calls_in(args, nargs, 1);
    if (!calls) return nullptr;
    PyObject* counts = PyList_New(0);
    for (const Step& step : calls->steps) {
        PyObject* count = counts ? PyLong_FromUnsignedLongLong(step.repeated.repeats()) : nullptr;
        if (counts && (!count || PyList_Append(counts, count) < 0)) Py_CLEAR(counts);
        Py_XDECREF(count);
    }
    return counts;
}

// fused_calls(calls): (first, end, runs) of each stretch of calls that run block by block
PyObject* fused_calls(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    const Calls* calls = calls_in(args, nargs, 1);
    if (!calls) return nullptr;
    PyObject* fusions = PyList_New(0);
    for (const std::shared_ptr<const Fusion>& fusion : calls->fusions) {
        PyObject* known =
            fusions ? Py_BuildValue("(IIK)", fusion->first, fusion->end, static_cast<unsigned long long>(fusion->runs))
                    : nullptr;
        if (fusions && (!known || PyList_Append(fusions, known) < 0)) Py_CLEAR(fusions);
        Py_XDECREF(known);
    }
    return fusions;
}

Methods replay_methods({
    direct_method("replay_calls", replay_calls,
                  "replay_calls(descriptions, registers, movable=None): the calls of a list, for `run_calls`"),
    direct_method("run_calls", run_calls,
                  "run_calls(calls, registers, first): runs them; the number of the first one that could not run"),
    direct_method("repeated_calls", repeated_calls,
                  "repeated_calls(calls): for each entry how often it has repeated noted work"),
    direct_method("fused_calls", fused_calls,
                  "fused_calls(calls): (first, end, runs) of the stretches of calls that run block by block"),
});

}  // namespace
}  // namespace wengert
