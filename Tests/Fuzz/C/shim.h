// libFuzzer's own calls, for which LLVM installs no header. The linker option -sanitize=fuzzer brings the library.
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's main function: calls `test` with one input after the other, as the arguments say.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t count));

/// Changes bytes in place, as libFuzzer does when nobody helps it; returns how many there are then.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t capacity);
