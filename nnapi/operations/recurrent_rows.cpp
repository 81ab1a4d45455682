// Recurrent cells, and sequences of them. The number of outputs of a sequence also depends on values, which
// are checked at compilation: whether outputs are merged, and whether states are returned.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kRecurrentOperations[] = {
    row(16, "LSTM", 27, "fl: T*20 INT FLT FLT (T*4)? -> T T T T"),
    row(92, "UNIDIRECTIONAL_SEQUENCE_LSTM", 29, "fl: T*20 INT FLT FLT BOOL (T*4)? -> T (T T)?"),
    row(42, "BIDIRECTIONAL_SEQUENCE_LSTM", 29, "fl: T*48 INT FLT FLT BOOL BOOL (T*8)? -> T T? (T T T)? T?"),
    row(24, "RNN", 27, "fl: T*5 INT -> T T"),
    row(93, "UNIDIRECTIONAL_SEQUENCE_RNN", 29, "fl: T*5 INT INT -> T T?"),
    row(43, "BIDIRECTIONAL_SEQUENCE_RNN", 29, "fl: T*12 INT BOOL BOOL -> T T? T? T?"),
    row(27, "SVDF", 27, "fl: T*5 INT INT -> T T"),
    row(73, "QUANTIZED_16BIT_LSTM", 29, "u8 u8*4 u8*4 i32*4 s16 u8 -> s16 u8"),
    row(95, "QUANTIZED_LSTM", 30,
        "s8 q8*4 q8*4 s16*3 i32*4 q8 i32 s8 s16 s16*4 F32*2 F32*4 INT F32 -> s8 s16 s8"),
};
static_assert(are_valid(kRecurrentOperations));

}  // namespace

std::span<const OperationRow> recurrent_operations() { return kRecurrentOperations; }

}  // namespace nnrt::nnapi
