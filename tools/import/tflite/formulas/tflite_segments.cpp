// Segment reductions: slices with the same segment number are combined.
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// The reduction (values of Attr::reduction), which also defines the result of an empty
// segment.
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

TensorId neutral(Operator& op, OH_NN_DataType type, int8_t reduction) {
  if (type == OH_NN_FLOAT32) return op.build().scalar(neutral<float>(reduction));
  if (type == OH_NN_INT32) return op.build().scalar(neutral<int32_t>(reduction));
  if (type == OH_NN_INT64) return op.build().scalar(neutral<int64_t>(reduction));
  op.refuse("combines elements that are neither FLOAT32 nor INT32 nor INT64");
}

// Drops negative segments, which OH_NN would count from the end.
TensorId segments_from_zero(Operator& op, TensorId ids, int64_t count) {
  const bool is_wide = op.build().tensor(ids).type == OH_NN_INT64;
  const auto number = [&](int64_t value) {
    return is_wide ? op.build().scalar(value) : op.build().scalar(static_cast<int32_t>(value));
  };
  return op.where(op.less(ids, number(0)), number(count), ids);
}

// The initial result. The shape of a slice may be dynamic.
TensorId start(Operator& op, TensorId value, int32_t count) {
  const size_t skipped = op.input_tensor(1).shape.size();
  const Shape data = op.input_tensor(0).shape, kept = data.from(skipped);
  Shape shape{count};
  shape.insert(shape.end(), kept.begin(), kept.end());
  TensorId dimensions = 0;
  if (std::ranges::all_of(shape, [](int32_t length) { return length > 0; })) {
    dimensions = op.build().vector(shape);
  } else {
    const TensorId all = op.emit(Op::shape, {op.input(0)});
    dimensions =
        op.concat({op.build().vector<int32_t>({count}),
                   op.slice(all, 0, static_cast<int64_t>(skipped), static_cast<int64_t>(data.size()))},
                  0);
  }
  return op.emit(Op::fill, {value, dimensions}, {}, {.shape = {shape.begin(), shape.end()}});
}

void combine(Operator& op, int64_t count, int8_t reduction) {
  const Tensor data = op.input_tensor(0), ids = op.input_tensor(1);
  if (count < 1 || count > std::numeric_limits<int32_t>::max()) op.damaged("has no segments");
  if (ids.shape.empty() || data.shape.size() < ids.shape.size())
    op.damaged("has segment numbers that do not match its slices");
  const TensorId begin = start(op, neutral(op, data.type, reduction), static_cast<int32_t>(count));
  const TensorId rows =
      op.unsqueeze(segments_from_zero(op, op.input(1), count), {static_cast<int64_t>(ids.shape.size())});
  op.write_to(op.result(), Op::scatter_nd_update, {begin, rows, op.input(0)}, {{Attr::reduction, reduction}});
}

template <int8_t reduction>
void unsorted_segment(Operator& op) {
  const int64_t count = op.integer(2);
  return combine(op, count, reduction);
}

// The last segment number determines how many segments there are.
void segment_sum(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  const auto ids = op.build().integers(op.input(1));
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (ids && !ids->empty()) return combine(op, std::min(ids->back(), kMax) + 1, kSum);
  if (declared.empty() || declared[0] < 1) op.refuse("needs a known number of segments");
  return combine(op, declared[0], kSum);
}

constexpr Row kSegmentRows[] = {
    {SEGMENT_SUM, 2, 2, Numbers::any, segment_sum},
    {UNSORTED_SEGMENT_SUM, 3, 3, Numbers::any, unsorted_segment<kSum>},
    {UNSORTED_SEGMENT_PROD, 3, 3, Numbers::any, unsorted_segment<kProduct>},
    {UNSORTED_SEGMENT_MIN, 3, 3, Numbers::any, unsorted_segment<kMin>},
    {UNSORTED_SEGMENT_MAX, 3, 3, Numbers::any, unsorted_segment<kMax>},
};

}  // namespace

std::span<const Row> segment_rows() { return kSegmentRows; }

}  // namespace nnrt::import::tflite
