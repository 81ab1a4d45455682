// Derives all decisions from a snapshot. Pure, so unit tests can use any GPU.
#pragma once

#include "backends/vulkan/device/device_snapshot.h"
#include "backends/vulkan/device/tile_options.h"
#include "core/base/result.h"
#include "core/device/device.h"
#include "core/passes/kernel_switch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::vulkan {

struct TimestampClock {
  uint32_t valid_bits = 0;  // 0: no timestamps
  float nanoseconds = 0;    // per tick
  bool calibrated = false;  // can be read together with the host's clock

  uint64_t max_ticks() const { return valid_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << valid_bits) - 1; }
  // Handles one wrap-around of the counter.
  uint64_t ticks_between(uint64_t from, uint64_t to) const { return (to - from) & max_ticks(); }
  double nanoseconds_between(uint64_t from, uint64_t to) const {
    return double(ticks_between(from, to)) * double(nanoseconds);
  }
};

// Selects the shaders for GEMMs and convolutions.
enum class Shaders : uint8_t {
  optimized,     // fastest
  fast_compile,  // see lower_fast_compile.h
  deferred,      // starts with fast_compile and changes to optimized after some runs
};

// Limits on host-memory tensors that kernels access directly over a bus, because a copy would take longer. 0:
// none.
struct DirectLimits {
  uint64_t read_tensor = 0;  // size of an input tensor
  uint64_t read = 0;         // bytes read by all workgroups together
  uint64_t written = 0;
};

// Cooperative matrices, for the tiles of lower/gemm, lower/int8 and lower/attention.
struct MatrixPlan {
  CooperativeMatrixShape fp16, int8;  // of a subgroup; rows = 0: not supported
  uint32_t subgroup = 32;             // size of the subgroups that compute them
  bool khr = false;                   // by VK_KHR_cooperative_matrix, not VK_NV_cooperative_matrix
  bool sets_subgroup_size = false;    // shaders request this subgroup size
  uint32_t flexible_side = 0;         // of fp16 matrices by VK_NV_cooperative_matrix2; 0: not used
  bool emulates_fp16 = false, emulates_int8 = false;  // by loops over shared memory, for tests
  // Subgroups with several matrices are slow, probably because the driver keeps arrays of them in memory.
  bool prefers_one = false;

  // The fp16 matrices of a subgroup that computes `rows` x `columns` results.
  CooperativeMatrixShape fp16_of(uint32_t rows, uint32_t columns) const {
    if (flexible_side == 0) return fp16;
    return {std::min(rows, flexible_side), std::min(columns, flexible_side), fp16.inner};
  }
};

struct QueuePlan {
  uint32_t family = 0;
  std::vector<float> priorities{1.0f};  // one per queue to create, ascending
  uint32_t per_level = 1;               // queues per priority
  TimestampClock clock;
  // Most microseconds per submission. Systems kill work that blocks a GPU for seconds, and costs are
  // estimates.
  double submission_us = 100e3;
  // How long a wait polls before it sleeps; waking up takes ten microseconds. 0 for software drivers, which
  // need the core that would poll.
  double spin_us = 0;
};

// The clients' memory, imported by VK_EXT_external_memory_host.
struct HostMemoryPlan {
  bool imports = false;  // worth trying
  bool binds = false;    // kernels access imported memory directly; else the device copies it
  DirectLimits direct;   // used if `binds` is false
  // GPU drivers pin pages for writing. For read-only pages, some report the failure only at submission, with
  // the loss of the device.
  bool imports_read_only = false;
  uint64_t alignment = 0;
};

struct PipelinePlan {
  bool cache = true;        // in a VkPipelineCache; some drivers create pipelines with a cache one at a time
  bool specialize = false;  // shaders, before passing them to the driver
  double compile_us = 0;    // run time, per optimized shader, before deferred compilation starts
};

struct DevicePlan {
  std::string name;        // shown to clients: device and driver
  std::string driver_key;  // identifies GPU and driver; pipelines are valid for one key
  uint32_t vendor_id = 0;
  QueuePlan queue;
  std::vector<const char*> extensions;  // to enable
  std::vector<MemoryType> memory_types;

  HostMemoryPlan host;

  uint64_t storage_alignment = 1;  // alignment of bound ranges, and of tensors in the arena
  uint64_t max_storage_range = 0;  // bytes per tensor
  uint64_t max_texels = 0;         // texels per buffer view
  uint64_t max_allocation = 0;     // bytes per buffer
  uint32_t max_group_invocations = 64;
  std::array<uint32_t, 3> max_group_size{}, max_group_count{};
  uint32_t max_shared_bytes = 0;
  // False: shared memory is ordinary memory behind the caches, so copying operands into it gains nothing.
  bool fast_shared_memory = true;
  uint64_t max_loop_iterations = 0;  // total loop iterations per invocation; 0: unlimited
  // A CPU driver, which executes the invocations of a workgroup one SIMD vector at a time.
  bool is_software = false;
  uint32_t max_registers = 256;  // 32-bit values per invocation that do not spill
  KernelSwitch kernels;          // kernels forced or forbidden by name; see vulkan_kernel_names.h
  Tuning tuning = Tuning::off;
  MeasuredTilesPtr measured_tiles;  // null: none
  Shaders shaders = Shaders::optimized;
  PipelinePlan pipelines;
  // The driver recompiles a shader for a texel view whose size has bits 8 to 15 all 0, and for one whose
  // buffer size is a power of two.
  bool views_by_size = false;
  bool quad_operations = false;  // four neighbouring invocations can exchange values
  uint32_t shuffled = 0;         // subgroup size within which any invocations can exchange values; 0: none
  uint32_t subgroup_size = 0;
  uint32_t full_group = 32;          // the smallest workgroup without idle lanes, at least 32
  bool subgroup_arithmetic = false;  // subgroup reductions
  // Cores (SMs, compute units), each of which runs several workgroups at once; 1 if unknown.
  uint32_t cores = 1;
  bool fp16_intermediates = true;  // storing fp16 is faster, if the client allows it
  bool fp16_storage = false;       // float kernels can read and write fp16; see device_features.h
  bool fp16_arithmetic = false;    // GEMM tiles may multiply in fp16, if the client allows it
  bool int8_dot = false;           // 4x8-bit integer dot products
  MatrixPlan matrices;
  // Out-of-bounds accesses stay inside the bound buffers. Every Vulkan device supports this.
  bool robust_access = true;
  DeviceCosts costs;
};

// About what all cores run concurrently; with fewer, memory latency is not hidden.
constexpr uint32_t invocations_at_once(const DevicePlan& plan) { return plan.cores * 1024; }

// Fails if the device cannot be used.
Result<DevicePlan> plan(const Snapshot& snapshot, const KernelSwitch& kernels = {});

// The index of the queue priority for a model's runs, from the lowest: from the client's priority, or if it
// set none, from its performance mode.
uint32_t level_for(const DevicePlan& plan, const CompileOptions& options);
// Clients that request high performance get optimized shaders in Build.
Shaders shaders_for(const DevicePlan& plan, const CompileOptions& options);
// Returns whether tensors stay on the device if the client allows it ("nnrt.device_local").
bool uses_residence(const DevicePlan& plan, const CompileOptions& options);

}  // namespace nnrt::vulkan
