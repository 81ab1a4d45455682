// Operators that combine the slices of a segment, whose number each slice has.
#include "tools/import/tflite/tflite_operators.h"

#include <cstring>
#include <limits>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// The result of a segment without slices, by the reduction: 1 adds, 2 multiplies, 3 takes the least, 4 the
// greatest, as OH_NN_SCATTER_ND_UPDATE_REDUCTION says.
enum Reduction : int8_t { kSum = 1, kProduct, kMin, kMax };

template <typename T>
T neutral(int8_t reduction) {
  switch (reduction) {
    case kProduct: return 1;
    case kMin: return std::numeric_limits<T>::max();
    case kMax: return std::numeric_limits<T>::lowest();
    default: return 0;
  }
}

Result<TensorId> neutral(Operator& op, OH_NN_DataType type, int8_t reduction) {
  if (type == OH_NN_FLOAT32) return op.build().scalar(neutral<float>(reduction));
  if (type == OH_NN_INT32) return op.build().scalar(neutral<int32_t>(reduction));
  return op.refuse("combines elements that are neither FLOAT32 nor INT32");
}

// Slices of a negative segment are left out, where OH_NN counts from the end.
TensorId segments_from_zero(Operator& op, int64_t count) {
  NetworkBuilder& build = op.build();
  const Tensor ids = op.input_tensor(1);
  const auto number = [&](int64_t value) {
    return ids.type == OH_NN_INT64 ? build.scalar(value) : build.scalar(static_cast<int32_t>(value));
  };
  const TensorId is_left_out = build.derive(OH_NN_OPS_LESS, {op.input(1), number(0)}, OH_NN_BOOL, ids.shape);
  return build.derive(OH_NN_OPS_WHERE, {is_left_out, number(count), op.input(1)}, ids.type, ids.shape);
}

template <int8_t reduction>
Status segment(Operator& op) {
  NNRT_ASSIGN(const int64_t count, op.integer(2));
  const Tensor data = op.input_tensor(0), ids = op.input_tensor(1);
  if (count < 1 || count > std::numeric_limits<int32_t>::max()) return op.damaged("has no segments");
  if (ids.shape.empty() || data.shape.size() < ids.shape.size())
    return op.damaged("has segments that are not of its slices");
  NetworkBuilder& build = op.build();
  Shape shape = data.shape, tuples = ids.shape;
  shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(ids.shape.size()));
  for (const int32_t size : shape)
    if (size < 1) return op.refuse("needs to know the shape of a slice");
  shape.insert(shape.begin(), static_cast<int32_t>(count));
  tuples.push_back(1);
  NNRT_ASSIGN(const TensorId value, neutral(op, data.type, reduction));
  const TensorId start = build.derive(OH_NN_OPS_FILL, {value, build.vector(shape)}, data.type, shape);
  const TensorId rows =
      build.derive(OH_NN_OPS_UNSQUEEZE, {segments_from_zero(op, count)}, ids.type, tuples,
                   {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {static_cast<int64_t>(ids.shape.size())})});
  op.emit(extension(OH_NN_OPS_SCATTER_ND_UPDATE), {start, rows, op.input(0)},
          {int8_parameter(extension(OH_NN_SCATTER_ND_UPDATE_REDUCTION), reduction)});
  return {};
}

constexpr Row kSegmentRows[] = {
    {UNSORTED_SEGMENT_SUM, 3, 3, Numbers::any, segment<kSum>},
    {UNSORTED_SEGMENT_PROD, 3, 3, Numbers::any, segment<kProduct>},
    {UNSORTED_SEGMENT_MIN, 3, 3, Numbers::any, segment<kMin>},
    {UNSORTED_SEGMENT_MAX, 3, 3, Numbers::any, segment<kMax>},
};

}  // namespace

std::span<const Row> segment_rows() { return kSegmentRows; }

}  // namespace nnrt::import::tflite
