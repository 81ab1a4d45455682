// The types of operands: their names, their bytes, and whether they are valid.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::nnapi {

constexpr int32_t kOperandTypes = 16;  // those of the header; makers had two more (NeuralNetworksOEM.h)

bool is_tensor(int32_t code);
// The bytes of one element; 0 for MODEL and OEM_SCALAR.
size_t element_bytes(int32_t code);
std::string_view type_name(int32_t code);  // "TENSOR_FLOAT32"

// Returns whether rank and all dimensions are known; of what is no tensor they always are.
bool is_fully_known(const OperandType& type);
// The bytes of a type that is fully known. Empty: more than 2^32 - 1.
std::optional<size_t> bytes_of(int32_t code, const Dimensions& dimensions);
// "[2, 3]", with ? for dimensions that are not known.
std::string text_of(const Dimensions& dimensions);

// A copy of what a client passes, which is checked.
Outcome operand_type_from(const ANeuralNetworksOperandType& given, OperandType& type);
// Refuses what addOperand lets pass and the model's end does not.
Outcome check_finished_type(const OperandType& type);

// The dimensions that two descriptions of one tensor give together: what one does not know, the other may. No
// dimensions: the rank is not known. Empty: they contradict each other.
std::optional<Dimensions> combined(const Dimensions& a, const Dimensions& b);

}  // namespace nnrt::nnapi
