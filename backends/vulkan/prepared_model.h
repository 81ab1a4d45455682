// A graph on a Vulkan device: constants, a program for each set of shapes, run contexts.
#pragma once

#include "backends/vulkan/background.h"
#include "backends/vulkan/constants.h"
#include "backends/vulkan/run_context.h"
#include "core/device.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::vulkan {

class VulkanModel final : public PreparedModel {
 public:
  struct Request {
    GraphPtr graph;        // as the device was given it
    bool float16 = false;  // stored, where that is permitted and the device does it
    uint32_t queue = 0;    // of the plan's, for runs
    // With Shaders::later tuned programs are made in the background, and runs change over to them.
    Shaders shaders = Shaders::tuned;
    SharedBytes cached = nullptr;  // what export_cache() wrote; null: nothing
  };
  // A graph of static shapes is lowered now, others in the first run of each set of shapes.
  // Code::invalid_file where `cached` does not fit graph and device.
  static Result<std::unique_ptr<PreparedModel>> create(ContextPtr context, const Request& request);
  VulkanModel(ContextPtr context, const Request& request);

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  // Of a graph of static shapes; nothing else is known before the first run. Of a model that changes over to
  // tuned shaders, what it begins with.
  Result<Bytes> export_cache(const GraphPtr& graph) const override;
  ArenaPlan arena() const override;  // of the shapes used last
  // Where the device has the host's memory, another one that needs large weights once more is no better off.
  bool may_lack_memory() const override;

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
  Result<Program> lower(const Graph& graph, std::span<const Shape> inputs, Shaders shaders,
                        const std::shared_ptr<Constants>& constants) const;
  GraphPtr simplified(const Graph& graph) const;
  Result<ProgramPtr> make_ready(Program program, Constants& constants);
  Status upload(Constants& constants) const;
  Status read(const Graph& graph, const SharedBytes& cached);
  bool is_static() const;
  Status reserve(const Program& program);
  // A run context for a run of the program.
  struct Lent {
    VulkanModel& model;
    ProgramPtr program;
    std::unique_ptr<RunContext> context;

    Lent(VulkanModel& owner, ProgramPtr of) : model(owner), program(std::move(of)) {}
    ~Lent() { model.give_back(std::move(context), *program); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
  };
  Status lend(Lent& lent, Deadline deadline);
  bool take_from_pool(std::unique_ptr<RunContext>& context);
  void drop_idle();
  void release_source();
  void give_back(std::unique_ptr<RunContext> run_context, const Program& program);

  // The way from quick shaders to tuned ones.
  void count_run(const ProgramPtr& program, Clock::duration ran);
  void tune(const ProgramPtr& quick, const std::vector<Shape>& inputs);
  Status try_to_tune(const ProgramPtr& quick, const std::vector<Shape>& inputs);
  Status compile_one_by_one(const Program& program);
  void replace(const ProgramPtr& quick, ProgramPtr tuned);

  const ContextPtr context_;
  const bool stores_halves_;
  const uint32_t queue_;
  const bool begins_quick_;
  mutable std::mutex making_mutex_;       // of making programs, but for compiling in the background
  Shaders shaders_;                       // of programs to come
  std::shared_ptr<Constants> constants_;  // of those
  GraphPtr source_;                       // what programs are lowered from; null when none will be
  const GraphPtr graph_;                  // the same without data
  bool may_lack_memory_ = true;           // set in Build
  mutable std::mutex program_mutex_;
  std::list<Known> programs_;  // the latest used first
  bool tunes_;                 // quick programs are replaced, unless that fails
  std::mutex pool_mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<RunContext>> pool_;
  size_t lent_ = 0;
  Background background_;  // ends before all else
};

}  // namespace nnrt::vulkan
