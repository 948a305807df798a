#include "base/reserve.hpp"

#include "base/memory_limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#if defined(__unix__) || defined(__APPLE__)
#define WENGERT_PAGES 1
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/sysinfo.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace wengert {
namespace {

constexpr size_t most_limit = size_t(128)
                              << 20;        // with that each training step of the benchmark finds all its memory here
constexpr size_t hinted = size_t(4) << 20;  // bytes from which large pages are asked for
constexpr size_t most_blocks = 512;         // that are kept
constexpr uint64_t patience = 256;          // blocks freed after one before its pages are offered to the system

// ---- the system ----------------------------------------------------------------------------------------------------
#ifdef WENGERT_PAGES
void* map(size_t room) {
    void* address = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
    if (room >= hinted) madvise(address, room, MADV_HUGEPAGE);
#endif
    return address;
}
void unmap(void* address, size_t room) { munmap(address, room); }
// The system may take these pages whenever it is short of memory; until then they stay.
void offer(void* address, size_t room) {
#ifdef MADV_FREE
    madvise(address, room, MADV_FREE);
#endif
}
#else
void* map(size_t room) { return std::calloc(room, 1); }
void unmap(void* address, size_t) { std::free(address); }
void offer(void*, size_t) {}
#endif

// Bytes that the machine can hold at all, SIZE_MAX where that is not known. Systems that overcommit, as many that run
// containers, kill the process when the memory is used; so larger requests are refused here.
size_t machine_memory() {
#if defined(__linux__)
    struct sysinfo info;
    size_t bytes;
    if (sysinfo(&info) == 0 && !__builtin_add_overflow(info.totalram, info.totalswap, &bytes) &&
        !__builtin_mul_overflow(bytes, static_cast<size_t>(info.mem_unit), &bytes) && bytes > 0)
        return bytes;
#endif
    return SIZE_MAX;
}

// Eight sizes for each power of two: at most an eighth more than was asked for, and blocks fit one another. 0: too many
// bytes.
size_t room_for(size_t bytes) {
    size_t step = least_kept / 8;
    while (step <= bytes / 16 && step <= SIZE_MAX >> 6) step *= 2;
    return bytes > SIZE_MAX / 2 ? 0 : (bytes + step - 1) / step * step;
}

// ---- the reserve ---------------------------------------------------------------------------------------------------
struct Block {
    void* address;
    size_t room;
};

class Reserve {
public:
    Reserve() {
        const char* wanted = std::getenv("WENGERT_KEPT_MEMORY");
        char* end = nullptr;
        const unsigned long long bytes = wanted ? std::strtoull(wanted, &end, 10) : 0;
        if (wanted && *wanted && !*end) limit_ = static_cast<size_t>(bytes), limit_known_ = true;
    }

    void* take(size_t bytes, bool zeroed) {
        const size_t room = room_for(bytes);
        if (room == 0 || bytes > most_) return nullptr;
        void* address = reuse(room);
        if (address) {
            ASAN_UNPOISON_MEMORY_REGION(address, room);
            if (zeroed) std::memset(address, 0, bytes);
            return address;
        }
        address = map(room);
        if (!address && give_back() > 0) {
            std::lock_guard<std::mutex> locked(lock);
            ++numbers_.retries;
            address = map(room);
        }
        if (!address) return nullptr;
        try {
            std::lock_guard<std::mutex> locked(lock);
            live_.emplace(address, room);
            use(room);
            ++numbers_.fresh;
        } catch (const std::bad_alloc&) {
            unmap(address, room);
            return nullptr;
        }
        return address;
    }

    bool put(void* address) {
        Block gone[2] = {};  // blocks for which there is no room: the oldest, or this one
        {
            std::lock_guard<std::mutex> locked(lock);
            const auto known = live_.find(address);
            if (known == live_.end()) return false;
            const Block freed = {address, known->second};
            live_.erase(known);
            numbers_.allocated -= freed.room;
            if (freed.room > limit()) {
                gone[0] = freed;
            } else {
                if (count_ == most_blocks) gone[1] = remove(0);
                keep(freed);
            }
        }
        for (const Block& block : gone)
            if (block.address) unmap(block.address, block.room);
        return shrink(SIZE_MAX), true;
    }

    size_t room_at(void* address) {
        std::lock_guard<std::mutex> locked(lock);
        const auto known = live_.find(address);
        return known == live_.end() ? 0 : known->second;
    }

    size_t give_back() { return shrink(0); }

    // False: nothing. The limit itself is not asked for yet.
    bool keeps() {
        std::lock_guard<std::mutex> locked(lock);
        return !limit_known_ || limit_ > 0;
    }

    void set_limit(size_t bytes) {
        {
            std::lock_guard<std::mutex> locked(lock);
            limit_ = bytes, limit_known_ = true;
        }
        shrink(SIZE_MAX);
    }

    ReserveStatistics statistics() {
        std::lock_guard<std::mutex> locked(lock);
        numbers_.kept_blocks = count_;
        numbers_.limit = limit();
        return numbers_;
    }
    void reset_peak() {
        std::lock_guard<std::mutex> locked(lock);
        numbers_.peak_allocated = numbers_.allocated;
    }

    std::mutex lock;  // held while the process forks

private:
    void* reuse(size_t room) {
        std::lock_guard<std::mutex> locked(lock);
        for (size_t at = count_; at-- > 0;) {  // the newest first: what it held may still be in the cache
            if (kept_[at].room != room) continue;
            void* address = kept_[at].address;
            try {
                live_.emplace(address, room);
            } catch (const std::bad_alloc&) {
                return nullptr;
            }
            remove(at);
            use(room);
            ++numbers_.reused;
            return address;
        }
        return nullptr;
    }
    void use(size_t room) {
        numbers_.allocated += room;
        numbers_.peak_allocated = std::max(numbers_.peak_allocated, numbers_.allocated);
    }
    void keep(const Block& freed) {
        ASAN_POISON_MEMORY_REGION(freed.address, freed.room);
        kept_[count_] = freed;
        freed_at_[count_++] = ++clock_;
        numbers_.kept += freed.room;
        offered_ = std::min(offered_, count_ - 1);
        if (clock_ - freed_at_[offered_] > patience) offer(kept_[offered_].address, kept_[offered_].room), ++offered_;
    }
    Block remove(size_t at) {
        const Block block = kept_[at];
        std::copy(kept_ + at + 1, kept_ + count_, kept_ + at);
        std::copy(freed_at_ + at + 1, freed_at_ + count_, freed_at_ + at);
        --count_;
        if (at < offered_) --offered_;
        numbers_.kept -= block.room;
        return block;
    }
    // Gives back the oldest blocks until no more than `most` bytes, nor than the limit, are kept.
    size_t shrink(size_t most) {
        size_t freed = 0;
        for (;;) {
            Block oldest;
            {
                std::lock_guard<std::mutex> locked(lock);
                if (count_ == 0 || numbers_.kept <= std::min(most, limit())) return freed;
                oldest = remove(0);
            }
            ASAN_UNPOISON_MEMORY_REGION(oldest.address, oldest.room);
            unmap(oldest.address, oldest.room);
            freed += oldest.room;
        }
    }
    // Unless the program set a limit: an eighth of the memory that this process may have, looked up when memory is
    // first freed.
    size_t limit() {
        if (!limit_known_) limit_ = std::min(available_memory("") / 8, most_limit), limit_known_ = true;
        return limit_;
    }

    std::unordered_map<void*, size_t> live_;
    Block kept_[most_blocks];
    uint64_t freed_at_[most_blocks];
    size_t count_ = 0, offered_ = 0;  // blocks that are kept, the oldest first; how many of them were offered
    uint64_t clock_ = 0;
    const size_t most_ = machine_memory();
    size_t limit_ = 0;
    bool limit_known_ = false;
    ReserveStatistics numbers_ = {};
};

// Never destroyed: arrays may outlive whatever is done at the end of the process.
Reserve& the_reserve() {
    static Reserve* const reserve = new Reserve;
    return *reserve;
}

#ifdef WENGERT_PAGES
// A child has the blocks of its parent, as copies, and must not find the lock held by a thread that it does not have.
void before_fork() { the_reserve().lock.lock(); }
void after_fork() { the_reserve().lock.unlock(); }
const int fork_handlers = pthread_atfork(before_fork, after_fork, after_fork);
#endif

}  // namespace

void* take_block(size_t bytes, bool zeroed) { return the_reserve().take(bytes, zeroed); }
bool put_block(void* address) { return the_reserve().put(address); }
size_t room_at(void* address) { return the_reserve().room_at(address); }
size_t give_back() { return the_reserve().give_back(); }
bool keeps_memory() { return the_reserve().keeps(); }
void set_reserve_limit(size_t bytes) { the_reserve().set_limit(bytes); }
ReserveStatistics reserve_statistics() { return the_reserve().statistics(); }
void reset_reserve_peak() { the_reserve().reset_peak(); }

}  // namespace wengert
