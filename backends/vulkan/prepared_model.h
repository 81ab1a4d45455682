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
  // Of its tensors the first `graph_tensors` are those of the graph that the device was given. Runs are
  // submitted to the queue, one of the plan's.
  static Result<std::unique_ptr<PreparedModel>> create(ContextPtr context, GraphPtr graph,
                                                       size_t graph_tensors, uint32_t queue);
  // What export_cache() wrote, of the graph that prepare() was given. Code::invalid_file where it does not
  // fit graph and device.
  static Result<std::unique_ptr<PreparedModel>> restore(ContextPtr context, GraphPtr graph,
                                                        const SharedBytes& cached, uint32_t queue);
  VulkanModel(ContextPtr context, GraphPtr graph, size_t graph_tensors, uint32_t queue);

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  // Of a graph of static shapes; nothing else is known before the first run.
  Result<Bytes> export_cache() const override;
  ArenaPlan arena() const override;  // of the shapes used last

 private:
  using ProgramPtr = std::shared_ptr<const Program>;
  struct Known {
    std::vector<Shape> inputs;
    ProgramPtr program;
  };

  Result<ProgramPtr> program_for(std::vector<Shape> inputs);
  Result<ProgramPtr> make_program(std::span<const Shape> inputs);
  Result<ProgramPtr> make_ready(Program program);
  Status read(const SharedBytes& cached);
  Status reserve(const Program& program);
  Result<std::unique_ptr<RunContext>> acquire();

  const ContextPtr context_;
  const GraphPtr graph_;
  const size_t graph_tensors_;
  const uint32_t queue_;
  mutable std::mutex program_mutex_;
  Constants constants_;
  std::list<Known> programs_;  // the latest used first
  std::mutex pool_mutex_;
  std::vector<std::unique_ptr<RunContext>> pool_;
};

}  // namespace nnrt::vulkan
