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
    Py_ssize_t place = -1;
    Object constant;
    std::vector<Argument> elements;
    bool is_sequence = false;
};
// Where a result goes, -1 for one that is dropped; an array with its dtype, shape and strides; the number of the spare
// arrays that it is offered, -1 for none.
struct Result {
    Py_ssize_t place = -1;
    Object layout;
    Py_ssize_t spare = -1;
};
// Arrays that calls have returned. The second one is used while the program keeps the first one, as it keeps the
// gradients of a step until those of the next one are there.
struct Spare {
    Object arrays[2];
};

struct Call {
    CallKind kind = RETURNS;
    Object callable;
    std::vector<Argument> arguments;
    std::vector<Result> results;
    Object expected;  // bytes, or the result itself
    bool several = false;
    DirectFunction function = nullptr;  // of a built-in function of positional arguments
    Decision decision = nullptr;        // of a built-in function that decides by the values of an array
    bool is_movable = false;            // it has no effects, and may be called earlier or later
    std::shared_ptr<const ElementCall> elements;
};
// What each run of a call reads. Its operands and the registers that no later call needs are numbers in
// `Calls::places`.
struct Step {
    int32_t place = -1, spare = -1;  // of its only result
    int32_t fusion = -1;             // the number of one that begins here
    uint32_t operands = 0, frees = 0, end = 0;
    int32_t view = -1;  // number of the kept view
    uint8_t kind = RETURNS;
    bool ends_views = false;  // one of the registers that it empties holds a kept view
    RepeatedWork repeated;
};

struct Calls {
    std::vector<Call> list;  // those that cannot run here have no callable
    std::vector<Step> steps;
    std::vector<int32_t> places;
    std::vector<bool> is_filled;  // the registers in which calls of the list store results, after a look at the layout
    std::vector<Spare> spares;
    std::vector<KeptView> views;
    std::vector<int32_t> view_in;  // for each register the number of the kept view that it holds, -1 for none
    std::vector<int32_t> results;  // the numbers of the kept views that are results of the list
    Py_ssize_t registers = 0;
    std::vector<std::shared_ptr<const Fusion>> fusions;
    size_t element_calls = 0, planned = 0;  // calls that have noted work on elements; those that were there at the plan
};

constexpr Py_ssize_t most_registers = 1 << 30;
constexpr const char* capsule_name = "wengert.replay_calls";  // of the capsule that holds `Calls`
// The calls that a tuple describes; null with an error set. `movable`: null, or for each call 1 if it has no effects.
std::unique_ptr<Calls> read_calls(PyObject* descriptions, Py_ssize_t registers, PyObject* movable);

}  // namespace wengert
