// Nothing to call: the library acts by being preloaded.
