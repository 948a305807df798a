from libc.stdint cimport int64_t
cdef extern from *:
    """
    /* The time as `time.perf_counter_ns`, without a Python call. */
    static CYTHON_UNUSED int64_t wengert_now(void) {
    #if PY_VERSION_HEX >= 0x030D0000
        PyTime_t time = 0;
        PyTime_PerfCounterRaw(&time);
        return (int64_t)time;
    #else
        return (int64_t)_PyTime_GetPerfCounter();
    #endif
    }
    """
    int64_t now "wengert_now"()
