#include "tests/compilers/step_table.h"

#include "core/base/text.h"
#include "core/device/node_cost.h"
#include "core/schema/schema.h"

#include <stdexcept>
#include <utility>

namespace nnrt::test {
namespace {

constexpr const char* kHeader =
    "model\tstep\tbarrier\tnode\top\tfp16\tflops\ttensor_bytes\tbytes\tshader\tconstants\t"
    "groups\tinvocations\titerations\tpipeline\tstatistics\n";

uint64_t product(const vulkan::Size3& size) { return uint64_t{size[0]} * size[1] * size[2]; }

std::string statistics_of(const statistics::CompileRecord& compiled) {
  std::string text;
  for (const auto& [name, value] : compiled.values) text += cat(text.empty() ? "" : ";", name, "=", value);
  return text;
}

}  // namespace

StepTable::StepTable(std::string folder) : folder_(std::move(folder)), rows_(opened("steps.tsv")) {
  std::fputs(kHeader, rows_.get());
}

StepTable::File StepTable::opened(const std::string& name) const {
  const std::string path = cat(folder_, "/", name);
  File file(std::fopen(path.c_str(), "w"));
  if (file == nullptr) throw std::runtime_error(cat("Cannot write ", path, "."));
  return file;
}

void StepTable::add_pipeline(size_t number, const statistics::CompileRecord& compiled) const {
  std::fputs(compiled.code.c_str(), opened(cat(number, ".txt")).get());
}

void StepTable::add_step(const std::string& model, const PlannedProgram& planned, size_t nth, size_t pipeline,
                         const statistics::CompileRecord& compiled) {
  const Graph& graph = *planned.graph;
  const vulkan::Step& step = planned.program.steps[nth];
  const auto& dispatch = std::get<vulkan::Dispatch>(step.command);
  const bool has_node = step.node != vulkan::kNoNode;
  const Cost cost = has_node ? cost_of(graph, graph.nodes[step.node], graph.shapes).value_or(Cost{}) : Cost{};
  uint64_t bytes = 0;
  for (const vulkan::BufferRegion& region : step.regions) bytes += region.bytes;
  std::string constants;
  for (const uint32_t one : dispatch.constants) constants += cat(constants.empty() ? "" : " ", one);
  const std::string row =
      cat(model, "\t", nth, "\t", int(step.barrier), "\t", has_node ? cat(step.node) : "-", "\t",
          has_node ? std::string(short_name(graph.nodes[step.node].op)) : "-", "\t",
          int(dispatch.fp16_bindings != 0), "\t", cost.flops, "\t", cost.bytes, "\t", bytes, "\t",
          dispatch.shader, "\t", constants, "\t", product(step.groups), "\t", product(dispatch.local), "\t",
          dispatch.iterations, "\t", pipeline, "\t", statistics_of(compiled), "\n");
  std::fputs(row.c_str(), rows_.get());
}

}  // namespace nnrt::test
