// A graph on a Vulkan device: constants, a program for each set of shapes, run contexts.
#pragma once

#include "backends/vulkan/constants.h"
#include "backends/vulkan/run_context.h"
#include "core/device.h"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::vulkan {

class VulkanModel final : public PreparedModel {
 public:
  // A graph of static shapes is lowered now, others in the first run of each set of shapes.
  static Result<std::unique_ptr<PreparedModel>> create(ContextPtr context, GraphPtr graph);
  VulkanModel(ContextPtr context, GraphPtr graph);

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;

 private:
  using ProgramPtr = std::shared_ptr<const Program>;
  struct Known {
    std::vector<Shape> inputs;
    ProgramPtr program;
  };

  Result<ProgramPtr> program_for(std::vector<Shape> inputs);
  Result<ProgramPtr> make_program(std::span<const Shape> inputs);
  Result<std::unique_ptr<RunContext>> acquire();

  const ContextPtr context_;
  const GraphPtr graph_;
  std::mutex program_mutex_;
  Constants constants_;
  std::list<Known> programs_;  // the latest used first
  std::mutex pool_mutex_;
  std::vector<std::unique_ptr<RunContext>> pool_;
};

}  // namespace nnrt::vulkan
