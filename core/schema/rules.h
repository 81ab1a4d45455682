// Helpers for rows of the operator table: pieces of rows, checks of operands, and shape rules.
// Every check lets an unknown dimension (-1) pass; a run checks again with what is known then.
#pragma once

#include "core/base/text.h"
#include "core/schema/schema.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

using Shapes = std::vector<Shape>;  // one for each output of a node

// Pieces of rows. If a row leaves them out, schema.cpp fills in: the family, the dtypes of an input or output
// that repeats an input, the union of the inputs' for a promoted output, the operator's API level for its
// parameters.

ParamRow activation_param(int type, std::string_view type_name);  // R15
ParamRow flag_param(int type, std::string_view type_name, Attr attr, bool fallback = false);
ParamRow real_param(int type, std::string_view type_name, Attr attr, double fallback);
// One INT64; without a fallback it stays absent.
ParamRow integer_param(int type, std::string_view type_name, Attr attr,
                       std::optional<int64_t> fallback = std::nullopt);
// A list of INT64.
ParamRow integers_param(int type, std::string_view type_name, Attr attr, Count count,
                        std::vector<double> fallback = {});
// A closed list of which 0 is the default.
ParamRow choice_param(int type, std::string_view type_name, Attr attr, DTypeSet dtypes, int choices);
// Both take either form (R17); a value lands under the role of its form.
ParamRow pad_param(int type, std::string_view type_name);
ParamRow pad_mode_param(int type, std::string_view type_name);
ParamRow required(ParamRow row);
ParamRow since(int level, ParamRow row);

// `dtypes`, and INT8 with quantization parameters (R12).
InputRow quantized_input(std::string_view name, DTypeSet dtypes = kFloat);
// INT32 or INT64 whose contents decide shapes (R5).
InputRow value_input(std::string_view name);

// Properties of operands.

// Returns whether the tensor is quantized for this operator (R12).
bool has_quantized_values(const OpSchema& schema, const Tensor& tensor);
// Returns whether a copy operator changes what it copies between these two (R11).
bool requantizes(const OpSchema& schema, const Tensor& from, const Tensor& to);
// "the bias", or "input 2" where the row says `many`.
std::string describe_input(const NodeView& node, size_t input);
// The dtype to which all inputs are converted (R10).
DType promoted(const NodeView& node);
// Returns whether every input is BOOL.
bool all_boolean(const NodeView& node);
// The dtype that the client names by an OH_NN_DataType or by the number of HDI; see QUANT_DTYPE_CAST.
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
// Rank 1 and that length.
Status require_vector(const NodeView& node, size_t input, int64_t length, std::string_view what);
// "Stride (0) is below 1."
Status require_at_least(std::span<const int64_t> values, int64_t min, std::string_view what);
// A BOOL result admits no fused activation (R15).
Status check_boolean_activation(const NodeView& node);

// For operators that would compute on quantized values what is meant for floats.
Status refuse_quantized(const NodeView& node);

// Shape rules.

// Every dimension of every output unknown, in the declared ranks: the answer where a value is missing.
Shapes unknown_shapes(const NodeView& node);
// Both shapes at once, which must be equal; known dimensions of one fill in the other's.
std::optional<Shape> unify(const Shape& a, const Shape& b);
Result<Shapes> same_shape(const NodeView& node);       // the shape of input 0 (R18)
Result<Shapes> broadcast_shape(const NodeView& node);  // the shape of all inputs together (R9)
Result<Shapes> reduced_shape(const NodeView& node);    // R19
// The shape that a value input spells out, each entry at least `min`; its length alone if its contents are
// not known yet, nothing if that is not known either.
Result<std::optional<Shape>> spelled_shape(const NodeView& node, size_t input, int64_t min = 1);

}  // namespace nnrt
