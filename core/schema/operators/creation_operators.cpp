// Tensors created from shapes and parameters rather than input elements.
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
          .since = 12,
          .inputs = {value_input("shape")},
          .params = {integer_param(85, "OH_NN_CONSTANT_OF_SHAPE_DATA_TYPE", Attr::data_type),
                     real_param(86, "OH_NN_CONSTANT_OF_SHAPE_VALUE", Attr::value, 0)},
          .outputs = {{.name = "output", .rule = DTypeRule::from_attrs, .dtypes = kNum | DType::boolean}},
          .infer = [](const NodeView& node) { return shape_of_values(node, 0, 0); },
          .check = check_data_type};
}

// Uses unsigned arithmetic, in which the distance of any two INT64 values fits.
Result<Shapes> range_shape(const NodeView& node) {
  const int64_t start = node.attrs().integer(Attr::start);
  const int64_t limit = node.attrs().integer(Attr::limit);
  const int64_t delta = node.attrs().integer(Attr::delta);
  if (delta == 0) return invalid("Delta is 0.");
  if (delta > 0 ? limit <= start : limit >= start) return Shapes{Shape{0}};
  const uint64_t distance = delta > 0 ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
  const uint64_t step = delta > 0 ? uint64_t(delta) : 0 - uint64_t(delta);
  const uint64_t count = (distance - 1) / step + 1;
  if (count > uint64_t(std::numeric_limits<int64_t>::max())) {
    return invalid("The number of elements (", count, ") does not fit in 63 bits.");
  }
  return Shapes{Shape{int64_t(count)}};
}

OpSchema range() {
  return {.op = Op::range,
          .since = 12,
          .inputs = {{.name = "input", .dtypes = kFloat | kIndex}},
          .params = {integer_param(82, "OH_NN_RANGE_START", Attr::start, 0),
                     integer_param(83, "OH_NN_RANGE_LIMIT", Attr::limit, 0),
                     integer_param(84, "OH_NN_RANGE_DELTA", Attr::delta, 1)},
          .outputs = {{.name = "output"}},
          .infer = range_shape};
}

Result<Shapes> shape_shape(const NodeView& node) {
  const size_t rank = node.shape(0).size();
  if (rank == 0) return invalid("A scalar has no dimensions.");
  return Shapes{Shape{int64_t(rank)}};
}

Result<Shapes> rank_shape(const NodeView&) { return Shapes{Shape{1}}; }

OpSchema describe(Op op, int since_level, InferFunction infer) {
  return {.op = op,
          .since = since_level,
          .inputs = {{.name = "input", .dtypes = kAny}},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::i32}},
          .infer = infer};
}

}  // namespace

std::vector<OpSchema> creation_rows() {
  return {fill(), constant_of_shape(), range(), describe(Op::shape, 9, shape_shape),
          describe(Op::rank, 12, rank_shape)};
}

}  // namespace nnrt
