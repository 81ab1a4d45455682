// A partition of an interpreter's graph with the programs compiled for it.
#pragma once

#include "tools/plugins/base/program.h"
#include "tools/plugins/tflite/partition_plan.h"

#include <list>

namespace nnrt::tflite_plugin {

class Partition {
 public:
  Partition(PlannedPartition planned, plugins::PluginDevice device, const plugins::PluginOptions& options);

  const Section& section() const { return section_; }
  // The section's nodes, as the interpreter numbers them.
  const std::vector<int32_t>& numbers() const { return numbers_; }
  void set_numbers(std::vector<int32_t> numbers) { numbers_ = std::move(numbers); }
  const plugins::PluginDevice& device() const { return device_; }
  // The interpreter's tensors in the order of the program's inputs and outputs.
  const std::vector<int32_t>& inputs() const { return model_.inputs(); }
  const std::vector<int32_t>& outputs() const { return model_.outputs(); }
  // The interpreter's variable tensors whose next contents follow the outputs.
  const std::vector<int32_t>& states() const { return states_; }
  // The input shapes of the interpreter's graph when the partition was planned.
  std::vector<import::Shape> planned_shapes() const;

  // The program for these input shapes, valid until the next call.
  Result<plugins::Program*> program_for(const std::vector<import::Shape>& shapes);

 private:
  struct CompiledShapes {
    std::vector<import::Shape> shapes;
    plugins::Program program;
  };

  Section section_;
  std::vector<int32_t> numbers_;
  PartitionModel model_;
  std::vector<int32_t> states_;
  std::optional<import::Network> network_;  // for the planned shapes; until they are compiled
  plugins::PluginDevice device_;
  plugins::PluginOptions options_;
  std::list<CompiledShapes> compiled_;  // the last used first
};

}  // namespace nnrt::tflite_plugin
