// The checks of AddTensor and AddOperation (validate.h).
#include "core/base/check.h"
#include "core/base/element_at.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nnrt {
namespace {

constexpr size_t kMaxRank = 200;
constexpr uint64_t kMaxTensorBytes = std::numeric_limits<uint32_t>::max();

Status check_count(std::string_view what, size_t count, size_t min, size_t max) {
  max = std::min(max, kMaxOperands);
  if (count >= min && count <= max) return {};
  if (min == max) return invalid("Number of ", what, " (", count, ") is not ", min, ".");
  return invalid("Number of ", what, " (", count, ") is outside [", min, ", ", max, "].");
}

// `params` excludes parameters shared by all operators.
Status check_counts(const OpSchema& schema, size_t params, size_t inputs, size_t outputs) {
  NNRT_TRY(check_count("inputs", inputs, schema.min_inputs(), schema.max_inputs()));
  const size_t min = schema.outputs.size();
  NNRT_TRY(check_count("outputs", outputs, min, schema.outputs.back().many ? kManyElements : min));
  if (params <= schema.params.size()) return {};
  return invalid("Number of parameters (", params, ") is above ", schema.params.size(), ".");
}

Status check_roles(const std::vector<Tensor>& tensors, std::span<const uint32_t> operands) {
  for (const uint32_t id : operands) {
    const int role = tensors[id].role;
    if (role != 0) return invalid("Tensor ", id, " is a parameter (type ", role, "), not data.");
  }
  return {};
}

Status check_disjoint(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  for (const uint32_t id : outputs) {
    if (std::find(inputs.begin(), inputs.end(), id) != inputs.end()) {
      return invalid("Tensor ", id, " is both input and output.");
    }
  }
  return {};
}

Status check_constants(const OpSchema& schema, const std::vector<Tensor>& tensors,
                       std::span<const uint32_t> inputs) {
  for (size_t i = 0; i < std::min(inputs.size(), schema.inputs.size()); ++i) {
    if (schema.inputs[i].constant && !tensors[inputs[i]].is_constant()) {
      return invalid("Data of the ", schema.inputs[i].name, " (tensor ", inputs[i], ") are not set.");
    }
  }
  return {};
}

int64_t integer(ByteView data, DType dtype, size_t i) {
  switch (dtype) {
    case DType::boolean: return data[i] != std::byte{0};
    case DType::i8: return element_at<int8_t>(data, i);
    case DType::u8: return element_at<uint8_t>(data, i);
    case DType::i16: return element_at<int16_t>(data, i);
    case DType::u16: return element_at<uint16_t>(data, i);
    case DType::i32: return element_at<int32_t>(data, i);
    case DType::u32: return element_at<uint32_t>(data, i);
    default: return element_at<int64_t>(data, i);  // also the bits of UINT64
  }
}

double real(ByteView data, DType dtype, size_t i) {
  if (dtype == DType::f16) return double(to_float(element_at<Half>(data, i)));
  if (dtype == DType::f64) return element_at<double>(data, i);
  return double(element_at<float>(data, i));
}

// A pad mode may be given as a pad list and vice versa (R17).
const ParamRow& form_of(const OpSchema& schema, const ParamRow& row, DType dtype) {
  if (!row.either_pad || row.dtypes.contains(dtype)) return row;
  for (const ParamRow& other : schema.params) {
    if (other.either_pad && other.dtypes.contains(dtype)) return other;
  }
  return row;
}

Status check_element_count(const ParamRow& row, size_t count) {
  const auto [min, max] = row.count;
  if (count >= min && count <= max) return {};
  if (min == max) return invalid("Element count of ", row.type_name(), " (", count, ") is not ", min, ".");
  if (max == kManyElements)
    return invalid("Element count of ", row.type_name(), " (", count, ") is below ", min, ".");
  return invalid("Element count of ", row.type_name(), " (", count, ") is outside [", min, ", ", max, "].");
}

Status check_closed_list(const ParamRow& row, const AttrValue& value) {
  if (row.closed_list.empty()) return {};
  for (const int64_t x : value.integers) {
    if (std::find(row.closed_list.begin(), row.closed_list.end(), x) == row.closed_list.end()) {
      return invalid("Value of ", row.type_name(), " (", x, ") is not one of ", to_string(row.closed_list),
                     ".");
    }
  }
  return {};
}

Result<AttrValue> read_value(const ParamRow& row, const Tensor& tensor) {
  if (!tensor.is_constant()) return invalid("Data of ", row.type_name(), " are not set.");
  if (!row.dtypes.contains(tensor.dtype)) {
    return invalid("Dtype of ", row.type_name(), " (", name(tensor.dtype), ") is not one of ",
                   to_string(row.dtypes), ".");
  }
  if (row.rank != kNone && tensor.shape.size() != size_t(row.rank)) {
    return invalid("Rank of ", row.type_name(), " (", tensor.shape.size(), ") is not ", row.rank, ".");
  }
  const size_t count = tensor.data->size() / size_of(tensor.dtype);
  NNRT_TRY(check_element_count(row, count));
  AttrValue value{.dtype = tensor.dtype, .integers = {}, .floats = {}};
  for (size_t i = 0; i < count; ++i) {
    if (is_float(tensor.dtype)) {
      value.floats.push_back(real(*tensor.data, tensor.dtype, i));
    } else {
      value.integers.push_back(integer(*tensor.data, tensor.dtype, i));
    }
  }
  NNRT_TRY(check_closed_list(row, value));
  return value;
}

// The dtype used for a parameter's default.
DType default_dtype(const ParamRow& row) {
  for (const DType dtype : {DType::f32, DType::i64, DType::i32, DType::i8}) {
    if (row.dtypes.contains(dtype)) return dtype;
  }
  return DType::boolean;
}

AttrValue default_value(const ParamRow& row) {
  AttrValue value{.dtype = default_dtype(row), .integers = {}, .floats = {}, .given = false};
  for (const double x : row.default_value) {
    if (is_float(value.dtype)) {
      value.floats.push_back(double(float(x)));
    } else {
      value.integers.push_back(int64_t(x));
    }
  }
  return value;
}

}  // namespace

Status read_param(const OpSchema& schema, const Tensor& tensor, Attrs& attrs) {
  const ParamRow* row = schema.param(tensor.role);
  NNRT_CHECK(row != nullptr, "The tensor is not a parameter of the operator.");
  const ParamRow& form = form_of(schema, *row, tensor.dtype);
  NNRT_ASSIGN(AttrValue value, read_value(form, tensor));
  attrs.set(form.attr, std::move(value));
  return {};
}

namespace {

Result<Attrs> read_params(const OpSchema& schema, const std::vector<Tensor>& tensors,
                          std::span<const uint32_t> params) {
  Attrs attrs = default_attrs(schema);
  for (const uint32_t id : params) {
    const Tensor& tensor = tensors[id];
    if (schema.param(tensor.role) == nullptr) {
      return invalid("Tensor ", id, " is of a type (", tensor.role, ") that the operator does not take.");
    }
    NNRT_TRY(read_param(schema, tensor, attrs));
  }
  return attrs;
}

// Runs the row's own structure check, on a graph of only this node.
Status check_row(const OpSchema& schema, const std::vector<Tensor>& tensors, const Attrs& attrs,
                 std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  if (schema.operation_check == nullptr) return {};
  Graph graph;
  std::vector<Shape> shapes;
  const auto take = [&](uint32_t id) {
    graph.tensors.push_back(tensors[id]);
    shapes.push_back(tensors[id].shape);
    return TensorId(shapes.size() - 1);
  };
  Node node;
  node.op = schema.op;
  node.attrs = attrs;
  for (const uint32_t id : inputs) node.inputs.push_back(take(id));
  for (const uint32_t id : outputs) node.outputs.push_back(take(id));
  return schema.operation_check(NodeView(graph, node, shapes, constant_values(graph)));
}

// Checks the value against the range of its dtype.
bool fits(const AttrValue& value) {
  const auto within = [&](int64_t min, int64_t max) {
    return value.floats.empty() &&
           std::ranges::all_of(value.integers, [&](int64_t x) { return x >= min && x <= max; });
  };
  switch (value.dtype) {
    case DType::boolean: return within(0, 1);
    case DType::i8: return within(INT8_MIN, INT8_MAX);
    case DType::u8: return within(0, UINT8_MAX);
    case DType::i16: return within(INT16_MIN, INT16_MAX);
    case DType::u16: return within(0, UINT16_MAX);
    case DType::i32: return within(INT32_MIN, INT32_MAX);
    case DType::u32: return within(0, UINT32_MAX);
    case DType::i64:
    case DType::u64: return within(INT64_MIN, INT64_MAX);
    case DType::f16:
    case DType::f32:
      return value.integers.empty() && std::ranges::all_of(value.floats, [](double x) {
               return std::isnan(x) || double(float(x)) == x;
             });
    case DType::f64: return value.integers.empty();
    case DType::unknown: break;
  }
  return false;
}

Status check_attr(const OpSchema& schema, Attr attr, const AttrValue& value) {
  for (const ParamRow& row : schema.params) {
    if (row.attr != attr || !row.dtypes.contains(value.dtype)) continue;
    if (!fits(value)) return invalid("Value of ", row.type_name(), " is not one of ", name(value.dtype), ".");
    NNRT_TRY(check_element_count(row, value.count()));
    return check_closed_list(row, value);
  }
  if (const ParamRow& ties = ties_param();
      schema.rounds() && attr == ties.attr && ties.dtypes.contains(value.dtype)) {
    if (!fits(value))
      return invalid("Value of ", ties.type_name(), " is not one of ", name(value.dtype), ".");
    return check_element_count(ties, value.count());
  }
  return invalid("Attribute (", int(attr), ") of ", name(value.dtype), " is not an attribute of ",
                 schema.name, ".");
}

Status check_attrs(const OpSchema& schema, const Attrs& attrs) {
  for (const auto& [attr, value] : attrs.all()) NNRT_TRY(check_attr(schema, attr, value));
  for (const ParamRow& row : schema.params) {
    if (!row.default_value.empty() && !attrs.has(row.attr)) return invalid(row.type_name(), " is absent.");
  }
  return {};
}

}  // namespace

Attrs default_attrs(const OpSchema& schema) {
  Attrs attrs;
  for (const ParamRow& row : schema.params) {
    if (!row.default_value.empty()) attrs.set(row.attr, default_value(row));
  }
  return attrs;
}

Status check_dimensions(const Tensor& tensor) {
  if (tensor.shape.size() > kMaxRank)
    return invalid("Rank (", tensor.shape.size(), ") exceeds ", kMaxRank, ".");
  uint64_t bytes = size_of(tensor.dtype);
  for (const int64_t dimension : tensor.shape) {
    if (dimension != kUnknown && dimension <= 0)
      return invalid("Dimension (", dimension, ") is neither positive nor -1.");
    if (dimension > INT32_MAX) return invalid("Dimension (", dimension, ") exceeds ", INT32_MAX, ".");
    bytes *= dimension == kUnknown ? 1 : static_cast<uint64_t>(dimension);  // both factors are below 2^32
    if (bytes > kMaxTensorBytes)
      return invalid("Shape ", to_string(tensor.shape), " takes more than ", kMaxTensorBytes, " bytes.");
  }
  return {};
}

Status check_role(size_t tensor, int tensor_type) {
  if (!name(Param(tensor_type)).empty()) return {};
  return invalid("Type (", tensor_type, ") of tensor ", tensor, " is not an OH_NN_TensorType.");
}

Status check_operand_count(std::string_view what, size_t count) {
  if (count >= 1 && count <= kMaxOperands) return {};
  return invalid("The number of ", what, " (", count, ") is outside [1, ", kMaxOperands, "].");
}

Result<Attrs> check_operation(const OpSchema& schema, const std::vector<Tensor>& tensors,
                              std::span<const uint32_t> params, std::span<const uint32_t> inputs,
                              std::span<const uint32_t> outputs) {
  const auto is_own = [&](uint32_t id) { return tensors[id].role != ties_param().type(); };
  const auto own_params = size_t(std::ranges::count_if(params, is_own));
  NNRT_TRY(check_counts(schema, own_params, inputs.size(), outputs.size()));
  NNRT_TRY(check_roles(tensors, inputs));
  NNRT_TRY(check_roles(tensors, outputs));
  NNRT_TRY(check_disjoint(inputs, outputs));
  NNRT_TRY(check_constants(schema, tensors, inputs));
  NNRT_ASSIGN(Attrs attrs, read_params(schema, tensors, params));
  NNRT_TRY(check_row(schema, tensors, attrs, inputs, outputs));
  return attrs;
}

Status check_operation(const OpSchema& schema, const std::vector<Tensor>& tensors, const Node& node) {
  const size_t shared = node.attrs.has(ties_param().attr) ? 1 : 0;
  NNRT_TRY(check_counts(schema, node.attrs.all().size() - shared, node.inputs.size(), node.outputs.size()));
  NNRT_TRY(check_roles(tensors, node.inputs));
  NNRT_TRY(check_roles(tensors, node.outputs));
  NNRT_TRY(check_disjoint(node.inputs, node.outputs));
  NNRT_TRY(check_attrs(schema, node.attrs));
  return check_row(schema, tensors, node.attrs, node.inputs, node.outputs);
}

}  // namespace nnrt
