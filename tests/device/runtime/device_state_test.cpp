// In-place state on the device.
#include "backends/cpu/engine/cpu_device.h"
#include "core/device/residence.h"
#include "tests/device/device_fixture.h"
#include "tests/support/state_graphs.h"

namespace nnrt::test {
namespace {

void expect_near(const std::vector<std::vector<float>>& states,
                 const std::vector<std::vector<float>>& wanted) {
  ASSERT_EQ(states.size(), wanted.size());
  for (size_t step = 0; step < states.size(); ++step) {
    for (size_t i = 0; i < states[step].size(); ++i) ASSERT_NEAR(states[step][i], wanted[step][i], 1e-5f);
  }
}

// In-place state is also correct if the device must copy it after the last step, for example when a program
// that cannot work in place takes over.
TEST(State, InPlaceUpdateMatchesCpu) {
  for (const bool bind_host_memory : {true, false}) {
    vulkan::DevicePlan plan = first_plan();
    plan.host.binds = plan.host.binds && bind_host_memory;
    for (const StateGraph& state : {replaced_row(), joined_rows(), mixed_rows(), read_afterwards()}) {
      SCOPED_TRACE(state.name);
      const auto wanted = run_state(*prepare(*cpu::make_device(), state.graph), state, false);
      const auto model = prepare(*make_device(plan), state.graph);
      expect_near(run_state(*model, state, false), wanted);
      expect_near(run_state(*model, state, true), wanted);
    }
  }
}

TEST(State, UpdatesInPlaceIfReadFirst) {
  EXPECT_TRUE(prepare(*make_device(), mixed_rows().graph)->may_share(0, 0));
  EXPECT_FALSE(prepare(*make_device(), read_afterwards().graph)->may_share(0, 0));
}

// One dispatch reads the state and writes the next one.
TEST(State, IsNotOverwrittenByItsReader) {
  EXPECT_FALSE(prepare(*make_device(), replaced_row().graph)->may_share(0, 0));
}

CompileOptions on_device() { return {.extensions = {{"nnrt.device_local", "on"}}}; }
constexpr uint64_t kInputBytes = 4 * sizeof(float);

TensorView resident_view(size_t bytes, const Shape& shape) {
  TensorView view = empty_view(bytes, shape);
  view.residence = std::make_shared<Residence>(view);
  return view;
}

// Runs the state four times from zeros; it is copied to the host only at the end.
std::vector<float> run_resident(PreparedModel& model, bool in_place) {
  TensorView read = resident_view(24 * sizeof(float), {6, 4});
  TensorView written = in_place ? read : resident_view(read.bytes, {6, 4});
  for (int step = 0; step < 4; ++step) {
    const float value = float(step + 1) / 16;
    const std::vector inputs{read, view_of<float>({1, 4}, {value, -value, 2 * value, 0})};
    const Counted counted;
    const Status status = run(model, inputs, written);
    EXPECT_TRUE(status.ok()) << status.error().message;
    if (step > 1) {
      EXPECT_LE(counted.bytes_copied(), kInputBytes);  // if the driver cannot import memory
    }
    if (!in_place) std::swap(read, written);
  }
  const TensorView& last = in_place ? written : read;
  EXPECT_EQ(values_of<float>(last), std::vector<float>(24)) << "the state crossed unasked";
  EXPECT_TRUE(last.residence->read_back().ok());
  return values_of<float>(last);
}

TEST(State, StaysOnTheDeviceUntilTheClientAsks) {
  for (const StateGraph& state : {replaced_row(), joined_rows(), mixed_rows()}) {
    SCOPED_TRACE(state.name);
    const auto reference = prepare(*cpu::make_device(), state.graph);
    ASSERT_FALSE(reference->uses_residence());
    const auto model = prepare(*make_device(), state.graph, on_device());
    ASSERT_TRUE(model->uses_residence());
    std::vector<float> wanted(24);
    TensorView before = view_of<float>({6, 4}, wanted), after = empty_view(before.bytes, {6, 4});
    for (int step = 0; step < 4; ++step) {
      const float value = float(step + 1) / 16;
      ASSERT_TRUE(
          run(*reference, {before, view_of<float>({1, 4}, {value, -value, 2 * value, 0})}, after).ok());
      std::swap(before, after);
    }
    wanted = values_of<float>(before);
    expect_near({run_resident(*model, false)}, {wanted});
    expect_near({run_resident(*model, true)}, {wanted});
  }
}

// Two devices use it in turn, each with its own copy.
TEST(State, MovesBetweenDevices) {
  const StateGraph state = mixed_rows();
  const auto wanted = run_state(*prepare(*cpu::make_device(), state.graph), state, false);
  const auto first = prepare(*make_device(), state.graph, on_device()),
             second = prepare(*make_device(), state.graph, on_device());
  TensorView read = view_of<float>({6, 4}, wanted[0]), written = resident_view(read.bytes, {6, 4});
  read.residence = std::make_shared<Residence>(read);
  for (int step = 1; step < 4; ++step) {
    const float value = float(step + 1) / 16;
    PreparedModel& model = step % 2 == 0 ? *first : *second;
    ASSERT_TRUE(run(model, {read, view_of<float>({1, 4}, {value, -value, 2 * value, 0})}, written).ok());
    std::swap(read, written);
  }
  EXPECT_TRUE(read.residence->read_back().ok());
  expect_near({values_of<float>(read)}, {wanted.back()});
}

}  // namespace
}  // namespace nnrt::test
