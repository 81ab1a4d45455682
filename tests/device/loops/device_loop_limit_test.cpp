// Checks Dispatch::iterations, the upper bound of an invocation's loop iterations, against counts on the
// device, for shapes with long loops. Drivers with a limit must not get a kernel that exceeds it.
#include "backends/vulkan/device/loop_limit.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/specialize_shader.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "tests/device/device_fixture.h"
#include "tests/device/loops/long_nodes.h"
#include "tests/device/loops/loop_counter.h"
#include "tests/support/test_settings.h"

#include <map>
#include <set>

namespace nnrt::test {
namespace {

constexpr std::string_view kFeatures[] = {"fp16_storage", "int8_dot", "cooperative_matrix_emulated",
                                          "int8_matrix_emulated"};

enum class Machine : uint8_t { with_large_groups, with_small_groups };

// `kernel` may be empty.
vulkan::DevicePlan plan_with(const vulkan::Snapshot& snapshot, std::string_view kernel, Machine machine) {
  KernelSwitch kernels;
  // The driver's matrices would take the place of emulated ones, whose loops are counted.
  for (const std::string_view own : {"khr_cooperative_matrix", "cooperative_matrix"})
    if (kernel != own) kernels.forbid(own);
  if (!kernel.empty()) kernels.force(kernel);
  for (const std::string_view feature : kFeatures) kernels.force(feature);
  vulkan::DevicePlan plan = vulkan::plan(snapshot, kernels).value();
  plan.shaders = vulkan::Shaders::optimized;
  plan.max_loop_iterations = 0;
  const bool has_small_groups = machine == Machine::with_small_groups;
  plan.cores = has_small_groups ? 16 : 1;
  if (has_small_groups) plan.max_group_invocations = 128;
  return plan;
}

// One for each kernel that can be forced, and its fast-compile twin.
std::vector<vulkan::DevicePlan> forcing_plans(const vulkan::Snapshot& snapshot) {
  std::vector<vulkan::DevicePlan> plans;
  for (const Machine machine : {Machine::with_large_groups, Machine::with_small_groups}) {
    for (const std::string_view kernel : vulkan::kernel_names()) {
      plans.push_back(plan_with(snapshot, kernel, machine));
      plans.push_back(plans.back());
      plans.back().shaders = vulkan::Shaders::fast_compile;
    }
  }
  return plans;
}

// The different dispatches of the node under these plans.
std::vector<vulkan::TrialDispatch> dispatches_of(const LongNode& work,
                                                 std::span<const vulkan::DevicePlan> plans) {
  std::vector<vulkan::TrialDispatch> found;
  std::set<std::pair<std::string, std::vector<uint32_t>>> seen;
  std::vector<const std::byte*> values = work.values();
  const NodeView view = work.node.view(values);
  const vulkan::Lowering& rules = *vulkan::lowering(view.op());
  for (const vulkan::DevicePlan& plan : plans) {
    if (rules.refuse(view, plan)) continue;
    const auto commands = vulkan::trial_commands(view, rules, plan);
    if (!commands.ok()) continue;
    for (const vulkan::TrialDispatch& one : commands.value().dispatches) {
      std::vector<uint32_t> key = one.dispatch.constants;
      key.push_back(uint32_t(one.dispatch.iterations));
      if (seen.emplace(std::string(one.dispatch.shader), std::move(key)).second) found.push_back(one);
    }
  }
  return found;
}

// The kernel family of a shader name: reduce_f32_vec4_group, without variants of access, precision and
// epilogue, which have the same loops, is "reduce group".
std::string family_of(std::string_view shader) {
  std::string family(shader);
  for (const std::string_view part :
       {"_f32", "_i32", "_i64", "_bool", "_texels", "_postop", "_vec4", "_row", "_planes", "_columns",
        "_long", "_small", "_narrow", "_emulated", "_im2col", "_plain", "_subgroup8", "_half"}) {
    for (size_t at = family.find(part); at != family.npos; at = family.find(part)) {
      const bool is_word = at + part.size() == family.size() || family[at + part.size()] == '_';
      if (!is_word) break;
      family.erase(at, part.size());
    }
  }
  return family;
}

// Shaders whose loops do not depend on shapes: they iterate over dimensions, taps or parts, which are few,
// or over the rows of a walk (lowering_common.h).
const std::set<std::string> kConstant{"add_int8_parts",
                                      "add_parts",
                                      "copy",
                                      "fused_elementwise",
                                      "gather",
                                      "gather_elements",
                                      "grid_sample",
                                      "interleave",
                                      "pad_channels",
                                      "scatter",
                                      "scatter_elements",
                                      "select",
                                      "transpose_tile",
                                      "unary",
                                      "unary_f16",
                                      "unary_f64",
                                      "unary_i16",
                                      "winograd_input",
                                      "winograd_output"};

// Emulated matrices stand in for the device's, which have shorter loops.
bool is_for_matrices_of_devices(std::string_view shader) {
  const bool has_matrices = shader.find("_matrix") != shader.npos;
  return has_matrices && shader.find("_emulated") == shader.npos;
}

class LoopLimit : public testing::Test {
 protected:
  void count(const LongNode& work, const vulkan::TrialDispatch& one) {
    const vulkan::Dispatch& dispatch = one.dispatch;
    if (is_for_matrices_of_devices(dispatch.shader)) return;
    const auto counted = count_iterations(*device_->context().value(), one);
    ASSERT_TRUE(counted.ok()) << dispatch.shader << ": " << counted.error().message;
    EXPECT_LE(counted.value(), dispatch.iterations + vulkan::kConstantIterations) << dispatch.shader;
    // An overestimate would refuse kernels needlessly; a driver with a limit terminates loops.
    if (!work.depends_on_data && !ends_loops_) {
      EXPECT_GE(2 * (counted.value() + vulkan::kConstantIterations), dispatch.iterations) << dispatch.shader;
    }
    const std::string family = family_of(dispatch.shader);
    EXPECT_FALSE(kConstant.contains(family) && dispatch.iterations > 0) << dispatch.shader;
    if (dispatch.iterations > 0 && counted.value() >= kManyEnough) counted_.insert(family);
  }

  // Counting takes long: the first dispatches of each family until one has a long loop, and a share of the
  // others.
  bool is_drawn(const vulkan::Dispatch& dispatch) {
    const std::string family = family_of(dispatch.shader);
    uint32_t& seen = seen_[family];
    return (seen++ < 4 && !counted_.contains(family)) || seen % 4 < draws(4);
  }

  static constexpr uint32_t kManyEnough = 16;
  const vulkan::Snapshot snapshot_ = vulkan::take_snapshot(first_physical_device());
  const std::shared_ptr<vulkan::VulkanDevice> device_ =
      make_device(plan_with(snapshot_, "", Machine::with_large_groups));
  const bool ends_loops_ = first_plan().max_loop_iterations > 0;
  std::set<std::string> counted_;
  std::map<std::string, uint32_t> seen_;
};

// Loops over region cells, which come from an input buffer.
const std::set<std::string> kDependsOnData{"roi_pooling"};

TEST_F(LoopLimit, MatchesActualLoopCounts) {
  const std::vector<vulkan::DevicePlan> plans = forcing_plans(snapshot_);
  for (const LongNode& work : long_nodes()) {
    SCOPED_TRACE(work.name);
    for (const vulkan::TrialDispatch& one : dispatches_of(work, plans))
      if (is_drawn(one.dispatch)) count(work, one);
  }
  for (const vulkan::EmbeddedShader& embedded : vulkan::embedded_shaders()) {
    const auto specialized = vulkan::specialize(embedded.words, std::vector<uint32_t>{64, 1, 1});
    ASSERT_TRUE(specialized) << embedded.name;
    if (is_for_matrices_of_devices(embedded.name)) continue;
    const std::string family = family_of(embedded.name);
    if (!has_loops(*specialized) || kConstant.contains(family) || kDependsOnData.contains(family)) continue;
    EXPECT_TRUE(counted_.contains(family)) << embedded.name << ": " << family;
  }
}

TEST(LoopLimitOfDrivers, IsKnownOfLavapipe) {
  const vulkan::Snapshot snapshot = vulkan::take_snapshot(first_physical_device());
  EXPECT_EQ(snapshot.max_loop_iterations, snapshot.driver_id == VK_DRIVER_ID_MESA_LLVMPIPE ? 65535u : 0u);
}

}  // namespace
}  // namespace nnrt::test
