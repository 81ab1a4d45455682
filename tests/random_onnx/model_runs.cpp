#include "tests/random_onnx/model_runs.h"

#include "core/base/bytes_of.h"
#include "tests/import/output_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nnrt::test {
namespace {

std::vector<double> numbers_of(int32_t type, const Bytes& bytes) {
  switch (type) {
    case OnnxModel::kFloat16: return as_numbers(OH_NN_FLOAT16, bytes);
    case OnnxModel::kUint8: return as_numbers(OH_NN_UINT8, bytes);
    case OnnxModel::kInt8: return as_numbers(OH_NN_INT8, bytes);
    default: return as_numbers(OH_NN_FLOAT32, bytes);
  }
}

bool is_exact(int32_t type) { return type == OnnxModel::kInt32 || type == OnnxModel::kInt64; }

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers)
    largest = std::isfinite(number) ? std::max(largest, std::fabs(number)) : INFINITY;
  return largest;
}

// Errors scale with values that are larger than expected.
std::optional<std::string> difference(const Drawn& output, const Value& got, const Value& want) {
  constexpr double kMargin = 4;
  if (got.shape != want.shape) return output.name + " has another shape";
  if (is_exact(output.type))
    return got.bytes == want.bytes ? std::nullopt : std::optional(output.name + " has other integers");
  const auto got_numbers = numbers_of(output.type, got.bytes),
             want_numbers = numbers_of(output.type, want.bytes);
  const double grown = std::max(1.0, largest_of(want_numbers) / output.scale);
  const Comparison comparison = compare(got_numbers, want_numbers, {{"abs", kMargin * output.error * grown}});
  if (comparison.failure.empty()) return {};
  return output.name + ": " + comparison.failure + " (largest difference " +
         std::to_string(comparison.largest) + ", allowed " + std::to_string(kMargin * output.error * grown) +
         ")";
}

}  // namespace

std::optional<std::string> difference(const RandomModel& model, const std::vector<Value>& got,
                                      const std::vector<Value>& want) {
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    if (auto found = difference(model.outputs[i], got[i], want[i])) return found;
  }
  return {};
}

bool is_finite(const RandomModel& model, const std::vector<Value>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (is_exact(model.outputs[i].type)) continue;
    if (!std::isfinite(largest_of(numbers_of(model.outputs[i].type, results[i].bytes)))) return false;
  }
  return true;
}

Result<std::vector<Value>> run(const RandomModel& model, const import::Network& network,
                               OH_NN_DeviceType device, bool fused) {
  if (fused) {
    unsetenv("NNRT_TEST_FUSE");
  } else {
    setenv("NNRT_TEST_FUSE", "off", 1);
  }
  std::vector<Value> inputs;
  for (const Feed& feed : model.feeds) {
    inputs.push_back({Shape(feed.value.shape.begin(), feed.value.shape.end()), bytes_of(feed.bytes)});
  }
  std::vector<Shape> shapes;
  for (const Drawn& output : model.outputs) shapes.emplace_back(output.shape.begin(), output.shape.end());
  NNRT_ASSIGN(Session session, Session::open(network, device));
  return session.run(inputs, shapes);
}

// Describes a fault found without ONNX Runtime, using the CPU without fusion as reference.
std::optional<std::string> problem_of(const RandomModel& model, OH_NN_DeviceType device) {
  const auto network = model.file.read();
  if (!network.ok()) return {};
  const auto plain = run(model, network.value(), device, false);
  const auto fused = run(model, network.value(), device, true);
  if (!fused.ok()) return plain.ok() ? std::optional("fused: " + fused.error().message) : std::nullopt;
  if (!plain.ok()) return "not fused: " + plain.error().message;
  if (auto found = difference(model, fused.value(), plain.value()))
    return "fused against not fused: " + *found;
  const auto other = run(model, network.value(), OH_NN_CPU, false);
  if (!other.ok()) return "on the CPU, not fused: " + other.error().message;
  if (auto found = difference(model, fused.value(), other.value())) return "against the CPU: " + *found;
  return {};
}

}  // namespace nnrt::test
