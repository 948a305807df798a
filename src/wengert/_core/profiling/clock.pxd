cdef extern from *:
    """
    /* The time as `time.perf_counter_ns`, without a Python call. */
    static CYTHON_UNUSED long wengert_now(void) {
    #if PY_VERSION_HEX >= 0x030D0000
        PyTime_t time = 0;
        PyTime_PerfCounterRaw(&time);
        return (long)time;
    #else
        return (long)_PyTime_GetPerfCounter();
    #endif
    }
    """
    long now "wengert_now"()
