// State in place on the device.
#include "backends/cpu/engine/cpu_device.h"
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

// A state in place is right also where the device has to copy it there behind the last step, as it does if
// another program takes over that would not do it in place.
TEST(State, IsTheSameInPlaceAsOnTheCpu) {
  for (const bool bind_host_memory : {true, false}) {
    vulkan::DevicePlan plan = first_plan();
    plan.bind_host_memory = plan.bind_host_memory && bind_host_memory;
    for (const StateGraph& state : {replaced_row(), joined_rows(), mixed_rows(), read_afterwards()}) {
      SCOPED_TRACE(state.name);
      const auto wanted = run_state(*prepare(*cpu::make_device(), state.graph), state, false);
      const auto model = prepare(*make_device(plan), state.graph);
      expect_near(run_state(*model, state, false), wanted);
      expect_near(run_state(*model, state, true), wanted);
    }
  }
}

TEST(State, StaysInPlaceWhereItIsReadBefore) {
  EXPECT_TRUE(prepare(*make_device(), mixed_rows().graph)->may_share(0, 0));
  EXPECT_FALSE(prepare(*make_device(), read_afterwards().graph)->may_share(0, 0));
}

// One dispatch reads the state and writes the next one.
TEST(State, IsNotWrittenByTheStepThatReadsIt) {
  EXPECT_FALSE(prepare(*make_device(), replaced_row().graph)->may_share(0, 0));
}

}  // namespace
}  // namespace nnrt::test
