// Building blocks for rows of the operator table: row fragments, operand checks and shape rules.
// Checks accept unknown dimensions (-1); a run checks again with the actual ones.
#pragma once

#include "core/base/text.h"
#include "core/schema/schema.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

using Shapes = std::vector<Shape>;  // one per output

// Row fragments. Fields that a row omits are filled in by schema.cpp: the family, dtypes of operands that
// repeat an input, the union of the inputs' dtypes for a promoted output, and the API level of parameters.

ParamRow activation_param(Param type);  // R15
ParamRow flag_param(Param type, Attr attr, bool fallback = false);
ParamRow real_param(Param type, Attr attr, double fallback);
// One INT64; without a fallback it has no default.
ParamRow integer_param(Param type, Attr attr, std::optional<int64_t> fallback = std::nullopt);
// A list of INT64.
ParamRow integers_param(Param type, Attr attr, Count count, std::vector<double> fallback = {});
// An enumerated parameter, 0 by default.
ParamRow choice_param(Param type, Attr attr, DTypeSet dtypes, int choices);
// Both accept either form (R17); the value is stored under the role of its form.
ParamRow pad_param(Param type);
ParamRow pad_mode_param(Param type);
ParamRow required(ParamRow row);

// `dtypes`, or INT8 with quantization parameters (R12).
InputRow quantized_input(std::string_view name, DTypeSet dtypes = kFloat);
// INT32 or INT64 whose values determine shapes (R5).
InputRow value_input(std::string_view name);
InputRow optional(InputRow row);

// Numbers with an order that kernels compute exactly.
inline constexpr DTypeSet kOrdered = kReal | DType::u64;

// Operand properties.

// Returns whether this operator treats the tensor as quantized (R12).
bool has_quantized_values(const OpSchema& schema, const Tensor& tensor);
// Returns whether a copying operator has to requantize between these tensors (R11).
bool requantizes(const OpSchema& schema, const Tensor& from, const Tensor& to);
// "the bias", or "input 2" if the row is `many`.
std::string describe_input(const NodeView& node, size_t input);
// The dtype that all inputs are promoted to (R10).
DType promoted(const NodeView& node);
// Returns whether every input is BOOL.
bool all_boolean(const NodeView& node);
// The dtype for an OH_NN_DataType or an HDI number; see QUANT_DTYPE_CAST.
std::optional<DType> dtype_of_code(int64_t code);
// Returns whether both dimensions are known and differ.
constexpr bool conflict(int64_t a, int64_t b) { return a != kUnknown && b != kUnknown && a != b; }

// Checks.

// "Rank of the input (5) is outside [1, 4]."
Status require_rank(const NodeView& node, size_t input, size_t min, size_t max);
// A scalar or [1] (R6).
Status require_one_element(const NodeView& node, size_t input);
// "Dimension 0 of the bias (7) is not the channel count (5)."
Status require_dimension(const NodeView& node, size_t input, size_t dimension, int64_t wanted,
                         std::string_view what);
// Rank 1 with this length.
Status require_vector(const NodeView& node, size_t input, int64_t length, std::string_view what);
// "Stride (0) is below 1."
Status require_at_least(std::span<const int64_t> values, int64_t min, std::string_view what);
// BOOL results cannot have a fused activation (R15).
Status check_boolean_activation(const NodeView& node);

// For operators that compute on raw values, which would be wrong for quantized ones.
Status refuse_quantized(const NodeView& node);

// Shape rules.

// All outputs with their declared ranks and unknown dimensions: the result if a value is missing.
Shapes unknown_shapes(const NodeView& node);
// Merges two shapes that must be equal; known dimensions of one fill in the other's.
std::optional<Shape> unify(const Shape& a, const Shape& b);
Result<Shapes> same_shape(const NodeView& node);       // the shape of input 0 (R18)
Result<Shapes> broadcast_shape(const NodeView& node);  // the broadcast shape of all inputs (R9)
Result<Shapes> reduced_shape(const NodeView& node);    // R19
// The shape given by a value input, each entry at least `min`; only its rank if the values are unknown, empty
// if that is unknown too.
Result<std::optional<Shape>> spelled_shape(const NodeView& node, size_t input, int64_t min = 1);

}  // namespace nnrt
