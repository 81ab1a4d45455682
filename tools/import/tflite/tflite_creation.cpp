// Operators that create tensors from shapes and numbers.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

void shape(Operator& op) {
  const Shape dimensions = op.input_tensor(0).shape;
  const Tensor result = op.output_tensor();
  const bool is_known = std::ranges::all_of(dimensions, [](int32_t dimension) { return dimension > 0; });
  if (is_known && !op.output_slot().is_output) {
    const auto count = static_cast<int32_t>(dimensions.size());
    op.replace(op.numbers(result.type, {count}, {dimensions.begin(), dimensions.end()}));
  } else if (result.type == OH_NN_INT64) {
    op.write(Op::cast, {op.emit(Op::shape, {op.input(0)}), op.build().type_code(DType::i64)});
  } else {
    op.write({op.input(0)});
  }
}

void rank(Operator& op) {
  if (op.output_slot().is_output) {
    op.write({op.input(0)});
  } else {
    op.replace(op.build().scalar(static_cast<int32_t>(op.input_tensor(0).shape.size())));
  }
}

void fill(Operator& op) { op.write({op.input(1), op.input(0)}); }

void zeros_like(Operator& op) {
  if (is_quantized(op.output_tensor())) op.refuse("is of a quantized tensor");
  op.write({op.number(op.output(), 0), op.emit(Op::shape, {op.input(0)})});
}

// Start, limit and step must be constant; so is the result.
void range(Operator& op) {
  constexpr float kMax = 1 << 16, kMaxExact = 1 << 24;
  const float start = op.real(0);
  const float limit = op.real(1);
  const float step = op.real(2);
  const float count = std::ceil((limit - start) / step);
  if (!(count >= 1 && count <= kMax)) op.refuse("makes no elements, or more than 65536");
  if (std::abs(start) >= kMaxExact || std::abs(limit) >= kMaxExact)
    op.refuse("makes numbers of 16777216 and beyond");
  if (op.output_slot().is_output) op.refuse("makes a constant output of the model");
  List<float> values;
  values.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < static_cast<int32_t>(count); ++i)
    values.push_back(start + static_cast<float>(i) * step);
  switch (op.output_tensor().type) {
    case OH_NN_FLOAT32: op.replace(op.build().vector(values)); return;
    case OH_NN_INT32: op.replace(op.build().vector(List<int32_t>(values.begin(), values.end()))); return;
    case OH_NN_INT64: op.replace(op.build().vector(List<int64_t>(values.begin(), values.end()))); return;
    default: op.refuse("makes numbers of a type other than INT32, INT64 and FLOAT32");
  }
}

void write_shape(NodeWriter& node) {
  format::ShapeOptionsT options;
  options.out_type = format::TensorType::INT32;
  node.write(SHAPE, options, node.inputs, node.outputs);
}

void write_rank(NodeWriter& node) { node.write(RANK, node.inputs, node.outputs); }

void write_fill(NodeWriter& node) { node.write(FILL, {node.narrowed(1), node.inputs[0]}, node.outputs); }

void write_constant_of_shape(NodeWriter& node) {
  node.use(Attr::data_type);  // that of the result
  if (node.output_dtype() != DType::f32) node.refuse("a value for ", name(node.output_dtype()));
  const int32_t shape = node.narrowed(0);
  node.write(FILL, {shape, node.number(static_cast<float>(node.real(Attr::value)))}, node.outputs);
}

constexpr Row kCreationRows[] = {
    {SHAPE, 1, 1, Numbers::any, shape, Op::shape, write_shape},
    {RANK, 1, 1, Numbers::any, rank, Op::rank, write_rank},
    {FILL, 2, 2, Numbers::any, fill, Op::fill, write_fill},
    {ZEROS_LIKE, 1, 1, Numbers::any, zeros_like, Op::fill},
    {RANGE, 3, 3, Numbers::any, range},
    written(FILL, Op::constant_of_shape, Numbers::real, write_constant_of_shape),
};

}  // namespace

std::span<const Row> creation_rows() { return kCreationRows; }

}  // namespace nnrt::import::tflite
