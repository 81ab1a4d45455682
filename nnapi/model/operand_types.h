// What is known of an operand's type: its name, its bytes, and whether it is valid (B1, B2 of the
// specification of NNAPI).
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::nnapi {

constexpr int32_t kOperandTypes = 16;

bool is_tensor(int32_t code);
// Of one element; 0 for MODEL.
size_t element_bytes(int32_t code);
std::string_view type_name(int32_t code);  // "TENSOR_FLOAT32"

// Returns whether rank and all dimensions are known; of what is no tensor they always are.
bool is_fully_known(const OperandType& type);
// Of a type that is fully known. Empty: more than 2^32 - 1.
std::optional<size_t> bytes_of(int32_t code, const Dimensions& dimensions);
// "[2, 3]", with ? for dimensions that are not known.
std::string text_of(const Dimensions& dimensions);

// A copy of what a client passes, which is checked.
Outcome operand_type_from(const ANeuralNetworksOperandType& given, OperandType& type);
// What addOperand lets pass and the model's end does not.
Outcome check_finished_type(const OperandType& type);

// Where the dimensions of two descriptions of one tensor contradict each other: empty. What is not known
// becomes what the other knows. No dimensions: the rank is not known.
std::optional<Dimensions> combined(const Dimensions& a, const Dimensions& b);

}  // namespace nnrt::nnapi
