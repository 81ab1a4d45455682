// Operand types: names, sizes and validity.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::nnapi {

constexpr int32_t kOperandTypes = 16;  // those of the header, without the two OEM types (NeuralNetworksOEM.h)

bool is_tensor(int32_t code);
// Size of one element; 0 for MODEL and OEM_SCALAR.
size_t element_bytes(int32_t code);
std::string_view type_name(int32_t code);  // "TENSOR_FLOAT32"

// Returns whether rank and all dimensions are known; always true for non-tensors.
bool is_fully_known(const OperandType& type);
// Size of a fully known type; empty if more than 2^32 - 1.
std::optional<size_t> bytes_of(int32_t code, const Dimensions& dimensions);
// "[2, 3]", with ? for unknown dimensions.
std::string text_of(const Dimensions& dimensions);

// Validates and copies a client's type.
Outcome operand_type_from(const ANeuralNetworksOperandType& given, OperandType& type);
// Checks what addOperand accepts but finish() does not.
Outcome check_finished_type(const OperandType& type);

// Merges two descriptions of a tensor's dimensions, each possibly incomplete. No dimensions: unknown rank.
// Empty result: they contradict each other.
std::optional<Dimensions> combined(const Dimensions& a, const Dimensions& b);

}  // namespace nnrt::nnapi
