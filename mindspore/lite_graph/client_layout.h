// Where the members of a client's LiteGraph are. Its strings and vectors are those of the client's C++
// library.
#pragma once

#include <cstddef>
#include <optional>

namespace nnrt::mindspore {

enum class ClientLibrary { libstdcxx, libstdcxx_old, libcxx };

// A vector is three pointers in all libraries; only strings differ.
struct GraphLayout {
  ClientLibrary library{};
  size_t text = 0;  // bytes of a std::string

  static constexpr size_t kVector = 24;

  constexpr size_t graph_inputs() const { return 2 * text; }
  constexpr size_t graph_outputs() const { return graph_inputs() + kVector; }
  constexpr size_t graph_tensors() const { return graph_outputs() + kVector; }
  constexpr size_t graph_nodes() const { return graph_tensors() + kVector; }
  constexpr size_t graph_subgraphs() const { return graph_nodes() + kVector; }
  constexpr size_t graph_bytes() const { return graph_subgraphs() + kVector; }

  constexpr size_t node_primitive() const { return 2 * text + 8; }
  constexpr size_t node_operator() const { return 2 * text + 16; }  // a shared_ptr
  constexpr size_t node_inputs() const { return 2 * text + 32; }
  constexpr size_t node_outputs() const { return node_inputs() + kVector; }
  constexpr size_t node_quant_type() const { return node_outputs() + kVector; }
  constexpr size_t node_bytes() const { return node_quant_type() + 8; }

  // Four vectors behind the name.
  constexpr size_t subgraph_vector(size_t i) const { return text + i * kVector; }
  constexpr size_t subgraph_bytes() const { return subgraph_vector(4); }
};

inline constexpr GraphLayout kLayouts[] = {
    {ClientLibrary::libstdcxx_old, 8}, {ClientLibrary::libcxx, 24}, {ClientLibrary::libstdcxx, 32}};
static_assert(kLayouts[0].graph_bytes() == 136 && kLayouts[1].graph_bytes() == 168 &&
              kLayouts[2].graph_bytes() == 184 && kLayouts[0].node_bytes() == 104 &&
              kLayouts[1].node_bytes() == 136 && kLayouts[2].node_bytes() == 152 &&
              kLayouts[0].subgraph_bytes() == 104 && kLayouts[1].subgraph_bytes() == 120 &&
              kLayouts[2].subgraph_bytes() == 128);

// The layout with which the graph makes sense; empty if there is none.
std::optional<GraphLayout> layout_of(const void* graph);

}  // namespace nnrt::mindspore
