#include "core/schema/rules.h"

#include "core/schema/geometry.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <array>

namespace nnrt {

ParamRow activation_param(Param type) { return choice_param(type, Attr::activation, DType::i8, 3); }

ParamRow flag_param(Param type, Attr attr, bool fallback) {
  return {type, attr, DType::boolean, {}, false, {double(fallback)}, {}};
}

ParamRow real_param(Param type, Attr attr, double fallback) {
  return {type, attr, DType::f32, {}, false, {fallback}, {}};
}

ParamRow integer_param(Param type, Attr attr, std::optional<int64_t> fallback) {
  ParamRow row{type, attr, DType::i64, {}, false, {}, {}};
  if (fallback) row.default_value = {double(*fallback)};
  return row;
}

ParamRow integers_param(Param type, Attr attr, Count count, std::vector<double> fallback) {
  return {type, attr, DType::i64, count, false, std::move(fallback), {}};
}

ParamRow choice_param(Param type, Attr attr, DTypeSet dtypes, int choices) {
  ParamRow row{type, attr, dtypes, {}, false, {0}, {}};
  for (int choice = 0; choice < choices; ++choice) row.closed_list.push_back(choice);
  return row;
}

ParamRow pad_param(Param type) {
  ParamRow row = integers_param(type, Attr::pad, {4, 4}, {0, 0, 0, 0});
  row.either_pad = true;
  return row;
}

ParamRow pad_mode_param(Param type) {
  ParamRow row = choice_param(type, Attr::pad_mode, DType::i8, 2);
  row.default_value.clear();
  row.either_pad = true;
  return row;
}

ParamRow required(ParamRow row) {
  row.required = true;
  row.default_value.clear();
  return row;
}

InputRow quantized_input(std::string_view name, DTypeSet dtypes) {
  return {.name = name, .dtypes = dtypes | DType::i8, .quantized_only = true};
}

InputRow value_input(std::string_view name) { return {.name = name, .dtypes = kIndex, .value = true}; }

InputRow optional(InputRow row) {
  row.optional = true;
  return row;
}

bool has_quantized_values(const OpSchema& schema, const Tensor& tensor) {
  if (tensor.quant.empty()) return false;
  if (tensor.dtype == DType::i8) return true;
  const bool allows_u8 =
      schema.family == Family::cast || schema.outputs[0].dtypes == DTypeSet(DType::boolean);
  return allows_u8 && tensor.dtype == DType::u8;
}

bool requantizes(const OpSchema& schema, const Tensor& from, const Tensor& to) {
  return has_quantized_values(schema, from) && has_quantized_values(schema, to) && from.quant != to.quant;
}

std::string describe_input(const NodeView& node, size_t input) {
  const std::vector<InputRow>& rows = node.schema().inputs;
  const InputRow& row = rows[std::min(input, rows.size() - 1)];
  if (row.many) return cat("input ", input);
  const bool numbered = row.name.back() >= '0' && row.name.back() <= '9';  // "input1"
  return cat(numbered ? "" : "the ", row.name);
}

DType promoted(const NodeView& node) {
  constexpr std::array kOrder = {DType::boolean, DType::u8,  DType::i8,  DType::i16, DType::i32,
                                 DType::i64,     DType::u64, DType::f16, DType::f32, DType::f64};
  const auto position = [&](DType dtype) { return std::find(kOrder.begin(), kOrder.end(), dtype); };
  DType result = node.dtype(0);
  for (size_t i = 1; i < node.input_count(); ++i) {
    if (position(node.dtype(i)) > position(result)) result = node.dtype(i);
  }
  return result;
}

bool all_boolean(const NodeView& node) { return promoted(node) == DType::boolean; }

std::optional<DType> dtype_of_code(int64_t code) {
  constexpr std::array<std::pair<int64_t, DType>, 8> kHdi = {{{30, DType::boolean},
                                                              {32, DType::i8},
                                                              {33, DType::i16},
                                                              {34, DType::i32},
                                                              {35, DType::i64},
                                                              {37, DType::u8},
                                                              {42, DType::f16},
                                                              {43, DType::f32}}};
  if (code >= 1 && code < kDTypeCount) return DType(code);
  for (const auto& [number, dtype] : kHdi) {
    if (number == code) return dtype;
  }
  return std::nullopt;
}

Status require_rank(const NodeView& node, size_t input, size_t min, size_t max) {
  const size_t rank = node.shape(input).size();
  if (rank >= min && rank <= max) return {};
  if (rank == 0 && min == 1) return {};  // a scalar is accepted instead of [1] (R6)
  if (min == max) return invalid("Rank of ", describe_input(node, input), " (", rank, ") is not ", min, ".");
  return invalid("Rank of ", describe_input(node, input), " (", rank, ") is outside [", min, ", ", max, "].");
}

Status require_one_element(const NodeView& node, size_t input) {
  if (compatible({}, node.shape(input))) return {};
  return invalid("Shape of ", describe_input(node, input), " (", to_string(node.shape(input)),
                 ") is not that of one element.");
}

Status require_dimension(const NodeView& node, size_t input, size_t dimension, int64_t wanted,
                         std::string_view what) {
  const int64_t actual = node.shape(input)[dimension];
  if (!conflict(actual, wanted)) return {};
  return invalid("Dimension ", dimension, " of ", describe_input(node, input), " (", actual, ") is not ",
                 what, " (", wanted, ").");
}

Status require_vector(const NodeView& node, size_t input, int64_t length, std::string_view what) {
  if (node.shape(input).empty()) {
    if (!conflict(1, length)) return {};
    return invalid("The one element of ", describe_input(node, input), " is not ", what, " (", length, ").");
  }
  NNRT_TRY(require_rank(node, input, 1, 1));
  return require_dimension(node, input, 0, length, what);
}

Status require_at_least(std::span<const int64_t> values, int64_t min, std::string_view what) {
  for (const int64_t value : values) {
    if (value < min) return invalid(what, " (", value, ") is below ", min, ".");
  }
  return {};
}

Status check_boolean_activation(const NodeView& node) {
  if (!all_boolean(node) || !node.attrs().has(Attr::activation)) return {};
  const int64_t activation = node.attrs().integer(Attr::activation);
  if (activation == int64_t(Activation::none)) return {};
  return invalid("Activation (", activation, ") is not 0, which is the only one for a BOOL result.");
}

Status refuse_quantized(const NodeView& node) {
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (has_quantized_values(node.schema(), node.input(i))) {
      return unsupported("Quantization of ", describe_input(node, i), " is not supported.");
    }
  }
  return {};
}

Shapes unknown_shapes(const NodeView& node) {
  Shapes shapes;
  for (size_t i = 0; i < node.output_count(); ++i) shapes.emplace_back(node.output(i).shape.size(), kUnknown);
  return shapes;
}

std::optional<Shape> unify(const Shape& a, const Shape& b) {
  if (!compatible(a, b)) return std::nullopt;
  Shape result = a;
  if (a.size() != b.size()) return Shape(a.size(), 1);
  for (size_t d = 0; d < a.size(); ++d) result[d] = std::max(a[d], b[d]);
  return result;
}

Result<Shapes> same_shape(const NodeView& node) { return Shapes{node.shape(0)}; }

Result<Shapes> broadcast_shape(const NodeView& node) {
  Shape result = node.shape(0);
  for (size_t i = 1; i < node.input_count(); ++i) {
    NNRT_ASSIGN(result, broadcast(result, node.shape(i)));
  }
  return Shapes{result};
}

Result<Shapes> reduced_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 1, 1, 1));
  if (!node.integers(1)) return unknown_shapes(node);
  NNRT_ASSIGN(const std::vector<size_t> axes, reduced_axes(node));
  const bool keep = node.attrs().flag(Attr::keep_dims);
  Shape shape;
  for (size_t d = 0; d < node.shape(0).size(); ++d) {
    if (!std::binary_search(axes.begin(), axes.end(), d)) {
      shape.push_back(node.shape(0)[d]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  return Shapes{shape};
}

Result<std::optional<Shape>> spelled_shape(const NodeView& node, size_t input, int64_t min) {
  NNRT_TRY(require_rank(node, input, 1, 1));
  if (const auto values = node.integers(input)) {
    NNRT_TRY(require_at_least(*values, min, cat("A value of ", describe_input(node, input))));
    return std::optional<Shape>(*values);
  }
  const int64_t length = node.shape(input).empty() ? 1 : node.shape(input)[0];
  if (length == kUnknown) return std::optional<Shape>();
  if (length > int64_t(kMaxTensorRank)) {
    return unsupported("Length of ", describe_input(node, input), " (", length, ") is above ", kMaxTensorRank,
                       ".");
  }
  return std::optional<Shape>(Shape(size_t(length), kUnknown));
}

}  // namespace nnrt
