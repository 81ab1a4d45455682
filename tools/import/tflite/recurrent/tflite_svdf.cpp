// SVDF: filters over the features of a step, and over a memory of their past results.
#include "tools/import/tflite/recurrent/tflite_state.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

constexpr size_t kFeatureWeights = 1, kTimeWeights = 2, kBias = 3, kMemory = 4;

// A unit sums `rank` filters.
struct Filters {
  int32_t count = 0, features = 0, units = 0, rank = 0, steps = 0;
  List<float> weights;  // [count, features]
  List<float> time;     // [count, steps], the newest step last

  // The time weight of each filter's newest result.
  List<float> newest() const {
    List<float> weights_of_last;
    const auto each = static_cast<size_t>(steps);
    for (size_t i = each - 1; i < time.size(); i += each) weights_of_last.push_back(time[i]);
    return weights_of_last;
  }
};

Filters filters_of(Operator& op) {
  const Shape features = op.input_tensor(kFeatureWeights).shape, time = op.input_tensor(kTimeWeights).shape;
  const int32_t rank = op.options<format::SVDFOptions>().rank();
  if (features.size() != 2 || time.size() != 2 || features[0] != time[0] || features[0] < 1 ||
      features[1] < 1 || time[1] < 1 || rank < 1 || features[0] % rank != 0)
    op.damaged("has filters with mismatched shapes");
  Filters filters{features[0], features[1], features[0] / rank, rank, time[1], {}, {}};
  filters.weights = constant_floats(op, kFeatureWeights, "feature weights");
  filters.time = constant_floats(op, kTimeWeights, "time weights");
  return filters;
}

// A quantized bias is in units of the memory's scale times the time weights' scale.
List<float> bias_values(Operator& op, const Filters& filters) {
  List<float> bias(static_cast<size_t>(filters.units), 0);
  if (!op.has(kBias)) return bias;
  if (op.input_tensor(kBias).type != OH_NN_INT32) {
    bias = constant_floats(op, kBias, "biases");
  } else {
    const Quantization memory = op.input_tensor(kMemory).quantization,
                       time = op.input_tensor(kTimeWeights).quantization;
    const List<int64_t> values = op.integers(kBias);
    if (memory.empty() || time.empty()) op.damaged("has a quantized bias but float operands");
    bias.clear();
    for (const int64_t value : values)
      bias.push_back(static_cast<float>(memory.scales[0] * time.scales[0] * static_cast<double>(value)));
  }
  if (bias.size() != static_cast<size_t>(filters.units)) op.damaged("has a bias of the wrong size");
  return bias;
}

// Feature weights per unit, if the memory starts as zeros and only its newest results count.
List<float> unit_weights(const Filters& filters) {
  const auto features = static_cast<size_t>(filters.features), rank = static_cast<size_t>(filters.rank);
  const List<float> newest = filters.newest();
  List<float> sums(static_cast<size_t>(filters.units) * features, 0);
  for (size_t filter = 0; filter < newest.size(); ++filter)
    for (size_t i = 0; i < features; ++i)
      sums[filter / rank * features + i] += newest[filter] * filters.weights[filter * features + i];
  return sums;
}

// Filter results, rounded and saturated like a memory of 16 or 8 bits.
TensorId stored(Operator& op, TensorId x, const Tensor& memory) {
  if (memory.quantization.empty()) return x;
  const double scale = memory.quantization.scales[0];
  const float zero = static_cast<float>(memory.quantization.zero_points[0]);
  const float half = memory.type == OH_NN_INT16 ? 32768 : 128;
  const TensorId steps = op.emit(Op::round, {op.mul(x, static_cast<float>(1 / scale))});
  return op.mul(op.clip(steps, -half - zero, half - 1 - zero), static_cast<float>(scale));
}

// The memory [batch, count, steps] with the results [batch, count] in place of the oldest ones, kept for the
// next run.
TensorId remembered(Operator& op, const Filters& filters, TensorId results) {
  const Shape shape = op.input_tensor(kMemory).shape;
  if (shape.size() != 2 || shape[1] != filters.count * filters.steps)
    op.damaged("has a memory of the wrong size");
  TensorId memory = op.reshape(results, {-1, filters.count, 1});
  const TensorId before = state_floats(op, kMemory);
  if (filters.steps > 1) {
    const TensorId all = op.reshape(before, {-1, filters.count, filters.steps});
    memory = op.concat({op.slice(all, 2, 1, filters.steps), memory}, 2);
  }
  write_state(op, kMemory, Op::reshape,
              {memory, op.build().vector<int64_t>({-1, filters.count * filters.steps})});
  return memory;
}

// Sums x, which holds `each` values per filter, weighted over the filters of a unit: [batch, units].
TensorId unit_sums(Operator& op, const Filters& filters, TensorId x, const List<float>& weights,
                   int32_t each) {
  const int32_t length = filters.rank * each;
  if (length == 1) return op.mul(x, op.build().vector(weights));
  const TensorId weighted =
      op.mul(op.reshape(x, {-1, filters.units, length}),
             op.build().constant<float>({filters.units, length}, std::span<const float>(weights)));
  return op.reshape(op.sum(weighted, {2}), {-1, filters.units});
}

void svdf(Operator& op) {
  const Filters filters = filters_of(op);
  const List<float> bias = bias_values(op, filters);
  NetworkBuilder& build = op.build();
  const TensorId x = op.operand(0), offset = build.vector(bias), target = op.result();
  const Activation activation = op.options<format::SVDFOptions>().activation();
  const TensorId sum = activation == Activation::NONE ? target : build.temporary_like(target);
  const Tensor memory = op.input_tensor(kMemory);
  if (memory.quantization.empty() && !op.keeps_state(kMemory)) {
    const Shape shape{filters.units, filters.features};
    op.write_to(sum, Op::full_connection, {x, build.constant<float>(shape, unit_weights(filters)), offset});
  } else {
    const TensorId weights = build.constant<float>({filters.count, filters.features}, filters.weights);
    const TensorId results = stored(op, op.emit(Op::full_connection, {x, weights}), memory);
    const TensorId units = op.keeps_state(kMemory) ? unit_sums(op, filters, remembered(op, filters, results),
                                                               filters.time, filters.steps)
                                                   : unit_sums(op, filters, results, filters.newest(), 1);
    op.write_to(sum, Op::add, {units, offset});
  }
  if (activation != Activation::NONE) op.activate(activation, sum, target);
}

constexpr Row kSvdfRows[] = {
    {SVDF, 5, 5, Numbers::real, svdf, Op::full_connection},
};

}  // namespace

std::span<const Row> svdf_rows() { return kSvdfRows; }

}  // namespace nnrt::import::tflite
