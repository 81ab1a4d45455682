#include "tests/device/guarded_run.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstring>

namespace nnrt::test {
namespace {

constexpr std::byte kSentinel{0xa5};

// Consecutive tensors with sentinels between them.
class Layout {
 public:
  Layout(Random& random, bool anywhere) : random_(random), anywhere_(anywhere) {}

  TensorView place(size_t bytes, Shape shape) {
    size_t offset = (end_ + 63) / 64 * 64 + 64 * random_.below(4);
    if (anywhere_ && random_.one_in(3)) offset += 1 + random_.below(63);
    end_ = offset + bytes;
    return {nullptr, offset, bytes, std::move(shape)};
  }
  size_t size() const { return end_ + random_.below(100); }

 private:
  Random& random_;
  bool anywhere_;
  size_t end_ = 64;
};

// Reports the first wrong byte.
Status check_bytes(const SharedMemory& memory, const Bytes& want) {
  if (std::memcmp(memory.data(), want.data(), want.size()) == 0) return {};
  const auto [at, unused] = std::mismatch(want.begin(), want.end(), memory.data());
  return Error{Code::failed, cat("Byte ", at - want.begin(), " of ", want.size(),
                                 ", which is of no output, changed from ", int(*at), ".")};
}

}  // namespace

Result<std::vector<Bytes>> run_guarded(Device& device, const GraphPtr& graph,
                                       const std::vector<Bytes>& inputs, Random& random, bool anywhere,
                                       const CompileOptions& options) {
  Layout layout(random, anywhere);
  std::vector<TensorView> in;
  std::vector<OutputSlot> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in.push_back(layout.place(inputs[i].size(), graph->shapes[graph->inputs[i]]));
  }
  for (const TensorId id : graph->outputs) {
    const size_t bytes = byte_size(graph->tensors[id].dtype, graph->shapes[id]).value();
    out.push_back({layout.place(bytes, {}), false});
  }
  NNRT_ASSIGN(const std::shared_ptr<SharedMemory> memory, device.allocate(layout.size()));
  std::fill_n(memory->data(), memory->mapped_bytes(), kSentinel);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i].memory = memory;
    std::copy(inputs[i].begin(), inputs[i].end(), in[i].data());
  }
  for (OutputSlot& slot : out) slot.view.memory = memory;
  Bytes want(memory->data(), memory->data() + memory->bytes());

  NNRT_ASSIGN(const std::unique_ptr<PreparedModel> model, device.prepare(graph, options));
  NNRT_TRY(model->run(in, out, Clock::now() + std::chrono::seconds(60)));
  std::vector<Bytes> results;
  for (const OutputSlot& slot : out) {
    results.emplace_back(slot.view.data(), slot.view.data() + slot.view.bytes);
    std::copy(results.back().begin(), results.back().end(), want.begin() + std::ptrdiff_t(slot.view.offset));
  }
  NNRT_TRY(check_bytes(*memory, want));
  return results;
}

}  // namespace nnrt::test
