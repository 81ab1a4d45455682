// A single node, lowered to data a test can inspect without a GPU.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/memory/deferred_bytes.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace nnrt::test {

class RecordingSink : public vulkan::CommandSink {
 public:
  // Larger constants are recorded as zeros, because packing them takes seconds.
  static constexpr size_t kMostPacked = size_t{1} << 20;

  void add(vulkan::Command command) override { commands.push_back(std::move(command)); }
  vulkan::Buffer scratch(size_t bytes) override {
    scratches.push_back(bytes);
    return {vulkan::Buffer::Space::scratch, uint32_t(scratches.size() - 1)};
  }
  vulkan::Buffer packed(TensorId, std::string_view form, const vulkan::Packing& packing,
                        uint64_t bytes) override {
    Bytes& made = constants[std::string(form)];
    if (packing.bytes() > kMostPacked) {
      made.resize(packing.bytes());
    } else {
      const SharedBytes all = packing.all();
      made.assign(all->begin(), all->end());
      EXPECT_TRUE(!packing.has_parts() || made == in_parts(packing)) << form;
    }
    EXPECT_TRUE(bytes == 0 || bytes == made.size()) << form;
    return {vulkan::Buffer::Space::packed, uint32_t(constants.size() - 1)};
  }

  KernelLog* kernel_log() override { return &choices; }
  std::vector<vulkan::TileRequest>* tile_requests() override { return &tiles; }

  // Packed by two units at a time, into memory that is not zero.
  static Bytes in_parts(const vulkan::Packing& packing) {
    Bytes made(packing.bytes(), std::byte{0xa5});
    const uint64_t step = 2 * packing.unit();
    for (uint64_t offset = 0; offset < made.size(); offset += step)
      packing.write(offset, std::span(made).subspan(offset, std::min<uint64_t>(step, made.size() - offset)));
    return made;
  }

  template <typename T>
  const T& command(size_t i = 0) const {
    return std::get<T>(commands.at(i));
  }
  const vulkan::Dispatch& dispatch(size_t i = 0) const { return command<vulkan::Dispatch>(i); }

  std::vector<vulkan::Command> commands;
  std::vector<size_t> scratches;
  std::map<std::string, Bytes> constants;
  KernelLog choices;
  std::vector<vulkan::TileRequest> tiles;
};

// Unset parameters have the defaults of the operator table. Tensors are numbered inputs first, then outputs.
class LoweredNode {
 public:
  explicit LoweredNode(Op op) {
    node_.op = op;
    for (const ParamRow& row : schema(op).params) {
      if (row.default_value.empty()) continue;
      const bool real = row.dtypes.contains(DType::f32);
      set(row.attr, real, row.default_value);
    }
    plan.max_group_count = {65535, 65535, 65535};
    plan.subgroup_size = 32;
  }

  LoweredNode& input(Shape shape, DType dtype = DType::f32, Quant quant = {}, Format format = Format::none) {
    node_.inputs.push_back(add(std::move(shape), dtype, std::move(quant), format));
    return *this;
  }
  LoweredNode& value(const std::vector<int32_t>& values) { return value({int64_t(values.size())}, values); }
  LoweredNode& value(Shape shape, const std::vector<int32_t>& values) {
    return constant(std::move(shape), DType::i32, values);
  }
  LoweredNode& floats(Shape shape, const std::vector<float>& values) {
    return constant(std::move(shape), DType::f32, values);
  }
  // FLOAT16 zeros.
  LoweredNode& fp16_input(Shape shape) {
    const auto count = size_t(*element_count(shape));
    return constant(std::move(shape), DType::f16, std::vector<uint16_t>(count));
  }
  LoweredNode& boolean(bool value) {
    return constant({1}, DType::boolean, std::vector<uint8_t>{uint8_t(value)});
  }
  LoweredNode& output(Shape shape, DType dtype = DType::f32, Quant quant = {}) {
    node_.outputs.push_back(add(std::move(shape), dtype, std::move(quant), Format::none));
    return *this;
  }
  LoweredNode& rename(TensorId tensor, std::string name) {
    graph_.tensors[tensor].name = std::move(name);
    return *this;
  }
  // Defers reading a constant; `reads` counts the reads.
  LoweredNode& defer(TensorId tensor, int& reads) {
    SharedBytes& data = graph_.tensors[tensor].data;
    data = deferred_bytes(data->size(), data->size(), [data, &reads](std::span<std::byte> to) {
      ++reads;
      std::ranges::copy(*data, to.begin());
      return Status();
    });
    return *this;
  }
  LoweredNode& integer(Attr attr, std::initializer_list<double> values) { return set(attr, false, values); }
  LoweredNode& real(Attr attr, double value) { return set(attr, true, {value}); }

  // Without an operand, or with the last input as operand.
  LoweredNode& step(Op op, bool with_operand = false, bool swapped = false) {
    const auto last = uint32_t(node_.inputs.size() - 1);
    node_.post_ops.push_back({op, {}, with_operand ? std::optional(last) : std::nullopt, swapped});
    return *this;
  }

  NodeView view(std::span<const std::byte* const> values) const {
    return {graph_, node_, graph_.shapes, values};
  }
  std::vector<const std::byte*> values() const { return constant_values(graph_); }
  Refusal refusal() const {
    const auto values = constant_values(graph_);
    return vulkan::lowering(node_.op)->refuse({graph_, node_, graph_.shapes, values}, plan);
  }

  RecordingSink lower() const {
    RecordingSink sink;
    const Status status = try_lower(sink);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    return sink;
  }
  Status try_lower(RecordingSink& sink) const {
    const auto values = constant_values(graph_);
    const NodeView view(graph_, node_, graph_.shapes, values);
    return vulkan::lowering(node_.op)->lower({view, plan, sink});
  }

  vulkan::DevicePlan plan;

 private:
  template <typename T>
  LoweredNode& constant(Shape shape, DType dtype, const std::vector<T>& values) {
    input(std::move(shape), dtype);
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    graph_.tensors.back().data = std::make_shared<const Bytes>(bytes, bytes + values.size() * sizeof(T));
    return *this;
  }
  TensorId add(Shape shape, DType dtype, Quant quant, Format format) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.format = format;
    tensor.shape = shape;
    tensor.quant = std::move(quant);
    graph_.tensors.push_back(std::move(tensor));
    graph_.shapes.push_back(std::move(shape));
    return TensorId(graph_.tensors.size() - 1);
  }
  LoweredNode& set(Attr attr, bool real, std::vector<double> values) {
    AttrValue value{.dtype = real ? DType::f32 : DType::i64, .integers = {}, .floats = {}};
    if (real) {
      value.floats = std::move(values);
    } else {
      for (const double number : values) value.integers.push_back(int64_t(number));
    }
    node_.attrs.set(attr, std::move(value));
    return *this;
  }

  Graph graph_;
  Node node_;
};

// Word i of the push constants.
template <typename T = uint32_t>
T push_word(const vulkan::Dispatch& dispatch, size_t i) {
  T word;
  static_assert(sizeof word == 4);
  std::memcpy(&word, dispatch.push.data() + 4 * i, 4);
  return word;
}

template <typename T = uint32_t>
std::vector<T> push_words(const vulkan::Dispatch& dispatch, size_t first, size_t count) {
  std::vector<T> words;
  for (size_t i = first; i < first + count; ++i) words.push_back(push_word<T>(dispatch, i));
  return words;
}

}  // namespace nnrt::test
