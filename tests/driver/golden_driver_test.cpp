// Every golden case through the driver: graph, nodes with bytes, graph, device. The results are those without
// the detour, bit for bit, without further copies.
#include "api/driver/v1_0_device.h"
#include "backends/devices.h"
#include "backends/plugin/plugin_device.h"
#include "core/platform/counters.h"
#include "core/runtime/execution.h"
#include "tests/support/byte_driver.h"
#include "tests/support/golden_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace nnrt::test {
namespace {

// Memory of the device, as clients use it.
TensorView view_in(Device& device, size_t bytes, Shape shape = {}) {
  auto memory = device.allocate(std::max<size_t>(bytes, 1)).value();
  return {std::move(memory), 0, std::max<size_t>(bytes, 1), std::move(shape)};
}

// The outputs of each run; empty if a run fails.
std::vector<Bytes> outputs_of(const std::shared_ptr<const CompiledModel>& model, Device& device,
                              const conformance::Case& golden) {
  Execution execution(model);
  std::vector<Bytes> results;
  for (const conformance::Run& run : golden.runs) {
    std::vector<TensorView> inputs;
    std::vector<OutputSlot> outputs;
    for (const conformance::Value& value : run.inputs) {
      inputs.push_back(view_in(device, value.data.size(), {value.shape.begin(), value.shape.end()}));
      std::ranges::copy(std::as_bytes(std::span(value.data)), inputs.back().data());
    }
    for (const conformance::Value& value : run.outputs)
      outputs.push_back({view_in(device, value.data.size())});
    const Status status = execution.run(inputs, outputs, Clock::now() + std::chrono::minutes(5));
    if (!status.ok()) {
      ADD_FAILURE() << golden.name << ": " << status.error().message;
      return {};
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(outputs[i].view.shape, Shape(run.outputs[i].shape.begin(), run.outputs[i].shape.end()));
      const std::byte* const data = outputs[i].view.data();
      results.emplace_back(data, data + run.outputs[i].data.size());
    }
  }
  return results;
}

// Bytes that the CPU copied, and copies of the device.
uint64_t copies() { return counters().bytes_copied + counters().device_copies; }

struct Way {
  size_t enum_bytes;
  bool is_v1_0;
  int operators;  // of the interface's version
  std::shared_ptr<Device> device = {};
  std::set<Op> sent = {};
  size_t wholly = 0, partly = 0;
};
std::shared_ptr<hdi::INnrtDevice> driver_of(const Way& way, std::vector<std::shared_ptr<Device>> devices) {
  auto driver = std::make_unique<ByteDriver>(std::move(devices), way.enum_bytes);
  if (!way.is_v1_0) return driver;
  return std::make_shared<::nnrt::hdi::V1_0::Adapter>(
      std::make_shared<driver::V1_0Device>(std::move(driver)));
}

TEST(GoldenDriver, HasTheResultsOfItsDevice) {
  const char* const chosen = std::getenv("NNRT_DRIVER_DEVICES");
  const auto devices = builtin_devices(builtin_selection(chosen == nullptr ? "vulkan,cpu" : chosen));
  Device& first = *devices.front();
  Device& cpu = *devices.back();
  std::vector<Way> ways{{8, false, 108}};
  if (&first == &cpu) ways.insert(ways.end(), {{4, false, 108}, {8, true, 63}});
  for (Way& way : ways) way.device = plugin::make_device(driver_of(way, devices)).value();
  conformance::Collection collection;
  conformance::load(NNRT_GOLDEN_CASES, collection);
  for (const conformance::Case& golden : collection.cases) {
    const Composed composed = compose(golden);
    if (!composed.graph || golden.reject || golden.runs.empty()) continue;
    const auto direct = compile(composed.graph, first, &cpu, {});
    ASSERT_TRUE(direct.ok()) << golden.name << ": " << direct.error().message;
    const uint64_t start = copies();
    const std::vector<Bytes> expected = outputs_of(direct.value(), first, golden);
    const uint64_t copied = copies() - start;
    for (Way& way : ways) {
      const auto through = compile(composed.graph, *way.device, &cpu, {});
      ASSERT_TRUE(through.ok()) << golden.name << ": " << through.error().message;
      bool is_whole = true;
      for (const PlacedNode& node : through.value()->placement) {
        if (node.reason.empty())
          way.sent.insert(node.op);
        else
          is_whole = false;
      }
      ++(is_whole ? way.wholly : way.partly);
      const bool is_comparable = &first == &cpu ||
                                 // Otherwise parts of it are on the CPU instead of the first device.
                                 (is_whole &&
                                  // Sent and read as the equal CONV2D, whose kernel may sum in another order.
                                  golden.name != "depthwise_conv2d_native/f32_one_channel");
      if (!is_comparable) continue;
      const uint64_t middle = copies();
      EXPECT_TRUE(outputs_of(through.value(), *way.device, golden) == expected) << golden.name;
      if (is_whole) {
        EXPECT_LE(copies() - middle, copied) << golden.name;
      }
    }
  }
  for (const Way& way : ways) {
    EXPECT_GT(way.wholly, way.is_v1_0 ? 1000 : way.partly);
    EXPECT_EQ(std::ranges::count_if(way.sent, [](Op op) { return !is_extension(op); }), way.operators);
  }
}

}  // namespace
}  // namespace nnrt::test
