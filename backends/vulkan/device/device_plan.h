// Snapshot -> decisions. Pure: a unit test makes any GPU it likes.
#pragma once

#include "backends/vulkan/device/device_snapshot.h"
#include "backends/vulkan/device/tile_options.h"
#include "core/base/result.h"
#include "core/device/device.h"
#include "core/passes/kernel_switch.h"

#include <optional>
#include <string>
#include <vector>

namespace nnrt::vulkan {

struct TimestampClock {
  uint32_t valid_bits = 0;  // 0: there are no timestamps
  float nanoseconds = 0;    // length of a tick
  bool calibrated = false;  // can be read together with the host's clock

  uint64_t max_ticks() const { return valid_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << valid_bits) - 1; }
  // The counter may have wrapped around in between.
  uint64_t ticks_between(uint64_t from, uint64_t to) const { return (to - from) & max_ticks(); }
  double nanoseconds_between(uint64_t from, uint64_t to) const {
    return double(ticks_between(from, to)) * double(nanoseconds);
  }
};

// Selects the shaders of a model's GEMMs and convolutions.
enum class Shaders : uint8_t {
  optimized,     // the fastest
  fast_compile,  // see lower_fast_compile.h
  deferred,      // fast-compile ones until runs have taken a while, then the fastest
};

// The most bytes of a tensor in the host's memory that kernels reach over a bus, where a copy by the device
// would take longer. 0: none.
struct DirectLimits {
  uint64_t read_tensor = 0;  // bytes of a tensor that is read
  uint64_t read = 0;         // by all workgroups
  uint64_t written = 0;
};

struct DevicePlan {
  std::string name;        // as clients see it: device and driver
  std::string driver_key;  // GPU and driver: another one has other pipelines
  uint32_t vendor_id = 0;
  uint32_t queue_family = 0;
  std::vector<float> queue_priorities{1.0f};  // one for each queue to make, from low to high
  uint32_t queues_of_level = 1;               // queues that have the same priority
  std::vector<const char*> extensions;        // to enable
  std::vector<MemoryType> memory_types;

  bool import_host_memory = false;  // worth trying
  bool bind_host_memory =
      false;                  // kernels read and write imported memory directly; else copied by the device
  DirectLimits direct_edges;  // for devices without the above
  // Drivers of GPUs pin pages for writing. Some find out only in a submission that they cannot, which costs
  // the device.
  bool import_read_only = false;
  uint64_t import_alignment = 0;

  uint64_t storage_alignment = 1;  // offsets of bound ranges, and of tensors in the arena
  uint64_t max_storage_range = 0;  // bytes of a tensor
  uint64_t max_texels = 0;         // texels of a view of a buffer
  uint64_t max_allocation = 0;     // bytes of one buffer
  uint32_t max_group_invocations = 64;
  std::array<uint32_t, 3> max_group_size{}, max_group_count{};
  uint32_t max_shared_bytes = 0;
  uint64_t max_loop_iterations = 0;  // iterations of all loops of an invocation; 0: unlimited
  // The device is a processor that computes the invocations of a group one vector after the other.
  bool is_software = false;
  KernelSwitch kernels;  // kernels that are forced or forbidden; see vulkan_kernel_names.h
  Tuning tuning = Tuning::off;
  MeasuredTilesPtr measured_tiles;  // null: none
  Shaders shaders = Shaders::optimized;
  double compile_us = 0;  // longer runs for each optimized shader, until these are compiled
  // The driver compiles a shader when its queue comes to the first dispatch of it: all behind that waits.
  bool compiles_in_queue = false;
  // The driver compiles a shader again for a view of texels where bits 8 to 15 of its bytes are all 0, and
  // for one of a buffer whose bytes are a power of two.
  bool views_by_size = false;
  bool specialize_shaders = false;  // before the driver gets them
  bool quad_operations = false;     // four neighbouring invocations can exchange values
  uint32_t shuffled = 0;            // so many can exchange any; 0: none
  uint32_t subgroup_size = 0;
  bool subgroup_arithmetic = false;  // invocations of a subgroup can add their values, and so on
  uint32_t processors = 1;           // each has some workgroups at once; as far as is known
  bool fp16_intermediates = true;    // is faster, where float16 is permitted
  bool fp16_storage = false;         // kernels of float read and write fp16 values; see device_features.h
  bool int8_dot = false;             // kernels multiply four INT8 values by four in one instruction
  // The matrices that a subgroup multiplies; no rows: none.
  CooperativeMatrixShape cooperative_matrix;
  CooperativeMatrixShape int8_matrix;        // matrices of INT8, by the same extension
  uint32_t matrix_subgroup = 32;             // invocations of that subgroup
  bool khr_cooperative_matrix = false;       // by VK_KHR_cooperative_matrix, not NVIDIA's own extension
  bool sets_subgroup_size = false;           // for shaders with matrices
  bool emulates_cooperative_matrix = false;  // by loops over shared memory, for tests
  bool emulates_int8_matrix = false;
  bool cache_pipelines = true;  // by the driver; some make one pipeline at a time for a cache
  // Kernels stay inside the buffers bound, whatever they are made to compute. Every Vulkan device can.
  bool robust_access = true;
  TimestampClock timestamps;  // the queue's
  DeviceCosts costs;
  // The limit of work submitted at once. Systems end work that keeps a GPU from others for seconds, and the
  // costs above are guesses.
  double submission_us = 100e3;
  // A wait asks again and again for so long before it sleeps, which takes ten microseconds to wake from. A
  // driver in software computes on the core that would ask.
  double spin_us = 0;
};

// About as many as all processors have at once: fewer do not hide how long they wait for memory.
constexpr uint32_t invocations_at_once(const DevicePlan& plan) { return plan.processors * 1024; }

// Or why the device cannot be used.
Result<DevicePlan> plan(const Snapshot& snapshot, const KernelSwitch& kernels = {});

// The number of the priority, from the lowest, that the queues for the runs of a model have: by its priority,
// or where it has none by its performance.
uint32_t level_for(const DevicePlan& plan, const CompileOptions& options);
// Clients that ask for high performance wait for optimized shaders in Build.
Shaders shaders_for(const DevicePlan& plan, const CompileOptions& options);
// Returns whether tensors that the client lets stay on the device do so ("nnrt.device_local").
bool uses_residence(const DevicePlan& plan, const CompileOptions& options);

}  // namespace nnrt::vulkan
