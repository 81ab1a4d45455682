// The operations of NNAPI, one row each, with their operands. The rows are in the other files of this folder,
// by family, in the notation below.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <android/NeuralNetworksOEM.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace nnrt::nnapi {

// The forms of an operation, such as "fl q: T[..4] i32 FLT INT? -> T | T[..4] FLT -> T": the types allowed
// for T (if missing, as in the previous form), inputs and outputs. An operand is one of
//
//   T            has the type of the first T
//   f32 f16 i32 b8 u8 s8 q8 pc8 s16 u16
//                a tensor; fl is f32/f16, q is u8/s8
//   INT BOOL F32 F16 MODEL
//                a scalar, or a model; FLT is F16 if T is f16, otherwise F32
//   any          any tensor or scalar
//   W, B         filter and bias of a convolution of T; if T is quantized: T or pc8, and i32
//
// Modifiers: f32/i32 for alternatives; [4], [2..4] or [..4] for the rank, if known; *3 for three operands;
// "..." for zero or more; ? or (...)? for operands that may be omitted together with all that follow.
struct OperationRow {
  int32_t code = 0;
  std::string_view name;  // "ADD"
  int32_t level = 0;      // feature level that introduced it
  std::string_view forms;
};

// Null if there is no such operation.
const OperationRow* find_operation(int32_t code);

std::span<const OperationRow> arithmetic_operations();
std::span<const OperationRow> data_movement_operations();
std::span<const OperationRow> gemm_conv_operations();
std::span<const OperationRow> reduction_operations();
std::span<const OperationRow> recurrent_operations();
std::span<const OperationRow> detection_operations();
std::span<const OperationRow> control_operations();

// bad data unless the operands match one of the operation's forms.
Outcome check_signature(const OperationRow& row, std::span<const Operand* const> inputs,
                        std::span<const Operand* const> outputs);

// bad data if operands of valid types and ranks do not match each other: in scales and zero points, ranks and
// sizes, or the channel dimension of a filter.
Outcome check_constraints(const OperationRow& row, std::span<const Operand* const> inputs,
                          std::span<const Operand* const> outputs);

// The largest rank of the operands and of the result, as far as known.
size_t highest_rank(int32_t code, std::span<const Operand* const> inputs,
                    std::span<const Operand* const> outputs);

// True for the OEM operation, which accepts any operands and which no device supports.
constexpr bool is_of_maker(int32_t code) { return code == ANEURALNETWORKS_OEM_OPERATION; }

// True if devices take tensors of more than kMaxRank dimensions.
constexpr bool supports_any_rank(int32_t code) {
  return code == ANEURALNETWORKS_MIRROR_PAD || code == ANEURALNETWORKS_RANK ||
         code == ANEURALNETWORKS_LSH_PROJECTION || code == ANEURALNETWORKS_IF ||
         code == ANEURALNETWORKS_WHILE;
}

// True for IF and WHILE.
constexpr bool is_control_flow(int32_t code) {
  return code == ANEURALNETWORKS_IF || code == ANEURALNETWORKS_WHILE;
}

}  // namespace nnrt::nnapi
