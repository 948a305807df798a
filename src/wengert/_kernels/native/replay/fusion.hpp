// Fusions: element-wise calls of a list on large arrays, which are done together, block by block, so that what one of
// them returns is still in the cache when the next one reads it, and need not be written to memory if nobody else does.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "binding/work.hpp"
#include "replay/repeated.hpp"

namespace wengert {

struct Calls;
struct Call;

// The element-wise work of a call, apart from the memory for which it was noted.
struct ElementCall {
    static constexpr int of_result = -1, of_nothing = -2;
    ElementNotes work;
    int sources[ElementNotes::most_operands];  // for each of its operands the number of the call's, or one of the above
    std::vector<Memory> operands;              // the layouts of the call's operands
};
// What a call has noted; null if it can be done on its own only.
std::shared_ptr<const ElementCall> element_call(const Call& call, const WorkNotes& notes, PyObject* const* registers,
                                                const Operands& operands, PyArrayObject* result);

// Where the elements of an operand lie: in the array of a register, in a new array, or in a buffer of one block.
struct FusedOperand {
    enum Kind { NOTHING, OUTSIDE, RESULT, BUFFER, SUMS };
    Kind kind;
    int32_t number;  // of the register, the result, the buffer, the sum
    npy_intp step;   // bytes from one element to the next; 0 in a buffer, which each block uses again
};
struct FusedPart {
    std::shared_ptr<const ElementCall> call;
    int operands[ElementNotes::most_operands];  // numbers in `Fusion::operands`, of which the first is nothing
    int test = -1;                              // the number of a test
    bool expected = false;                      // its answer
};
// A result: an array of all elements, or a sum.
struct FusedResult {
    uint32_t call;
    int sum = -1;
    std::shared_ptr<const ElementCall> summed;
};

class BlockMemory;
// Memory of the last run, for the next one.
class KeptMemory {
public:
    KeptMemory() = default;
    ~KeptMemory();
    KeptMemory(const KeptMemory&) = delete;
    KeptMemory& operator=(const KeptMemory&) = delete;
    BlockMemory* take() { return memory_.exchange(nullptr); }
    void put(BlockMemory* memory) { KeptMemory other(memory_.exchange(memory)); }

private:
    explicit KeptMemory(BlockMemory* memory) : memory_(memory) {}
    std::atomic<BlockMemory*> memory_{nullptr};
};

// Calls from `first` up to `end` of a list. Those that are not element-wise are called before or after the others.
struct Fusion {
    static constexpr npy_intp block = row_part_length;  // elements
    struct Guard {
        int32_t place;
        std::shared_ptr<const ElementCall> call;
        size_t operand;
        bool holds(PyObject* const* registers) const {
            PyObject* object = registers[place];
            return PyArray_CheckExact(object) && PyArray_ISALIGNED(as_array(object)) &&
                   call->operands[operand].has_layout_of(as_array(object));
        }
    };
    uint32_t first = 0, end = 0;
    npy_intp count = 0, cost = 0;
    std::vector<uint32_t> before, after;
    std::vector<Guard> guards;
    std::vector<FusedOperand> operands{{FusedOperand::NOTHING, 0, 0}};
    std::vector<int> moving;  // operands in arrays
    std::vector<FusedPart> parts;
    std::vector<FusedResult> results;
    int buffers = 0, sums = 0, tests = 0;
    npy_intp itemsize = 0;  // bytes of the largest element
    mutable uint64_t runs = 0, refusals = 0;
    mutable KeptMemory memory;

    // Whether it is of use: the values that its tests met were the expected ones nearly always.
    bool is_worth_trying() const { return refusals <= 8 + runs / 4; }
};

// Does the work of a fusion, given the arrays of its results, without Python; false if a test had another answer. The
// values of sums go to `totals`. Throws std::bad_alloc.
bool run_blocks(const Fusion& fusion, PyObject* const* registers, char* const* results, double* totals);

// Looks for fusions among the calls of a list, as far as they have noted what they do.
void plan_fusions(Calls& calls);

}  // namespace wengert
