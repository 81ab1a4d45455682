// The header, read by a compiler for C++17.
#include <neural_network_runtime/nnrt_import.h>

static_assert(__cplusplus < 202002L);
static_assert(sizeof(OH_NNRt_TensorInfo) == 64);
