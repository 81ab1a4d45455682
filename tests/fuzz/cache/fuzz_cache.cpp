// Bytes as a cache: read, verified, restored on the CPU device, and run. Checksums are fixed first, since
// nothing would get past them otherwise.
#include "backends/cpu/engine/cpu_device.h"
#include "core/cache/stored_model.h"
#include "core/platform/log.h"
#include "core/runtime/execution.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/small_graph.h"
#include "tests/support/caches/resealed_cache.h"

#include <algorithm>

namespace nnrt {
namespace {

constexpr size_t kMaxElements = 4096;  // over all tensors: a run takes milliseconds
constexpr size_t kMemoryBytes = size_t{1} << 16;

// Places tensors one after the other in one buffer.
class Places {
 public:
  Places() : memory_(SharedMemory::create(kMemoryBytes).value()) {}

  TensorView next(const Tensor& tensor, Shape shape) {
    std::ranges::replace(shape, kUnknown, test::kOpenLength);
    const size_t bytes = std::min(byte_size(tensor.dtype, shape).value_or(0), kMemoryBytes - place_);
    place_ += bytes;
    return {memory_, place_ - bytes, bytes, std::move(shape)};
  }

 private:
  std::shared_ptr<SharedMemory> memory_;
  size_t place_ = 0;
};

void run(std::shared_ptr<const CompiledModel> model) {
  const Graph& graph = *model->graph;
  Places positions;
  std::vector<TensorView> inputs;
  std::vector<OutputSlot> outputs;
  for (const TensorId id : graph.inputs)
    inputs.push_back(positions.next(graph.tensors[id], graph.shapes[id]));
  for (const TensorId id : graph.outputs)
    outputs.push_back({positions.next(graph.tensors[id], graph.shapes[id])});
  static_cast<void>(Execution(std::move(model)).run(inputs, outputs, {}));
}

}  // namespace
}  // namespace nnrt

FUZZ_TARGET(cache)(const uint8_t* data, size_t size) {
  using namespace nnrt;
  static const std::shared_ptr<Device> cpu = cpu::make_device();
  const Bytes bytes = test::resealed(std::as_bytes(std::span(data, size)));
  const auto stored = StoredModel::open(source_of(bytes));
  if (!stored.ok()) return 0;
  auto restored = stored.value().restore({*cpu, nullptr, {}, nullptr});
  if (restored.ok() && test::is_small(*restored.value().model->lowered, kMaxElements))
    run(restored.value().model);
  return 0;
}
