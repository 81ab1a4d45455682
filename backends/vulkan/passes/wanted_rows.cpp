#include "backends/vulkan/passes/wanted_rows.h"

#include "backends/vulkan/lower/data_movement/fused_copies.h"
#include "core/schema/schema.h"

namespace nnrt::vulkan {
WantedRowsFinder::WantedRowsFinder(const Graph& graph) : graph_(graph), only_reader_(graph.tensors.size()) {
  std::vector<size_t> reads(graph.tensors.size());
  for (const TensorId id : graph.outputs) reads[id] = 2;
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.inputs) only_reader_[id] = ++reads[id] == 1 ? &node : nullptr;
  }
}

std::optional<WantedRows> WantedRowsFinder::find(TensorId tensor, std::span<const Shape> shapes,
                                                 std::span<const std::byte* const> values) const {
  WantedRows wanted{.tensor = tensor, .rows = {}, .movement = {}};
  std::vector<CopiedRegion> way;
  for (;;) {
    const Node* reader = only_reader_[wanted.tensor];
    const bool is_movement = reader != nullptr && (only_reshapes(reader->op) || reader->op == Op::transpose);
    if (!is_movement || reader->diagnosis || reader->inputs[0] != wanted.tensor) return std::nullopt;
    const TensorId result = reader->outputs[0];
    if (graph_.tensors[result].dtype != graph_.tensors[tensor].dtype) return std::nullopt;
    const Result<CopyProgram> program = copy_program({graph_, *reader, shapes, values});
    if (!program.ok() || program.value().needs_fill || program.value().regions.size() != 1)
      return std::nullopt;
    const CopyRegion& region = program.value().regions[0];
    auto next = way.empty() ? std::vector{CopiedRegion{tensor, region}} : through(region, way);
    if (!next || next->size() != 1) return std::nullopt;
    way = *std::move(next);
    wanted.movement.push_back(reader);
    wanted.tensor = result;
    if (reader->op == Op::transpose) break;
  }
  const auto rows = rows_copied_to(way[0].region, shapes[tensor]);
  if (!rows) return std::nullopt;
  wanted.rows = *rows;
  return wanted;
}

}  // namespace nnrt::vulkan
