// The operations of NNAPI, one row each: what operands they take. Rows stand by family in the other files of
// this folder, in a notation of their own.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <android/NeuralNetworksOEM.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace nnrt::nnapi {

// The forms of an operation are a text such as "fl q: T[..4] i32 FLT INT? -> T | T[..4] FLT -> T": the types
// that T may have (those of the form before where there are none), the inputs, the outputs. An operand is
//
//   T            of the type of the first T
//   f32 f16 i32 b8 u8 s8 q8 pc8 s16 u16
//                a tensor; fl stands for f32/f16, q for u8/s8
//   INT BOOL F32 F16 MODEL
//                a scalar, or a model; FLT is F16 where T is f16, otherwise F32
//   any          a tensor or a scalar
//   W, B         filter and bias of a convolution of T; where T is quantized: T or pc8, and i32
//
// with alternatives between slashes, f32/i32; [4], [2..4] or [..4]: its rank, if that is known; *3: three of
// them; "...": any number of them, also none; ? or (...)?: may be left out together with all behind it.
struct OperationRow {
  int32_t code = 0;
  std::string_view name;  // "ADD"
  int32_t level = 0;      // the first level that has it
  std::string_view forms;
};

// Null: there is no such operation.
const OperationRow* find_operation(int32_t code);

std::span<const OperationRow> arithmetic_operations();
std::span<const OperationRow> data_movement_operations();
std::span<const OperationRow> gemm_conv_operations();
std::span<const OperationRow> reduction_operations();
std::span<const OperationRow> recurrent_operations();
std::span<const OperationRow> detection_operations();
std::span<const OperationRow> control_operations();

// bad data, unless the operands are of one of the operation's forms.
Outcome check_signature(const OperationRow& row, std::span<const Operand* const> inputs,
                        std::span<const Operand* const> outputs);

// bad data where operands of the right types and ranks do not fit each other: by their scales and zero
// points, by ranks and sizes, or by the dimension that a filter's channels have.
Outcome check_constraints(const OperationRow& row, std::span<const Operand* const> inputs,
                          std::span<const Operand* const> outputs);

// True for the operation of a device's maker, which takes any operands and which no device runs.
constexpr bool is_of_maker(int32_t code) { return code == ANEURALNETWORKS_OEM_OPERATION; }

// True where tensors may have more than kMaxRank dimensions.
constexpr bool supports_any_rank(int32_t code) {
  return code == ANEURALNETWORKS_MIRROR_PAD || code == ANEURALNETWORKS_RANK ||
         code == ANEURALNETWORKS_LSH_PROJECTION || code == ANEURALNETWORKS_IF ||
         code == ANEURALNETWORKS_WHILE;
}

// True for IF and WHILE, which run models.
constexpr bool is_control_flow(int32_t code) {
  return code == ANEURALNETWORKS_IF || code == ANEURALNETWORKS_WHILE;
}

}  // namespace nnrt::nnapi
