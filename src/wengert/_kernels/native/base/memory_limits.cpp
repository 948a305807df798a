#include "base/memory_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <new>
#include <string>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace wengert {
namespace {

// A limit is at most what was known before; files that are missing or say something else ("max") limit nothing.
void lower(size_t& least, const std::string& path) {
    std::ifstream file(path);
    std::string word;
    if (!(file >> word) || word.find_first_not_of("0123456789") != std::string::npos) return;
    least = std::min(least, static_cast<size_t>(std::strtoull(word.c_str(), nullptr, 10)));
}

// A group is limited by those above it, too. In a container its path may be that of the host, of which nothing is to be
// seen but the root.
void lower_by_group(size_t& least, const std::string& mount, std::string path,
                    std::initializer_list<const char*> files) {
    for (;;) {
        for (const char* name : files) lower(least, mount + path + "/" + name);
        const size_t last = path.find_last_of('/');
        if (last == std::string::npos) return;
        path.erase(last);
    }
}

// Whether a list of words between commas has `word`.
bool has_word(const std::string& list, const char* word) {
    return ("," + list + ",").find("," + std::string(word) + ",") != std::string::npos;
}

// Control groups: lines "number:controllers:path", in the second version with the number 0 and no controllers.
void lower_by_groups(size_t& least, const std::string& root) {
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        if (controllers.empty())
            lower_by_group(least, root + "/sys/fs/cgroup", path, {"memory.max", "memory.high"});
        else if (has_word(controllers, "memory"))
            lower_by_group(least, root + "/sys/fs/cgroup/memory", path,
                           {"memory.limit_in_bytes", "memory.soft_limit_in_bytes"});
    }
}

#if defined(__unix__) || defined(__APPLE__)
size_t physical_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(size) : 0;
}
void lower_by_process(size_t& least) {
    for (const int resource : {RLIMIT_AS, RLIMIT_DATA}) {
        struct rlimit limit;
        if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            least = std::min(least, static_cast<size_t>(limit.rlim_cur));
    }
}
#else
size_t physical_memory() { return 0; }
void lower_by_process(size_t&) {}
#endif

}  // namespace

size_t available_memory(const char* root) {
    size_t least = physical_memory();
    try {
        lower_by_groups(least, root);
    } catch (const std::bad_alloc&) {  // no memory for the names of files: the other limits count
    }
    lower_by_process(least);
    return least;
}

bool machine_has(size_t bytes) {
    static const size_t present = physical_memory();
    return present == 0 || bytes <= present;
}

}  // namespace wengert
