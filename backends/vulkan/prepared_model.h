// A graph on a Vulkan device: constants, a program for each set of shapes, run contexts.
#pragma once

#include "backends/vulkan/background.h"
#include "backends/vulkan/constants.h"
#include "backends/vulkan/run_context.h"
#include "core/device.h"

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::vulkan {

class VulkanModel final : public PreparedModel {
 public:
  // A graph of static shapes is lowered now, others in the first run of each set of shapes.
  // Of its tensors the first `graph_tensors` are those of the graph that the device was given. Runs are
  // submitted to the queue, one of the plan's. With Shaders::later tuned programs are made in the background,
  // and runs change over to them.
  static Result<std::unique_ptr<PreparedModel>> create(ContextPtr context, GraphPtr graph,
                                                       size_t graph_tensors, uint32_t queue, Shaders shaders);
  // What export_cache() wrote, of the graph that prepare() was given. Code::invalid_file where it does not
  // fit graph and device.
  static Result<std::unique_ptr<PreparedModel>> restore(ContextPtr context, GraphPtr graph,
                                                        const SharedBytes& cached, uint32_t queue);
  VulkanModel(ContextPtr context, GraphPtr graph, size_t graph_tensors, uint32_t queue, Shaders shaders);

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  // Of a graph of static shapes; nothing else is known before the first run.
  Result<Bytes> export_cache() const override;
  ArenaPlan arena() const override;  // of the shapes used last

 private:
  using ProgramPtr = std::shared_ptr<const Program>;
  struct Known {
    std::vector<Shape> inputs;
    ProgramPtr program;
    std::chrono::microseconds ran{};  // by a quick program, in all runs
  };

  Result<ProgramPtr> program_for(const std::vector<Shape>& inputs);
  ProgramPtr find(const std::vector<Shape>& inputs);
  // As values: no pipelines, nothing uploaded.
  Result<Program> lower(std::span<const Shape> inputs, Shaders shaders,
                        const std::shared_ptr<Constants>& constants) const;
  Result<ProgramPtr> make_ready(Program program, Constants& constants);
  Status upload(Constants& constants) const;
  Status read(const SharedBytes& cached);
  Status reserve(const Program& program);
  Result<std::unique_ptr<RunContext>> acquire();
  void give_back(std::unique_ptr<RunContext> run_context, const ProgramPtr& program);

  // The way from quick shaders to tuned ones.
  void count_run(const ProgramPtr& program, Clock::duration ran);
  void tune(const ProgramPtr& quick, const std::vector<Shape>& inputs);
  Status try_to_tune(const ProgramPtr& quick, const std::vector<Shape>& inputs);
  Status compile_one_by_one(const Program& program);
  void replace(const ProgramPtr& quick, ProgramPtr tuned);

  const ContextPtr context_;
  const GraphPtr graph_;
  const size_t graph_tensors_;
  const uint32_t queue_;
  mutable std::mutex making_mutex_;       // of making programs, but for compiling in the background
  Shaders shaders_;                       // of programs to come
  std::shared_ptr<Constants> constants_;  // of those
  mutable std::mutex program_mutex_;
  std::list<Known> programs_;  // the latest used first
  bool tunes_;                 // quick programs are replaced, unless that fails
  std::mutex pool_mutex_;
  std::vector<std::unique_ptr<RunContext>> pool_;
  Background background_;  // ends before all else
};

}  // namespace nnrt::vulkan
