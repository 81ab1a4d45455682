// Tensors created from shapes and parameters rather than input elements.
#include "core/schema/operators/selections.h"
#include "core/schema/rules.h"

namespace nnrt {
namespace {

Result<Shapes> shape_of_values(const NodeView& node, size_t input, int64_t min) {
  NNRT_ASSIGN(const std::optional<Shape> shape, spelled_shape(node, input, min));
  return shape ? Shapes{*shape} : unknown_shapes(node);
}

Result<Shapes> fill_shape(const NodeView& node) {
  NNRT_TRY(require_one_element(node, 0));
  return shape_of_values(node, 1, 1);
}

OpSchema fill() {
  return {.op = Op::fill,
          .inputs = {{.name = "value", .dtypes = kAny}, value_input("shape")},
          .outputs = {{.name = "output"}},
          .infer = fill_shape};
}

Status check_data_type(const NodeView& node) {
  if (!node.attrs().has(Attr::data_type)) return {};
  const int64_t code = node.attrs().integer(Attr::data_type);
  const auto dtype = dtype_of_code(code);
  if (!dtype) return invalid("Data type (", code, ") is not the code of a dtype.");
  if (*dtype == node.output(0).dtype) return {};
  return invalid("Data type (", code, ", ", name(*dtype), ") is not the output's (",
                 name(node.output(0).dtype), ").");
}

OpSchema constant_of_shape() {
  return {.op = Op::constant_of_shape,
          .inputs = {value_input("shape")},
          .params = {integer_param(Param::constant_of_shape_data_type, Attr::data_type),
                     real_param(Param::constant_of_shape_value, Attr::value, 0)},
          .outputs = {{.name = "output", .rule = DTypeRule::from_attrs, .dtypes = kNum | DType::boolean}},
          .infer = [](const NodeView& node) { return shape_of_values(node, 0, 0); },
          .check = check_data_type};
}

Result<Shapes> range_shape(const NodeView& node) {
  const size_t inputs = node.input_count();
  if (inputs != 1 && inputs != 4) return invalid("Number of inputs (", inputs, ") is neither 1 nor 4.");
  for (size_t i = 1; i < inputs; ++i) NNRT_TRY(require_one_element(node, i));
  NNRT_ASSIGN(const std::optional<Progression> range, progression(node));
  return Shapes{Shape{range ? range->count : kUnknown}};
}

OpSchema range() {
  const auto number = [](std::string_view name) {
    return optional({.name = name, .same_as = 0, .value = true});
  };
  return {.op = Op::range,
          .inputs = {{.name = "input", .dtypes = kFloat | kIndex | DType::f64},
                     number("start"),
                     number("limit"),
                     number("delta")},
          .params = {integer_param(Param::range_start, Attr::start, 0),
                     integer_param(Param::range_limit, Attr::limit, 0),
                     integer_param(Param::range_delta, Attr::delta, 1)},
          .outputs = {{.name = "output"}},
          .infer = range_shape};
}

Result<Shapes> shape_shape(const NodeView& node) {
  const size_t rank = node.shape(0).size();
  if (rank == 0) return invalid("A scalar has no dimensions.");
  return Shapes{Shape{int64_t(rank)}};
}

Result<Shapes> rank_shape(const NodeView&) { return Shapes{Shape{1}}; }

OpSchema describe(Op op, InferFunction infer) {
  return {.op = op,
          .inputs = {{.name = "input", .dtypes = kAny}},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::i32}},
          .infer = infer};
}

}  // namespace

std::vector<OpSchema> creation_rows() {
  return {fill(), constant_of_shape(), range(), describe(Op::shape, shape_shape),
          describe(Op::rank, rank_shape)};
}

}  // namespace nnrt
