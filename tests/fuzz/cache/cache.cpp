// Bytes as a cache: read, verified, restored on the CPU device, and run. The checksums are put right first,
// or nothing would get beyond them.
#include "backends/cpu/device.h"
#include "core/cache/checksum.h"
#include "core/cache/stored_model.h"
#include "core/execution.h"
#include "core/log.h"

#include <algorithm>
#include <cstdlib>

namespace nnrt {
namespace {

constexpr size_t kMostElements = 4096;  // of all tensors together: a run takes milliseconds
constexpr size_t kMemoryBytes = size_t{1} << 16;
constexpr int64_t kLength = 2;  // of dimensions that the run decides

Bytes sealed(ByteView data) {
  Bytes bytes(data.begin(), data.end());
  if (bytes.size() < kHeaderBytes) return bytes;
  const ByteView rest = data.subspan(kHeaderBytes);
  uint16_t body = 0;  // where a header has the low bytes of its length
  std::memcpy(&body, bytes.data() + 24, sizeof body);
  CacheHeader header;
  header.length = bytes.size();
  header.body = std::min<uint64_t>(body, rest.size());
  header.body_checksum = checksum(rest.first(header.body));
  header.constants_checksum = checksum(rest.subspan(header.body));
  std::ranges::copy(header.encode(), bytes.begin());
  return bytes;
}

bool is_small(const Graph& graph) {
  size_t elements = 0;
  for (const Shape& shape : graph.shapes) {
    for (size_t count = 1; const int64_t dimension : shape) {
      count *= static_cast<size_t>(dimension == kUnknown ? kLength : dimension);
      if (count > kMostElements) return false;
      elements += count;
    }
  }
  return elements <= kMostElements;
}

// Places tensors in one memory, behind each other.
class Places {
 public:
  Places() : memory_(SharedMemory::create(kMemoryBytes).value()) {}

  TensorView next(const Tensor& tensor, Shape shape) {
    std::ranges::replace(shape, kUnknown, kLength);
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
  Places places;
  std::vector<TensorView> inputs, outputs;
  for (const TensorId id : graph.inputs) inputs.push_back(places.next(graph.tensors[id], graph.shapes[id]));
  for (const TensorId id : graph.outputs) outputs.push_back(places.next(graph.tensors[id], graph.shapes[id]));
  static_cast<void>(Execution(std::move(model)).run(inputs, outputs, {}));
}

}  // namespace
}  // namespace nnrt

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("NNRT_LOG", "off", 1);
  setenv("NNRT_THREADS", "1", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nnrt;
  static const std::shared_ptr<Device> cpu = cpu::make_device();
  const Bytes bytes = sealed(std::as_bytes(std::span(data, size)));
  const auto stored = StoredModel::open(source_of(bytes));
  if (!stored.ok()) return 0;
  auto restored = stored.value().restore({*cpu, nullptr, {}, nullptr});
  if (restored.ok() && is_small(*restored.value().model->lowered)) run(restored.value().model);
  return 0;
}
