#include "backends/vulkan/device/device_plan.h"

#include "backends/vulkan/device/alignment.h"
#include "backends/vulkan/device/cores.h"
#include "backends/vulkan/device/device_features.h"
#include "backends/vulkan/device/device_snapshot.h"
#include "core/base/text.h"
#include "core/device/device_costs.h"
#include "core/platform/settings.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>

namespace nnrt::vulkan {
namespace {

// Measured by bench/networks on two cores of a server. Other software drivers are assumed to be in between.
constexpr DeviceCosts kSwiftShader{.partition_us = 60,
                                   .node_us = 30,
                                   .gflops = {12, 3, 1},
                                   .int8_speedup = {0.7, 1, 1},
                                   .gbytes = 4,
                                   .transfer_gbytes = 0,
                                   .rough = false};
constexpr DeviceCosts kLavapipe{.partition_us = 70,
                                .node_us = 45,
                                .gflops = {60, 14, 4},
                                .int8_speedup = {0.5, 1, 1},
                                .gbytes = 14,
                                .transfer_gbytes = 0,
                                .rough = false};

// Low estimates, so that an unknown GPU is not taken for faster than it is.
constexpr DeviceCosts kIntegrated{.partition_us = 100,
                                  .node_us = 10,
                                  .gflops = {150, 40, 20},
                                  .gbytes = 20,
                                  .transfer_gbytes = 0,
                                  .rough = true};
constexpr DeviceCosts kDiscrete{.partition_us = 60,
                                .node_us = 6,
                                .gflops = {1500, 300, 200},
                                .gbytes = 150,
                                .transfer_gbytes = 5,
                                .rough = true};

// Measured for software drivers; an estimate by kind for others.
DeviceCosts expected_costs(const Snapshot& snapshot, bool shares_memory_with_host) {
  if (snapshot.kind == Kind::cpu)
    return snapshot.driver_id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER ? kSwiftShader : kLavapipe;
  if (snapshot.kind == Kind::discrete) return kDiscrete;
  DeviceCosts costs = kIntegrated;
  if (!shares_memory_with_host) costs.transfer_gbytes = kDiscrete.transfer_gbytes;
  return costs;
}

// Minima that every kernel relies on.
constexpr uint32_t kGroupInvocations = 128;
constexpr uint32_t kSharedBytes = 16384;
constexpr uint32_t kPushBytes = 128;

constexpr DirectLimits kDirectLimits{.read_tensor = 64, .read = 4096, .written = 8192};
constexpr double kSpinMicroseconds = 50;

// What compilers hold in registers: 32-bit values per invocation.
struct RegisterFile {
  uint32_t vendor_id, registers;
};
constexpr RegisterFile kRegisterFiles[] = {
    {kIntel, 128},    // registers of 8 values (16 since Xe2) per thread, whose subgroup may be as narrow
    {kQualcomm, 96},  // up to 192, but with four subgroups per core or fewer
    {kArm, 64},       // and half as many threads above 32
    {kBroadcom, 64},  // at two threads per QPU
    {kApple, 128},
};
// RADV of Mesa 22, which calls RDNA3 by chip numbers, compiles for at most 132 registers. Later ones call
// only RDNA3.5 so (GFX115x).
constexpr std::string_view kEarlyRdna3 = "(RADV GFX110";
constexpr uint32_t kEarlyRdna3Registers = 132;

bool has(const Snapshot& snapshot, std::string_view extension) {
  return std::find(snapshot.extensions.begin(), snapshot.extensions.end(), extension) !=
         snapshot.extensions.end();
}

// Prefers families without graphics, which do not queue behind the desktop, then those with timestamps.
std::optional<uint32_t> choose_queue_family(const Snapshot& snapshot) {
  std::optional<uint32_t> chosen;
  int best = -1;
  for (uint32_t i = 0; i < snapshot.queue_families.size(); ++i) {
    const QueueFamily& family = snapshot.queue_families[i];
    if ((family.flags & VK_QUEUE_COMPUTE_BIT) == 0 || family.count == 0) continue;
    const int score =
        (family.timestamp_bits > 0 ? 2 : 0) + ((family.flags & VK_QUEUE_GRAPHICS_BIT) == 0 ? 1 : 0);
    if (score > best) {
      best = score;
      chosen = i;
    }
  }
  return chosen;
}

// A queue per priority, as far as they go; low shares with medium first. Two queues per priority if runs copy
// between host and device memory, so that one copies while the other computes.
void choose_queues(const QueueFamily& family, DevicePlan& plan) {
  const std::vector<float> levels = family.count == 1   ? std::vector{1.0f}
                                    : family.count == 2 ? std::vector{0.5f, 1.0f}
                                                        : std::vector{0.0f, 0.5f, 1.0f};
  plan.queue.per_level = !plan.host.binds && family.count >= 2 * levels.size() ? 2 : 1;
  plan.queue.priorities.clear();
  for (const float level : levels)
    plan.queue.priorities.insert(plan.queue.priorities.end(), plan.queue.per_level, level);
}

// Returns whether kernels access host memory as fast as device memory. False for a discrete GPU even if all
// its memory is host-visible: imported memory is still behind the bus.
bool shares_memory_with_host(const Snapshot& snapshot) {
  if (snapshot.kind == Kind::cpu || snapshot.kind == Kind::integrated) return true;
  if (snapshot.kind == Kind::discrete || snapshot.heap_bytes.empty()) return false;
  const auto main = std::max_element(snapshot.heap_bytes.begin(), snapshot.heap_bytes.end());
  const auto main_heap = uint32_t(main - snapshot.heap_bytes.begin());
  constexpr uint32_t kBoth = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  return std::any_of(snapshot.memory_types.begin(), snapshot.memory_types.end(), [&](const MemoryType& type) {
    return (type.flags & kBoth) == kBoth && type.heap == main_heap;
  });
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// The driver's name tells two drivers of a device apart.
std::string name_of(const Snapshot& snapshot) {
  std::string name = snapshot.device_name;
  if (!contains_ignoring_case(name, snapshot.driver_name)) name.append(cat("_", snapshot.driver_name));
  // Clients take these names for a certain vendor's accelerators.
  if (name.starts_with("NPU_") || name == "HIAI_F") name.insert(0, "GPU_");
  return name;
}

std::string driver_key_of(const Snapshot& s) {
  std::string key = cat(s.device_name, " ", s.vendor_id, ":", s.device_id, ", ", s.driver_name, " ",
                        s.driver_version, " ", s.driver_info, ", ");
  for (const uint8_t byte : s.pipeline_cache_uuid) key += cat(int(byte), ".");
  return key;
}

Status require(bool condition, const Snapshot& snapshot, std::string_view reason) {
  if (condition) return {};
  return Error{Code::unavailable_device, cat(snapshot.device_name, " cannot be used: ", reason)};
}

Status check_requirements(const Snapshot& s) {
  NNRT_TRY(require(s.api_version >= VK_API_VERSION_1_2, s, "It is older than Vulkan 1.2."));
  NNRT_TRY(require(s.timeline_semaphore, s, "It has no timeline semaphores."));
  NNRT_TRY(require(s.max_group_invocations >= kGroupInvocations, s,
                   cat("Its workgroups (", s.max_group_invocations, ") are smaller than ", kGroupInvocations,
                       " invocations.")));
  NNRT_TRY(
      require(s.max_shared_bytes >= kSharedBytes, s,
              cat("Its shared memory (", s.max_shared_bytes, ") is less than ", kSharedBytes, " bytes.")));
  return require(s.max_push_bytes >= kPushBytes, s,
                 cat("Its push constants (", s.max_push_bytes, ") are smaller than ", kPushBytes, " bytes."));
}

void identify(const Snapshot& snapshot, DevicePlan& plan) {
  plan.name = name_of(snapshot);
  plan.driver_key = driver_key_of(snapshot);
  plan.vendor_id = snapshot.vendor_id;
  plan.is_software = snapshot.kind == Kind::cpu;
}

void choose_memory(const Snapshot& snapshot, DevicePlan& plan) {
  plan.memory_types = snapshot.memory_types;
  if (has(snapshot, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) && snapshot.import_alignment > 0) {
    plan.extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    plan.host.imports = true;
    plan.host.imports_read_only = plan.is_software;
    plan.host.alignment = snapshot.import_alignment;
  }
  plan.host.binds = shares_memory_with_host(snapshot);
  if (!plan.host.binds) plan.host.direct = kDirectLimits;
  plan.costs = expected_costs(snapshot, plan.host.binds);
}

void take_limits(const Snapshot& snapshot, DevicePlan& plan) {
  plan.storage_alignment =
      std::max({snapshot.storage_alignment, snapshot.texel_alignment, uint64_t(kVectorBytes)});
  plan.max_texels = snapshot.max_texels;
  plan.max_allocation =
      snapshot.max_allocation > 0 ? snapshot.max_allocation : std::numeric_limits<uint64_t>::max();
  plan.max_storage_range = std::min(snapshot.max_storage_range, plan.max_allocation) & ~(kVectorBytes - 1);
  plan.max_group_invocations = snapshot.max_group_invocations;
  plan.max_group_size = snapshot.max_group_size;
  plan.max_group_count = snapshot.max_group_count;
  plan.max_shared_bytes = snapshot.max_shared_bytes;
  plan.max_loop_iterations = snapshot.max_loop_iterations;
}

// Drivers choose narrow subgroups for small workgroups if subgroup sizes vary.
uint32_t full_group_of(const Snapshot& snapshot) {
  constexpr uint32_t kMin = 32;
  const uint32_t narrowest =
      snapshot.min_subgroup_size > 0 ? snapshot.min_subgroup_size : snapshot.subgroup_size;
  return std::clamp(std::bit_ceil(narrowest), kMin, kGroupInvocations);
}

void describe_cores(const Snapshot& snapshot, DevicePlan& plan) {
  plan.quad_operations = snapshot.quad_operations;
  plan.shuffled = snapshot.shuffles ? snapshot.subgroup_size : 0;
  plan.subgroup_size = snapshot.subgroup_size;
  plan.subgroup_arithmetic = snapshot.subgroup_arithmetic;
  plan.full_group = full_group_of(snapshot);
  plan.cores = cores_of(snapshot);
  const auto* const file = std::ranges::find(kRegisterFiles, snapshot.vendor_id, &RegisterFile::vendor_id);
  if (file != std::end(kRegisterFiles)) plan.max_registers = file->registers;
  if (snapshot.device_name.find(kEarlyRdna3) != std::string::npos) plan.max_registers = kEarlyRdna3Registers;
  plan.fast_shared_memory = snapshot.vendor_id != kArm && snapshot.vendor_id != kBroadcom;
  plan.queue.spin_us = plan.is_software ? 0 : kSpinMicroseconds;
  // A CPU converts fp16 in software, and its caches hold the data anyway.
  plan.fp16_intermediates = !plan.is_software;
}

void choose_clock(const Snapshot& snapshot, const QueueFamily& family, DevicePlan& plan) {
  const bool has_period = std::isfinite(snapshot.timestamp_period) && snapshot.timestamp_period > 0;
  plan.queue.clock = {has_period ? family.timestamp_bits : 0, snapshot.timestamp_period,
                      snapshot.calibrated_timestamps};
  if (snapshot.calibrated_timestamps) plan.extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
}

void mind_driver(const Snapshot& snapshot, DevicePlan& plan) {
  // Vulkan requires enabling it if it is offered.
  if (has(snapshot, "VK_KHR_portability_subset")) plan.extensions.push_back("VK_KHR_portability_subset");
  const bool is_swiftshader = snapshot.driver_id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
  plan.pipelines.specialize = is_swiftshader;
  plan.matrices.prefers_one = snapshot.driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  plan.pipelines.cache = !is_swiftshader;  // its cache stores nothing
  plan.robust_access = !is_swiftshader;    // would cost it a quarter of a model's time
  if (snapshot.driver_id == VK_DRIVER_ID_MESA_LLVMPIPE) {
    plan.shaders = Shaders::deferred;
    plan.pipelines.compile_us = 10e3;  // a tenth of the compile time, as compilation overlaps with runs
    plan.views_by_size = true;
  }
}

}  // namespace

Result<DevicePlan> plan(const Snapshot& snapshot, const KernelSwitch& kernels) {
  NNRT_TRY(check_requirements(snapshot));
  const std::optional<uint32_t> family = choose_queue_family(snapshot);
  NNRT_TRY(require(family.has_value(), snapshot, "It has no compute queue."));
  DevicePlan plan;
  identify(snapshot, plan);
  choose_memory(snapshot, plan);
  mind_driver(snapshot, plan);
  plan.queue.family = *family;
  choose_queues(snapshot.queue_families[*family], plan);
  choose_clock(snapshot, snapshot.queue_families[*family], plan);
  take_limits(snapshot, plan);
  describe_cores(snapshot, plan);
  plan.tuning = kernels.forbids("measured_tiles") ? Tuning::off : Tuning::kept;
  plan.kernels = kernels;
  use_device_features(snapshot, plan);
  return plan;
}

uint32_t level_for(const DevicePlan& plan, const CompileOptions& options) {
  const auto above_medium = [&] {
    if (options.priority != Priority::none) return rank(options.priority) - rank(Priority::medium);
    switch (options.performance) {
      case PerformanceMode::low: return -1;
      case PerformanceMode::high:
      case PerformanceMode::extreme: return 1;
      default: return 0;
    }
  };
  const int highest = int(plan.queue.priorities.size() / plan.queue.per_level) - 1;
  return uint32_t(std::clamp(highest - 1 + above_medium(), 0, highest));
}

Shaders shaders_for(const DevicePlan& plan, const CompileOptions& options) {
  const bool waits =
      options.performance == PerformanceMode::high || options.performance == PerformanceMode::extreme;
  return waits && plan.shaders == Shaders::deferred ? Shaders::optimized : plan.shaders;
}

bool uses_residence(const DevicePlan& plan, const CompileOptions& options) {
  enum Words : uint8_t { automatic, on, off };  // order as in the row
  const SettingRow& config = row(Setting::config_device_local);
  const auto found = options.extensions.find(std::string_view(config.name));
  const std::string_view text = found == options.extensions.end() ? "" : std::string_view(found->second);
  const auto choice = choice_of(config, text.substr(0, text.find('\0')));
  return choice == on || (choice == automatic && !plan.host.binds);
}

}  // namespace nnrt::vulkan
