// Data movement.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kDataMovementOperations[] = {
    row(22, "RESHAPE", 27, "fl q i32: T[..4] i32 -> T"),
    row(34, "SQUEEZE", 28, "fl q: T[..4] i32? -> T"),
    row(50, "EXPAND_DIMS", 29, "fl i32 q: T INT -> T"),
    row(37, "TRANSPOSE", 28, "fl q: T[..4] i32? -> T"),
    row(2, "CONCATENATION", 27, "fl q: T[..4] T[..4]... INT -> T"),
    row(103, "PACK", 1000006, "fl q i32: INT T T... -> T"),
    row(87, "SPLIT", 29, "fl i32 q: T INT INT -> T T..."),
    row(86, "SLICE", 29, "fl i32 q: T i32 i32 -> T"),
    row(35, "STRIDED_SLICE", 28, "fl q: T[..4] i32 i32 i32 INT INT INT -> T"),
    row(51, "GATHER", 29, "fl i32 q: T INT i32 -> T"),
    row(7, "EMBEDDING_LOOKUP", 27, "fl i32 q: i32 T -> T"),
    row(89, "TILE", 29, "fl i32 q: T i32 -> T"),
    row(32, "PAD", 28, "fl q: T[..4] i32 -> T"),
    row(69, "PAD_V2", 29, "fl: T[..4] i32 FLT -> T | q: T[..4] i32 INT -> T"),
    row(104, "MIRROR_PAD", 1000007, "fl q i32: T i32[2] INT -> T"),
    row(105, "REVERSE", 1000007, "fl q i32: T[..8] i32[1] -> T"),
    row(100, "FILL", 30, "i32 F32 -> f32 | i32 F16 -> f16 | i32 INT -> i32"),
    row(101, "RANK", 30, "fl/i32/b8/u8/s8/q8/pc8/s16/u16 -> INT"),
    row(5, "DEPTH_TO_SPACE", 27, "fl q: T[..4] INT BOOL? -> T"),
    row(26, "SPACE_TO_DEPTH", 27, "fl q: T[..4] INT BOOL? -> T"),
    row(29, "BATCH_TO_SPACE_ND", 28, "fl q: T[..4] i32 BOOL? -> T"),
    row(33, "SPACE_TO_BATCH_ND", 28, "fl q: T[..4] i32 i32 BOOL? -> T"),
    row(46, "CHANNEL_SHUFFLE", 29, "fl q: T[..4] INT INT -> T"),
    row(90, "TOPK_V2", 29, "fl i32 q: T INT -> T i32"),
};
static_assert(are_valid(kDataMovementOperations));

}  // namespace

std::span<const OperationRow> data_movement_operations() { return kDataMovementOperations; }

}  // namespace nnrt::nnapi
