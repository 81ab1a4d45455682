// SVDF: filters over the features of a step, and over a memory of their past results.
#include "tools/import/tflite/formulas/tflite_formula.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

constexpr size_t kFeatureWeights = 1, kTimeWeights = 2, kBias = 3, kMemory = 4;

// A unit sums `rank` filters. The memory starts as zeros in each run, so only its newest element matters.
struct Filters {
  int32_t count = 0, features = 0, units = 0, rank = 0;
  std::vector<float> weights;  // [count, features]
  std::vector<float> newest;   // the time weight of each filter's newest result
};

Result<std::vector<float>> constant_floats(Operator& op, size_t i) {
  const auto values = op.build().floats(op.input(i), op.input_slot(i).quantized_dimension);
  if (!values) return op.refuse("needs input " + std::to_string(i) + " to be a constant of floats");
  return *values;
}

Result<Filters> filters_of(Operator& op) {
  const Shape features = op.input_tensor(kFeatureWeights).shape, time = op.input_tensor(kTimeWeights).shape;
  const int32_t rank = op.options<format::SVDFOptions>().rank();
  if (features.size() != 2 || time.size() != 2 || features[0] != time[0] || features[0] < 1 ||
      features[1] < 1 || time[1] < 1 || rank < 1 || features[0] % rank != 0)
    return op.damaged("has filters with mismatched shapes");
  Filters filters{features[0], features[1], features[0] / rank, rank, {}, {}};
  NNRT_ASSIGN(filters.weights, constant_floats(op, kFeatureWeights));
  NNRT_ASSIGN(const std::vector<float> weights, constant_floats(op, kTimeWeights));
  const auto steps = static_cast<size_t>(time[1]);
  for (size_t i = steps - 1; i < weights.size(); i += steps) filters.newest.push_back(weights[i]);
  return filters;
}

// A quantized bias is in units of the memory's scale times the time weights' scale.
Result<std::vector<float>> bias_values(Operator& op, const Filters& filters) {
  std::vector<float> bias(static_cast<size_t>(filters.units), 0);
  if (!op.has(kBias)) return bias;
  if (op.input_tensor(kBias).type != OH_NN_INT32) {
    NNRT_ASSIGN(bias, constant_floats(op, kBias));
  } else {
    const Quantization memory = op.input_tensor(kMemory).quantization,
                       time = op.input_tensor(kTimeWeights).quantization;
    NNRT_ASSIGN(const std::vector<int64_t> values, op.integers(kBias));
    if (memory.empty() || time.empty()) return op.damaged("has a quantized bias but float operands");
    bias.clear();
    for (const int64_t value : values)
      bias.push_back(static_cast<float>(memory.scales[0] * time.scales[0] * static_cast<double>(value)));
  }
  if (bias.size() != static_cast<size_t>(filters.units)) return op.damaged("has a bias of the wrong size");
  return bias;
}

// Combined feature weights per unit.
std::vector<float> unit_weights(const Filters& filters) {
  const auto features = static_cast<size_t>(filters.features), rank = static_cast<size_t>(filters.rank);
  std::vector<float> sums(static_cast<size_t>(filters.units) * features, 0);
  for (size_t filter = 0; filter < filters.newest.size(); ++filter)
    for (size_t i = 0; i < features; ++i)
      sums[filter / rank * features + i] += filters.newest[filter] * filters.weights[filter * features + i];
  return sums;
}

// Filter results, rounded and saturated like the memory of 16 or 8 bits.
TensorId stored(Formula& f, TensorId x, const Tensor& memory) {
  const double scale = memory.quantization.scales[0];
  const float zero = static_cast<float>(memory.quantization.zero_points[0]);
  const float half = memory.type == OH_NN_INT16 ? 32768 : 128;
  const TensorId steps = f.emit(OH_NN_OPS_ROUND, {f.mul(x, static_cast<float>(1 / scale))});
  return f.mul(f.clip(steps, -half - zero, half - 1 - zero), static_cast<float>(scale));
}

Status svdf(Operator& op) {
  NNRT_ASSIGN(const Filters filters, filters_of(op));
  NNRT_ASSIGN(const std::vector<float> bias, bias_values(op, filters));
  Formula f(op);
  NetworkBuilder& build = op.build();
  const TensorId x = f.operand(0), offset = build.vector(bias), target = op.result();
  const Activation activation = op.options<format::SVDFOptions>().activation();
  const TensorId sum = activation == Activation::NONE ? target : build.temporary_like(target);
  const Tensor memory = op.input_tensor(kMemory);
  if (memory.quantization.empty()) {
    const Shape shape{filters.units, filters.features};
    NNRT_TRY(f.write(sum, OH_NN_OPS_FULL_CONNECTION,
                     {x, build.constant<float>(shape, unit_weights(filters)), offset}));
  } else {
    const TensorId weights = build.constant<float>({filters.count, filters.features}, filters.weights);
    const TensorId results = stored(f, f.emit(OH_NN_OPS_FULL_CONNECTION, {x, weights}), memory);
    TensorId weighted = f.mul(results, build.vector(filters.newest));
    if (filters.rank > 1) {
      weighted = f.reduce(OH_NN_OPS_REDUCE_SUM, f.reshape(weighted, {-1, filters.units, filters.rank}), 2);
      weighted = f.reshape(weighted, {-1, filters.units});
    }
    NNRT_TRY(f.write(sum, OH_NN_OPS_ADD, {weighted, offset}));
  }
  return activation == Activation::NONE ? Status{} : op.activate(activation, sum, target);
}

constexpr Row kSvdfRows[] = {
    {SVDF, 5, 5, Numbers::real, svdf, OH_NN_OPS_FULL_CONNECTION},
};

}  // namespace

std::span<const Row> svdf_rows() { return kSvdfRows; }

}  // namespace nnrt::import::tflite
