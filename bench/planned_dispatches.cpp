// Plans a network for a large GPU without having one: lowers it for 132 compute units and cooperative
// matrices, like NVIDIA's H100, and counts dispatches, barriers between them, and bytes read and written.
//   planned_dispatches [--fp16] [--list] FILE...
// --fp16 permits fp16 computation. --list prints each dispatch with its workgroups and their invocations, and
// "|" where it waits for previous ones.
#include "core/base/text.h"
#include "core/passes/normalize.h"
#include "core/schema/schema.h"
#include "tests/compilers/planned_program.h"
#include "tests/support/model_graph.h"

#include <vulkan/vulkan.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace nnrt;
using namespace nnrt::vulkan;

// An H100 with its own driver, as far as kernel selection depends on it.
Snapshot large_gpu() {
  Snapshot gpu;
  gpu.device_name = "H100";
  gpu.vendor_id = 0x10de;
  gpu.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  gpu.api_version = VK_API_VERSION_1_3;
  gpu.kind = Kind::discrete;
  gpu.queue_families = {{VK_QUEUE_COMPUTE_BIT, 1, 64}};
  gpu.max_group_invocations = 1024;
  gpu.max_group_size = {1024, 1024, 64};
  gpu.max_group_count = {(1u << 31) - 1, 65535, 65535};
  gpu.max_shared_bytes = 49152;
  gpu.max_push_bytes = 256;
  gpu.storage_alignment = gpu.texel_alignment = 16;
  gpu.max_storage_range = (uint64_t{1} << 32) - 1;
  gpu.max_texels = 1 << 27;
  gpu.quad_operations = gpu.shuffles = gpu.subgroup_arithmetic = true;
  gpu.subgroup_size = 32;
  gpu.cores = 132;
  gpu.int8_dot = gpu.fast_int8_dot = true;
  gpu.matrix_shapes = {{16, 16, 16}};
  gpu.int8_matrix_shapes = {{16, 16, 32}};
  gpu.timeline_semaphore = gpu.storage_8bit = gpu.storage_16bit = true;
  gpu.shader_float16 = gpu.shader_int8 = gpu.vulkan_memory_model = gpu.device_scope = gpu.cooperative_matrix =
      true;
  return gpu;
}

template <typename T>
T value_of(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

struct Counts {
  size_t dispatches = 0, barriers = 0;
  uint64_t bytes = 0;
};

void list_step(const Step& step, const Graph& graph) {
  const auto* const dispatch = std::get_if<Dispatch>(&step.command);
  const std::string shader(dispatch != nullptr ? dispatch->shader : "(copy)");
  const std::string op(step.node == kNoNode ? "" : short_name(graph.nodes[step.node].op));
  const Size3 local = dispatch != nullptr ? dispatch->local : Size3{};
  std::printf("%c %-44s %-26s %u x %u x %u of %u\n", step.barrier ? '|' : ' ', shader.c_str(), op.c_str(),
              step.groups[0], step.groups[1], step.groups[2], local[0] * local[1] * local[2]);
}

Counts count(const GraphPtr& model, const DevicePlan& plan, bool float16, bool lists) {
  const auto [graph, program] = value_of(test::planned_program(model, plan, float16));
  Counts counts{program.steps.size()};
  for (const Step& step : program.steps) {
    counts.barriers += step.barrier ? 1 : 0;
    for (const BufferRegion& region : step.regions) counts.bytes += region.bytes;
    if (lists) list_step(step, *graph);
  }
  return counts;
}

int run(const std::vector<std::string>& words) {
  bool float16 = false, lists = false;
  std::vector<std::string> files;
  for (const std::string& word : words) {
    float16 = float16 || word == "--fp16";
    lists = lists || word == "--list";
    if (!word.starts_with("--")) files.push_back(word);
  }
  const DevicePlan plan = value_of(vulkan::plan(large_gpu()));
  std::printf("| network | dispatches | barriers | MB |\n| --- | --- | --- | --- |\n");
  for (const std::string& file : files) {
    const Counts counts = count(normalize(test::graph_of_file(file)), plan, float16, lists);
    std::printf("| %s | %zu | %zu | %.0f |\n", std::filesystem::path(file).stem().c_str(), counts.dispatches,
                counts.barriers, double(counts.bytes) / 1e6);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "planned_dispatches: %s\n", error.what());
    return 1;
  }
}
