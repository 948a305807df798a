// The work of a call on certain memory, which is done again where a replay finds the same memory.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "binding/spare.hpp"
#include "binding/work.hpp"

namespace wengert {

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
    // Takes over a new reference.
    static Object taken(PyObject* reference) {
        Object object;
        object.object_ = reference;
        return object;
    }

private:
    PyObject* object_;
};

inline PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

// Whether the lengths and strides of an array are those in memory, all lengths first. (In a list of small calls as much
// time goes into this as into kernels: most arrays have two dimensions at most, and strides behind the lengths.)
inline __attribute__((always_inline)) bool has_lengths(PyArrayObject* array, const npy_intp* lengths,
                                                       const npy_intp* strides) {
    const npy_intp *own = PyArray_DIMS(array), *own_strides = PyArray_STRIDES(array);
    const int ndim = PyArray_NDIM(array);
    if (ndim == 1) return own[0] == lengths[0] && own_strides[0] == strides[0];
    if (ndim == 2)
        return own[0] == lengths[0] && own[1] == lengths[1] && own_strides[0] == strides[0] &&
               own_strides[1] == strides[1];
    for (int dim = 0; dim < ndim; ++dim)
        if (own[dim] != lengths[dim] || own_strides[dim] != strides[dim]) return false;
    return true;
}
// Whether an object is an array with the dtype, shape and strides of another one.
inline bool has_layout(PyObject* object, PyObject* layout) {
    if (!PyArray_CheckExact(object) || !PyArray_Check(layout)) return false;
    PyArrayObject *array = as_array(object), *wanted = as_array(layout);
    return PyArray_DESCR(array) == PyArray_DESCR(wanted) && PyArray_NDIM(array) == PyArray_NDIM(wanted) &&
           has_lengths(array, PyArray_DIMS(wanted), PyArray_STRIDES(wanted));
}

// The memory of an array that was there before the list, and that other threads may change.
class Memory {
public:
    static constexpr int most_dims = 6;
    explicit Memory(PyArrayObject* array) {
        data_ = PyArray_BYTES(array), ndim_ = PyArray_NDIM(array), descr_ = PyArray_DESCR(array);
        std::copy(PyArray_DIMS(array), PyArray_DIMS(array) + ndim_, shape_);
        std::copy(PyArray_STRIDES(array), PyArray_STRIDES(array) + ndim_, strides_);
    }
    bool is_of(PyArrayObject* array) const { return PyArray_BYTES(array) == data_ && has_layout_of(array); }
    // Whether an array has the same dtype, shape and strides, in whatever memory.
    bool has_layout_of(PyArrayObject* array) const {
        return PyArray_NDIM(array) == ndim_ && PyArray_DESCR(array) == descr_ && has_lengths(array, shape_, strides_);
    }

private:
    const char* data_;
    int ndim_;
    const PyArray_Descr* descr_;  // one of NumPy's own, which live as long as the process
    npy_intp shape_[most_dims], strides_[most_dims];
};

// The descriptor that NumPy itself has for the type of an array; null for types of others.
inline const PyArray_Descr* descr_of_number(PyArrayObject* array) {
    for (const PyArray_Descr* descr : {float_descr, double_descr, int64_descr, bool_descr})
        if (PyArray_DESCR(array) == descr) return descr;
    return nullptr;
}
// Whether an address lies in the memory of an array.
inline bool contains(PyArrayObject* array, const void* pointer) {
    const char *first = PyArray_BYTES(array), *last = first, *address = static_cast<const char*>(pointer);
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim) {
        if (PyArray_DIM(array, dim) == 0) return false;
        (PyArray_STRIDE(array, dim) < 0 ? first : last) += (PyArray_DIM(array, dim) - 1) * PyArray_STRIDE(array, dim);
    }
    return address >= first && address < last + PyArray_ITEMSIZE(array);
}

// The registers that a call reads, and which of them the list fills itself, with arrays of a known layout.
struct Operands {
    const int32_t* places;
    size_t count;
    const std::vector<bool>* is_filled;
};

// The dtype, shape and strides of an array, as words of memory.
inline size_t layout_word_count(PyArrayObject* array) { return 2 + 2 * static_cast<size_t>(PyArray_NDIM(array)); }
inline uint64_t* put_layout(uint64_t* word, PyArrayObject* array) {
    *word++ = reinterpret_cast<uintptr_t>(PyArray_DESCR(array));
    *word++ = static_cast<uint64_t>(PyArray_NDIM(array));
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim) *word++ = static_cast<uint64_t>(PyArray_DIM(array, dim));
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim) *word++ = static_cast<uint64_t>(PyArray_STRIDE(array, dim));
    return word;
}
// Whether an array has that layout; goes on behind it.
inline __attribute__((always_inline)) bool has_noted_layout(PyArrayObject* array, const uint64_t*& word) {
    const int ndim = PyArray_NDIM(array);
    if (reinterpret_cast<uintptr_t>(PyArray_DESCR(array)) != word[0] || static_cast<uint64_t>(ndim) != word[1])
        return false;
    const auto* lengths = reinterpret_cast<const npy_intp*>(word + 2);
    word += 2 + 2 * ndim;
    return has_lengths(array, lengths, lengths + ndim);
}

// The work of a call for some memory, in one block, since what a replay reads should lie together: the head; the layout
// of the result, which a program that has had it may have changed; the data of the operands; the layouts of those that
// the list does not fill itself, which other threads may change; the work.
class NotedWork {
public:
    explicit operator bool() const { return words_ != nullptr; }

    // Whether the registers are the operands, and `result` (null: none) is the array for the result.
    inline __attribute__((always_inline)) bool is_for(PyObject* const* registers, const int32_t* places,
                                                      PyArrayObject* result) const {
        const Head& head = *reinterpret_cast<const Head*>(words_.get());
        const uint64_t* word = words_.get() + head_words;
        if (result && (PyArray_BYTES(result) != head.result || !has_noted_layout(result, word))) return false;
        for (unsigned at = 0; at < head.operand_count; ++at) {
            PyObject* object = registers[places[at]];
            if (!PyArray_CheckExact(object) || reinterpret_cast<uintptr_t>(PyArray_BYTES(as_array(object))) != word[at])
                return false;
        }
        if (!head.outside) return true;
        const uint64_t* layout = word + head.operand_count;
        for (unsigned at = 0; at < head.operand_count; ++at)
            if ((head.outside >> at & 1) && !has_noted_layout(as_array(registers[places[at]]), layout)) return false;
        return true;
    }
    void run() const {
        const Head& head = *reinterpret_cast<const Head*>(words_.get());
        const uint64_t* word = words_.get() + head.work;
        for (int at = 0; at < head.work_count; ++at) {
            const auto& work = *reinterpret_cast<const WorkHead*>(word);
            work.run(word + work_words);
            word += work_words + work.word_count;
        }
    }
    // What a call has noted; nothing if that leads to other memory than that of its operands and its result.
    static NotedWork of(const WorkNotes& notes, PyObject* const* registers, const Operands& operands,
                        PyArrayObject* result) {
        NotedWork noted;
        if (!notes.complete || notes.work_count == 0 || !knows_memory(notes, registers, operands, result)) return noted;
        size_t size = head_words + (result ? layout_word_count(result) : 0) + operands.count;
        uint32_t outside = 0;
        for (size_t at = 0; at < operands.count; ++at)
            if (!(*operands.is_filled)[static_cast<size_t>(operands.places[at])]) {
                outside |= uint32_t{1} << at;
                size += layout_word_count(as_array(registers[operands.places[at]]));
            }
        const size_t work_at = size;
        for (int at = 0; at < notes.work_count; ++at) size += work_words + notes.works[at].word_count();
        noted.words_.reset(new uint64_t[size]);
        new (noted.words_.get()) Head{result ? PyArray_BYTES(result) : nullptr, outside, static_cast<uint16_t>(work_at),
                                      static_cast<uint8_t>(operands.count), static_cast<uint8_t>(notes.work_count)};
        uint64_t* word = noted.words_.get() + head_words;
        if (result) word = put_layout(word, result);
        for (size_t at = 0; at < operands.count; ++at)
            *word++ = reinterpret_cast<uintptr_t>(PyArray_BYTES(as_array(registers[operands.places[at]])));
        for (size_t at = 0; at < operands.count; ++at)
            if (outside >> at & 1) word = put_layout(word, as_array(registers[operands.places[at]]));
        for (int at = 0; at < notes.work_count; ++at) {
            const Work& work = notes.works[at];
            new (word) WorkHead{work.function(), work.word_count()};
            std::memcpy(word + work_words, work.memory(), 8 * work.word_count());
            word += work_words + work.word_count();
        }
        return noted;
    }

private:
    struct Head {
        const char* result;
        uint32_t outside;  // bits of the operands that the list does not fill itself
        uint16_t work;     // where the work begins
        uint8_t operand_count, work_count;
    };
    struct WorkHead {
        void (*run)(const void*);
        size_t word_count;
    };
    template <class T> static constexpr size_t words_of = (sizeof(T) + 7) / 8;
    static constexpr size_t head_words = words_of<Head>, work_words = words_of<WorkHead>;
    static constexpr size_t most_operands = 32;  // bits of `outside`

    // Whether the noted addresses lie in the operands and the result.
    static bool knows_memory(const WorkNotes& notes, PyObject* const* registers, const Operands& operands,
                             PyArrayObject* result) {
        if (operands.count > most_operands) return false;
        for (size_t at = 0; at < operands.count; ++at) {
            PyObject* object = registers[operands.places[at]];
            if (!PyArray_CheckExact(object) || PyArray_NDIM(as_array(object)) > Memory::most_dims) return false;
            if (PyArray_DESCR(as_array(object)) != descr_of_number(as_array(object))) return false;
        }
        for (int number = 0; number < notes.pointer_count; ++number) {
            bool is_known = result && contains(result, notes.pointers[number]);
            for (size_t at = 0; at < operands.count && !is_known; ++at)
                is_known = contains(as_array(registers[operands.places[at]]), notes.pointers[number]);
            if (!is_known) return false;
        }
        return true;
    }

    std::unique_ptr<uint64_t[]> words_;
};

// The work of a call, for up to two sets of memory, between which a program alternates that keeps its last results.
class RepeatedWork {
public:
    // Whether the next call takes notes: after some that were of no use, few do.
    bool takes_notes() {
        constexpr uint64_t most_kept = 32, apart = 16;
        return is_possible && (kept_ < most_kept + repeats_ || ++skipped_ % apart == 0);
    }

    inline __attribute__((always_inline)) const NotedWork* find(PyObject* const* registers, const int32_t* places,
                                                                PyArrayObject* result) const {
        for (const NotedWork& known : known_)
            if (known && known.is_for(registers, places, result)) return &known;
        return nullptr;
    }
    void run(const NotedWork& known) {
        const Running running(running_);
        known.run();
        ++repeats_;
    }
    void keep(const WorkNotes& notes, PyObject* const* registers, const Operands& operands, PyArrayObject* result) {
        if (running_ > 0) return;  // in another thread, which waits for the interpreter's lock
        ++kept_;
        if (NotedWork noted = NotedWork::of(notes, registers, operands, result)) {
            known_[1] = std::move(known_[0]);
            known_[0] = std::move(noted);
        }
    }
    uint64_t repeats() const { return repeats_; }

private:
    struct Running {
        explicit Running(int32_t& running) : count(running) { ++count; }
        ~Running() { --count; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        int32_t& count;
    };
    NotedWork known_[2];
    uint64_t repeats_ = 0, kept_ = 0;
    int32_t running_ = 0;
    uint8_t skipped_ = 0;

public:
    // Whether the function notes its work.
    bool is_possible = false;
};

}  // namespace wengert
