#include "tests/import/mindspore/flat_composer.h"

#include "core/base/bytes_of.h"

#include <flatbuffers/flatbuffers.h>

#include <span>

namespace nnrt::test {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Offset = flatbuffers::Offset<void>;

flatbuffers::voffset_t slot(int id) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(id));
}

Offset write(Builder& builder, const FlatRow& row);

// Strings, vectors and tables are written before the table that refers to them.
struct Children {
  Builder& builder;

  template <typename T>
  Offset operator()(const T&) const {
    return {};
  }
  Offset operator()(const std::string& text) const { return builder.CreateString(text).Union(); }
  template <typename T>
  Offset operator()(const std::vector<T>& values) const {
    return builder.CreateVector(values).Union();
  }
  Offset operator()(const Bytes& bytes) const {
    return builder.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()).Union();
  }
  Offset operator()(const FlatRow& row) const { return write(builder, row); }
  Offset operator()(const FlatRows& rows) const {
    std::vector<Offset> offsets;
    for (const FlatRow& row : rows) offsets.push_back(write(builder, row));
    return builder.CreateVector(offsets).Union();
  }
};

struct Numbers {
  Builder& builder;
  int id;

  template <typename T>
  void operator()(const T& value) const {
    if constexpr (std::is_same_v<T, bool>) {
      builder.AddElement<uint8_t>(slot(id), value ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      builder.AddElement<T>(slot(id), value);
    }
  }
};

Offset write(Builder& builder, const FlatRow& row) {
  std::map<int, Offset> children;
  for (const auto& [id, field] : row.fields) children[id] = std::visit(Children{builder}, field);
  const auto start = builder.StartTable();
  for (const auto& [id, field] : row.fields) {
    if (!children[id].IsNull()) builder.AddOffset(slot(id), children[id]);
    std::visit(Numbers{builder, id}, field);
  }
  return {builder.EndTable(start)};
}

}  // namespace

Bytes flat_file(const FlatRow& root, const std::string& identifier) {
  Builder builder;
  builder.Finish(write(builder, root), identifier.empty() ? nullptr : identifier.c_str());
  return bytes_of(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

FlatRow ms_tensor(const std::string& name, std::vector<int32_t> dims, int32_t type) {
  return {{{0, 2}, {1, type}, {2, std::move(dims)}, {3, 1}, {9, name}}};
}

FlatRow ms_constant(std::vector<int32_t> dims, int32_t type, Bytes data) {
  return {{{1, type}, {2, std::move(dims)}, {3, 1}, {6, std::move(data)}, {9, std::string("constant")}}};
}

FlatRow ms_quant(double scale, int32_t zero_point, int32_t bits) {
  return {{{0, scale}, {1, zero_point}, {5, bits}, {6, true}}};
}

FlatRow ms_node(int8_t primitive, FlatRow fields, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                int32_t quant_type) {
  return {{{0, std::string("node")},
           {2, FlatRow{{{0, primitive}, {1, std::move(fields)}}}},
           {3, std::move(inputs)},
           {4, std::move(outputs)},
           {5, quant_type}}};
}

FlatRow ms_root(FlatRows nodes, FlatRows tensors, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                const std::string& version) {
  return {{{1, version},
           {3, std::move(inputs)},
           {4, std::move(outputs)},
           {6, std::move(nodes)},
           {7, std::move(tensors)}}};
}

}  // namespace nnrt::test
