#include "tools/import/onnx/held/held_graph.h"

#include "core/memory/byte_source.h"
#include "tools/import/onnx/onnx_conversion.h"

#include <algorithm>

namespace nnrt::import {
namespace {

using namespace onnx;

// The graph's data, one after the other. A read is within one of them.
class HeldData final : public ByteSource {
 public:
  explicit HeldData(const std::vector<ByteView>& data) : data_(data) {
    for (const ByteView& view : data) {
      begins_.push_back(size_);
      size_ += view.size();
    }
  }

  std::vector<Payload> payloads() const {
    std::vector<Payload> payloads;
    for (size_t i = 0; i < data_.size(); ++i)
      payloads.push_back({begins_[i], data_[i].size(), Payload::Field::raw_data});
    return payloads;
  }

  uint64_t size() const override { return size_; }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    std::ranges::copy(at(offset, to.size()), to.begin());
    return {};
  }
  Result<SharedBytes> read(uint64_t offset, uint64_t bytes, bool retained) const override {
    if (retained) return ByteSource::read(offset, bytes, retained);
    return SharedBytes(std::make_shared<const int>(), at(offset, bytes));
  }

 private:
  ByteView at(uint64_t offset, uint64_t bytes) const {
    const auto next = std::ranges::upper_bound(begins_, offset);
    const auto i = static_cast<size_t>(next - begins_.begin()) - 1;
    return data_[i].subspan(offset - begins_[i], bytes);
  }

  const std::vector<ByteView>& data_;
  std::vector<uint64_t> begins_;
  uint64_t size_ = 0;
};

}  // namespace

size_t HeldGraph::data_size() const {
  size_t size = 0;
  for (const ByteView& view : data) size += view.size();
  return size;
}

Result<Network> read_onnx(const HeldGraph& graph, Constants constants, int& failed) {
  failed = -1;
  const HeldData data(graph.data);
  return convert(graph.model, TensorData({}, data, data.payloads(), constants == Constants::copied),
                 graph.data_size(), {}, &failed);
}

bool has_onnx_operator(std::string_view type, std::string_view domain) {
  return find_row(type, domain) != nullptr;
}

}  // namespace nnrt::import
