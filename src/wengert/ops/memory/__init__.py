"""How elements lie in memory: storages, memory formats, copies and casts."""
