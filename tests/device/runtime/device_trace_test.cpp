// Trace events of a GPU's runs.
#include "tests/device/device_fixture.h"
#include "tests/support/trace_file.h"

namespace nnrt::test {
namespace {

using nlohmann::json;

// x + y and two matrix products, the first with the identity.
GraphPtr small_graph() {
  GraphMaker maker;
  const TensorId x = maker.input({5, 7}), y = maker.input({7});
  std::vector<float> unit(49, 0);
  for (size_t i = 0; i < 7; ++i) unit[8 * i] = 1;
  const TensorId added = maker.op(Op::add, {x, y}, {5, 7});
  const TensorId sum = maker.op(Op::matmul, {added, maker.floats({7, 7}, unit)}, {5, 7});
  const TensorId w = maker.floats({7, 3}, std::vector<float>(21, 0.5f));
  return maker.finish({maker.op(Op::matmul, {sum, w}, {5, 3})});
}

std::vector<float> run_small(PreparedModel& model) {
  return floats_of(model, {view_of<float>({5, 7}, std::vector<float>(35, 1)),
                           view_of<float>({7}, std::vector<float>(7, 2))});
}

double begin_of(const json& event) { return event.at("ts"); }
double end_of(const json& event) { return begin_of(event) + event.at("dur").get<double>(); }

double microseconds_now() {
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

TEST(GpuTrace, OrdersDispatchesWithinTheRun) {
  const auto device = make_device();
  const auto model = prepare(*device, small_graph());
  const TraceFile file;
  const double begin = microseconds_now();
  EXPECT_EQ(run_small(*model), std::vector<float>(15, 10.5f));
  const double end = microseconds_now();
  const auto events = file.events("gpu");
  ASSERT_GE(events.size(), 3u);
  double last = begin;
  for (const json& event : events) {
    EXPECT_GE(begin_of(event), last - 0.002) << event;
    EXPECT_LE(end_of(event), end + 0.002) << event;
    last = end_of(event);
  }
  EXPECT_GT(last, begin_of(events.front())) << "time passes on the device";
}

TEST(GpuTrace, NamesDispatchesAfterTheirNodes) {
  const auto device = make_device();
  const auto model = prepare(*device, small_graph());
  const TraceFile file;
  run_small(*model);
  const auto events = file.events("gpu");
  EXPECT_EQ(events[0].at("name"), "binary_f32 [5,7]");
  EXPECT_EQ(events[0].at("args").at("operator"), "OH_NN_OPS_ADD");
  EXPECT_EQ(events[0].at("args").at("operation"), 0);
  EXPECT_EQ(events[0].at("args").at("device"), device->info().name);
  uint64_t flops = 0;
  for (const json& event : events) {
    if (event.at("args").value("operation", -1) == 2) flops += event.at("args").value("flops", uint64_t{0});
  }
  EXPECT_EQ(flops, 2u * 5 * 7 * 3) << "of the product, once";
  for (const json& event : file.events()) {
    const bool names_track = event.at("name") == "thread_name";
    EXPECT_TRUE(!names_track || event.at("args").at("name") == device->info().name) << event;
  }
}

TEST(GpuTrace, RecordsStagingCopies) {
  vulkan::DevicePlan plan = first_plan();
  plan.host.binds = false;
  const auto model = prepare(*make_device(plan), elementwise(Op::relu, {5}));
  const TraceFile file;
  TensorView y = empty_view(20);
  ASSERT_TRUE(run(*model, {view_of<float>({5}, {-1, 2, -3, 4, -5})}, y).ok());
  std::vector<std::string> names;
  for (const json& event : file.events("gpu")) names.push_back(event.at("name"));
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names.front(), "copy inputs");
  EXPECT_TRUE(names[1].starts_with("unary_f32") && names[1].ends_with(" [5]")) << names[1];  // any variant
  EXPECT_EQ(names.back(), "copy outputs");
}

TEST(GpuTrace, OmitsCopiesOfBoundMemory) {
  vulkan::DevicePlan plan = first_plan();
  plan.host.binds = false;
  plan.host.direct = {.read_tensor = 0, .read = 0, .written = 8192};
  const auto model = prepare(*make_device(plan), elementwise(Op::relu, {5}));
  const TraceFile file;
  TensorView y = empty_view(20);
  ASSERT_TRUE(run(*model, {view_of<float>({5}, {-1, 2, -3, 4, -5})}, y).ok());
  const auto events = file.events("gpu");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("name"), "copy inputs");
  EXPECT_TRUE(events[1].at("name").get<std::string>().starts_with("unary_f32"));
}

TEST(GpuTrace, OfADeviceWithoutTimestampsHasNone) {
  vulkan::DevicePlan plan = first_plan();
  plan.queue.clock.valid_bits = 0;
  const auto model = prepare(*make_device(plan), small_graph());
  const TraceFile file;
  EXPECT_EQ(run_small(*model), std::vector<float>(15, 10.5f));
  EXPECT_TRUE(file.events("gpu").empty());
}

TEST(GpuTrace, MayBeginAndEndBetweenRuns) {
  const auto model = prepare(*make_device(), small_graph());
  run_small(*model);
  for (int i = 0; i < 2; ++i) {
    {
      const TraceFile file;
      run_small(*model);
      EXPECT_GE(file.events("gpu").size(), 3u);
    }
    EXPECT_EQ(run_small(*model), std::vector<float>(15, 10.5f));
  }
}

TEST(GpuTrace, RecordsPipelineCreation) {
  const auto device = make_device();
  const TraceFile file;
  const auto model = prepare(*device, small_graph());
  std::vector<std::string> names;
  for (const json& event : file.events("compile")) names.push_back(event.at("name"));
  EXPECT_EQ(std::count(names.begin(), names.end(), "pipeline binary_f32"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "lower"), 1);
}

TEST(GpuArena, SharesBytesOnlyBetweenSteps) {
  GraphMaker maker;
  TensorId x = maker.input({11, 13});
  for (int i = 0; i < 4; ++i) x = maker.op(Op::softmax, {x}, {11, 13});
  const auto model = prepare(*make_device(), maker.finish({x}));
  const ArenaPlan arena = model->arena();
  ASSERT_EQ(arena.allocations.size(), 3u);
  for (const ArenaPlan::Allocation& a : arena.allocations) {
    EXPECT_LE(a.offset + a.bytes, arena.bytes);
    for (const ArenaPlan::Allocation& b : arena.allocations) {
      if (&a == &b) continue;
      const bool bytes = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      const bool steps = a.first <= b.last && b.first <= a.last;
      EXPECT_FALSE(bytes && steps);
    }
  }
}

}  // namespace
}  // namespace nnrt::test
