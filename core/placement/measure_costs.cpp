#include "core/placement/measure_costs.h"

#include "core/base/text.h"
#include "core/device/node_cost.h"
#include "core/platform/log.h"
#include "core/schema/graph_builder.h"

#include <algorithm>
#include <optional>

namespace nnrt {
namespace {

constexpr auto kMaxTime = std::chrono::milliseconds(70);  // no probe starts after this
constexpr int kRuns = 3;                                  // the first is a warm-up
constexpr double kPerMicrosecond = 1e3;                   // for rates per nanosecond

// A chain of one operator that no device fuses or drops.
GraphPtr chain(Op op, const Shape& shape, size_t count) {
  GraphBuilder builder;
  const auto add = [&](const Shape& added) {
    Tensor tensor;
    tensor.dtype = DType::f32;
    tensor.shape = added;
    static_cast<void>(builder.add_tensor(std::move(tensor)));
    return TensorId(builder.tensor_count() - 1);
  };
  const TensorId input = add(shape);
  TensorId last = input;
  for (size_t i = 0; i < count; ++i) {
    std::vector<TensorId> inputs{last};
    if (op == Op::matmul) {
      inputs.push_back(add({shape.back(), shape.back()}));
      const Bytes weights(size_t(shape.back() * shape.back()) * sizeof(float));
      static_cast<void>(builder.set_data(inputs.back(), weights));
    }
    last = add(shape);
    static_cast<void>(builder.add_operation(static_cast<int>(op), {}, inputs, std::vector{last}));
  }
  const bool made = builder.specify(std::vector{input}, std::vector{last}).ok() && builder.finish().ok();
  return made ? builder.graph() : nullptr;
}

Cost cost_of_last(const Graph& graph) {
  return cost_of(graph, graph.nodes.back(), graph.shapes).value_or(Cost{});
}

class Meter {
 public:
  explicit Meter(Device& device) : device_(device) {}

  // The shortest time of a few runs in microseconds. Empty if the device does not support the graph, or the
  // time budget is used up.
  std::optional<double> time(const GraphPtr& graph) const {
    if (graph == nullptr || Clock::now() - begin_ > kMaxTime) return {};
    const std::vector<Refusal> refusals = refusals_of(device_, *graph, {});
    if (std::ranges::any_of(refusals, [](const Refusal& refusal) { return refusal.has_value(); })) return {};
    auto model = device_.prepare(graph, {});
    auto input = view_of(*graph, graph->inputs[0]), output = view_of(*graph, graph->outputs[0]);
    if (!model.ok() || !input || !output) return {};
    std::optional<double> shortest;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<OutputSlot> slots{{*output, false}};
      const auto begin = Clock::now();
      if (!model.value()->run(std::span(&*input, 1), slots, {}).ok()) return {};
      const double time = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      if (run > 0) shortest = std::min(shortest.value_or(time), time);
    }
    return shortest;
  }

 private:
  static std::optional<TensorView> view_of(const Graph& graph, TensorId id) {
    const size_t bytes = byte_size(DType::f32, graph.shapes[id]).value_or(0);
    auto memory = SharedMemory::create(bytes);
    if (!memory.ok()) return {};
    return TensorView{std::move(memory).value(), 0, bytes, graph.shapes[id]};
  }

  Device& device_;
  const Clock::time_point begin_ = Clock::now();
};

// Rate computed from the time above a known baseline; empty if the difference is noise.
std::optional<double> rate(double amount, double microseconds) {
  if (microseconds < 0.5) return {};
  return amount / (microseconds * kPerMicrosecond);
}

// Uses a product the size of a layer in an image network; if that is too fast to measure, a larger one.
std::optional<double> measure_gemm(const Meter& meter, double node_us) {
  constexpr size_t kProducts = 2;
  for (const Shape& shape : {Shape{128, 512}, Shape{1024, 1024}}) {
    const GraphPtr one = chain(Op::matmul, shape, 1);
    const auto first = meter.time(one), all = meter.time(chain(Op::matmul, shape, 1 + kProducts));
    if (!first || !all) return {};
    const double each = (*all - *first) / kProducts;
    if (each < 2 * node_us && shape.front() < 1024) continue;
    return rate(double(cost_of_last(*one).flops), each - node_us);
  }
  return {};
}

// Measures memory traffic inside a partition, then transfers across its border.
void measure_bytes(const Meter& meter, const DeviceCosts& table, DeviceCosts& costs) {
  const Shape large{1024, 1024};
  const GraphPtr moved = chain(Op::softmax, large, 1);
  const auto whole = meter.time(moved);
  const double bytes = double(cost_of_last(*moved).bytes);
  double inside = 0;
  for (const size_t count : {2, 16}) {  // more nodes if a few are noise
    const auto longer = meter.time(chain(Op::softmax, large, 1 + count));
    if (!whole || !longer) return;
    inside = std::max((*longer - *whole) / double(count) - costs.node_us, 0.0);
    if (inside > 4 * costs.node_us) break;
  }
  // A softmax is not purely memory-bound, so the device is assumed to be at least as fast as its table says.
  if (const auto gbytes = rate(bytes, inside))
    costs.gbytes = std::max(*gbytes, std::min(table.gbytes, 4 * *gbytes));
  if (table.transfer_gbytes <= 0) return;
  const double fixed = costs.partition_us + costs.node_us;
  if (const auto gbytes = rate(bytes, *whole - fixed - inside)) costs.transfer_gbytes = *gbytes;
}

}  // namespace

DeviceCosts measure_costs(Device& device, const DeviceCosts& table) {
  constexpr size_t kChain = 9;
  const GraphPtr small = chain(Op::softmax, {1, 4}, 1);
  // The first model opens the device, which takes the driver longest.
  if (!Meter(device).time(small)) return table;
  const Meter meter(device);
  const auto one = meter.time(small), many = meter.time(chain(Op::softmax, {1, 4}, kChain));
  if (!one || !many) return table;
  DeviceCosts costs = table;
  costs.rough = false;
  costs.node_us = std::max((*many - *one) / double(kChain - 1), 0.02);
  costs.partition_us = std::max(*one - costs.node_us, 0.1);
  if (const auto gflops = measure_gemm(meter, costs.node_us)) {
    const double scale = *gflops / table.gflops[static_cast<size_t>(CostClass::gemm)];
    for (double& each : costs.gflops) each *= scale;
  }
  measure_bytes(meter, table, costs);
  log(LogLevel::debug, cat("Measured ", device.info().name, ": ", costs.partition_us, " us per step, ",
                           costs.node_us, " us per node, ", costs.gflops[0], " GFLOP/s, ", costs.gbytes,
                           " GB/s, borders ", costs.transfer_gbytes, " GB/s."));
  return costs;
}

}  // namespace nnrt
