// The entries of a recorded list that call native functions.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "binding/common.hpp"
#include "replay/fusion.hpp"
#include "replay/kept_view.hpp"

namespace wengert {

enum CallKind { RETURNS = 0, WRITES = 1, COMPARES_BYTES = 2, COMPARES_RESULT = 3, COPIES = 4, VIEWS = 5, KINDS = 6 };
constexpr size_t most_arguments = 24, most_offered = 4;

// The value of an argument: of a register, a constant, or a list of such.
struct Argument {
    enum Kind : int32_t { CONSTANT, REGISTER, SEQUENCE };
    Kind kind = CONSTANT;
    int32_t place = -1;  // of an element of a sequence; the registers of other arguments are operands of the step
    Object constant;
    std::unique_ptr<const std::vector<Argument>> elements;
};
// Arrays that calls have returned. The second one is used while the program keeps the first one, as it keeps the
// gradients of a step until those of the next one are there.
struct Spare {
    Object arrays[2];
};

// What calls of a list have in common that differ in their registers only.
struct Call {
    CallKind kind = RETURNS;
    bool several = false;
    bool is_movable = false;     // it has no effects, and may be called earlier or later
    bool is_repeatable = false;  // its function notes its work
    Object callable;             // null for calls that cannot run here
    std::vector<Argument> arguments;
    std::vector<Object>
        layouts;      // for each result an array of its dtype, shape and strides; None for one that is dropped
    Object expected;  // bytes, or the result itself
    DirectFunction function = nullptr;  // of a built-in function of positional arguments
    Decision decision = nullptr;        // of a built-in function that decides by the values of an array
};
// Where a result goes, -1 for one that is dropped; the number of the spare arrays that it is offered, -1 for none.
struct Result {
    int32_t place = -1, spare = -1;
};
// What each run of a call reads. Its operands, the registers that no later call needs and, if there are several, its
// results are numbers in `Calls::places`.
struct Step {
    int32_t place = -1, spare = -1;  // of its only result
    int32_t fusion = -1;             // the number of one that begins here
    uint32_t operands = 0, frees = 0, end = 0;
    int32_t view = -1;  // number of the kept view
    uint32_t call = 0;
    uint8_t kind = RETURNS;
    bool ends_views = false;  // one of the registers that it empties holds a kept view
    RepeatedWork repeated;
};

struct Calls {
    std::vector<std::unique_ptr<const Call>> calls;  // those that differ
    std::vector<Step> steps;
    std::vector<std::shared_ptr<const ElementCall>> elements;  // of each step; empty as long as there are none
    std::vector<int32_t> places;
    std::vector<bool> is_filled;  // the registers in which calls of the list store results, after a look at the layout
    std::vector<Spare> spares;
    std::vector<KeptView> views;
    std::vector<int32_t> view_in;  // for each register the number of the kept view that it holds, -1 for none
    std::vector<int32_t> results;  // the numbers of the kept views that are results of the list
    Py_ssize_t registers = 0;
    std::vector<std::shared_ptr<const Fusion>> fusions;
    size_t element_calls = 0, planned = 0;  // calls that have noted work on elements; those that were there at the plan

    const Call& call_of(const Step& step) const { return *calls[step.call]; }
    const Call& call_at(size_t number) const { return call_of(steps[number]); }
    const ElementCall* elements_at(size_t number) const {
        return number < elements.size() ? elements[number].get() : nullptr;
    }
    Result result_of(const Step& step, size_t number) const {
        if (!call_of(step).several) return {step.place, step.spare};
        return {places[step.end + 2 * number], places[step.end + 2 * number + 1]};
    }
};

constexpr Py_ssize_t most_registers = 1 << 30;
constexpr const char* capsule_name = "wengert.replay_calls";  // of the capsule that holds `Calls`
// The calls that a tuple describes; null with an error set. `movable`: null, or for each call 1 if it has no effects.
std::unique_ptr<Calls> read_calls(PyObject* descriptions, Py_ssize_t registers, PyObject* movable);

}  // namespace wengert
