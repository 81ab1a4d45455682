// Elementwise operations.
#include "nnapi/operations/checked_rows.h"

namespace nnrt::nnapi {
namespace {

constexpr OperationRow kArithmeticOperations[] = {
    row(0, "ADD", 27, "fl q i32: T[..4] T[..4] INT -> T"),
    row(36, "SUB", 28, "fl q i32: T[..4] T[..4] INT -> T"),
    row(18, "MUL", 27, "fl q i32: T[..4] T[..4] INT -> T"),
    row(30, "DIV", 28, "fl i32: T[..4] T[..4] INT -> T"),
    row(65, "MAXIMUM", 29, "fl i32 q: T T -> T"),
    row(66, "MINIMUM", 29, "fl i32 q: T T -> T"),
    row(70, "POW", 29, "fl: T T -> T"),
    row(71, "PRELU", 29, "fl q: T T -> T"),
    row(48, "EQUAL", 29, "b8 fl i32 q: T T -> b8"),
    row(68, "NOT_EQUAL", 29, "b8 fl i32 q: T T -> b8"),
    row(53, "GREATER", 29, "b8 fl i32 q: T T -> b8"),
    row(54, "GREATER_EQUAL", 29, "b8 fl i32 q: T T -> b8"),
    row(58, "LESS", 29, "b8 fl i32 q: T T -> b8"),
    row(59, "LESS_EQUAL", 29, "b8 fl i32 q: T T -> b8"),
    row(61, "LOGICAL_AND", 29, "b8 b8 -> b8"),
    row(63, "LOGICAL_OR", 29, "b8 b8 -> b8"),
    row(62, "LOGICAL_NOT", 29, "b8 -> b8"),
    row(84, "SELECT", 29, "fl i32 q: b8 T T -> T"),
    row(38, "ABS", 29, "fl i32: T -> T"),
    row(67, "NEG", 29, "fl i32: T -> T"),
    row(49, "EXP", 29, "fl: T -> T"),
    row(60, "LOG", 29, "fl: T -> T"),
    row(85, "SIN", 29, "fl: T -> T"),
    row(88, "SQRT", 29, "fl: T -> T"),
    row(83, "RSQRT", 29, "fl q: T -> T"),
    row(8, "FLOOR", 27, "fl: T[..4] -> T"),
    row(19, "RELU", 27, "fl q: T[..4] -> T"),
    row(20, "RELU1", 27, "fl q: T[..4] -> T"),
    row(21, "RELU6", 27, "fl q: T[..4] -> T"),
    row(14, "LOGISTIC", 27, "fl q: T[..4] -> T"),
    row(28, "TANH", 27, "fl q: T[..4] -> T"),
    row(98, "ELU", 30, "fl: T FLT -> T"),
    row(99, "HARD_SWISH", 30, "fl q: T -> T"),
    row(45, "CAST", 29, "f16/f32/i32/u8 -> f16/f32/i32/u8 | b8 u16 s16 s8 q8 pc8: T -> T"),
    row(72, "QUANTIZE", 29, "fl -> q"),
    row(6, "DEQUANTIZE", 27, "u8/q8/pc8/s8[..4] -> fl"),
};
static_assert(are_valid(kArithmeticOperations));

}  // namespace

std::span<const OperationRow> arithmetic_operations() { return kArithmeticOperations; }

}  // namespace nnrt::nnapi
