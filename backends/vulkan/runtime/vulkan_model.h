// A graph on a Vulkan device: constants, a program for each set of shapes, run contexts.
#pragma once

#include "backends/vulkan/memory/device_constants.h"
#include "backends/vulkan/runtime/background_task.h"
#include "backends/vulkan/runtime/run_context.h"
#include "backends/vulkan/tuning/tile_tuner.h"
#include "core/device/device.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace nnrt::vulkan {

class VulkanModel final : public PreparedModel {
 public:
  struct Request {
    GraphPtr graph;        // as the device was given it
    bool float16 = false;  // stored, where that is permitted and the device does it
    uint32_t level = 0;    // priority of the queues for runs, see level_for()
    // With Shaders::deferred optimized programs are made in the background, and runs change over to them.
    Shaders shaders = Shaders::optimized;
    bool uses_residence = false;  // tensors stay in the device's memory where the client allows it
    std::shared_ptr<TileTuner> tuner = nullptr;  // null: tiles are chosen without measurements
    SharedBytes cached = nullptr;                // a result of export_cache(); null: nothing
  };
  // A graph of static shapes is lowered now, others in the first run of each set of shapes.
  // Code::invalid_file where `cached` does not fit graph and device.
  static Result<std::unique_ptr<PreparedModel>> create(ContextPtr context, const Request& request);
  // `source` is what prepared_source() makes of the request's graph.
  VulkanModel(ContextPtr context, const Request& request, GraphPtr source);

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  bool uses_residence() const override { return uses_residence_; }
  // Looks at the programs that are known: with open shapes only those of runs before.
  bool may_share(size_t input, size_t output) const override;
  // Needs static shapes; no others are known before the first run. A model that changes over to optimized
  // shaders exports those it begins with.
  Result<Bytes> export_cache(const GraphPtr& graph) const override;
  ArenaPlan arena() const override;  // for the shapes used last
  // Lowers the shapes used last once more, for nobody. Before the first run with open shapes there are none:
  // then each operation is chosen in each run.
  KernelReport kernels(const GraphPtr& graph) const override;
  // If the device has the host's memory, another one that needs large weights once more is no better off.
  bool may_lack_memory() const override;

 private:
  using ProgramPtr = std::shared_ptr<const Program>;
  struct Known {
    std::vector<Shape> inputs;
    ProgramPtr program;
    std::chrono::microseconds ran{};  // by a fast-compile program, in all runs
  };

  std::optional<std::vector<Shape>> latest_inputs() const;
  Result<ProgramPtr> program_for(const std::vector<Shape>& inputs);
  ProgramPtr find(const std::vector<Shape>& inputs);
  // As values: no pipelines, nothing uploaded.
  Result<Program> lower(const Graph& graph, std::span<const Shape> inputs, Shaders shaders,
                        const std::shared_ptr<Constants>& constants) const;
  static Result<ProgramPtr> make_ready(Program program, Constants& constants, const ContextPtr& context);
  static Status upload(Constants& constants, const ContextPtr& context);
  Status read(const Graph& graph, const SharedBytes& cached);
  bool is_static() const;
  Result<std::unique_ptr<RunContext>> run_context_for(const Program& program) const;
  Status reserve(const Program& program);
  // Moving one between lists needs no memory.
  using Contexts = std::list<std::unique_ptr<RunContext>>;
  // A run context for a run of the program.
  struct ContextLease {
    VulkanModel& model;
    ProgramPtr program;
    Contexts context = {};  // one, or none
    bool is_counted = false;

    ContextLease(VulkanModel& owner, ProgramPtr of) : model(owner), program(std::move(of)) {}
    ~ContextLease() { model.give_back(*this); }
    ContextLease(const ContextLease&) = delete;
    ContextLease& operator=(const ContextLease&) = delete;
  };
  Status lend(ContextLease& lease, Deadline deadline);
  bool take_from_pool(ContextLease& lease);
  void drop_idle();
  void release_source();
  void give_back(ContextLease& lease) noexcept;

  // The way from fast-compile shaders to optimized ones.
  void count_run(const ProgramPtr& program, Clock::duration ran);
  void begin_to_optimize(const ProgramPtr& program);
  void optimize_in_background(const ProgramPtr& fast_compile, const std::vector<Shape>& inputs) noexcept;
  Status try_to_optimize(const ProgramPtr& fast_compile, const std::vector<Shape>& inputs);
  bool optimizes_beside() const;
  ContextPtr optimizing_context() const;
  Status compile_one_by_one(const Program& program, Context& context);
  void replace(const ProgramPtr& fast_compile, ProgramPtr optimized);

  const ContextPtr context_;  // it begins with this one
  const bool float16_;
  const bool uses_residence_;
  const uint32_t level_;
  const bool begins_fast_compile_;
  mutable std::mutex making_mutex_;         // guards making programs, except compiling in the background
  Shaders shaders_;                         // for programs to come
  ContextPtr making_context_;               // their context
  std::shared_ptr<Constants> constants_;    // their constants
  GraphPtr source_;                         // programs are lowered from it; null when none will be
  const GraphPtr graph_;                    // the same without data
  const std::shared_ptr<TileTuner> tuner_;  // may be null
  bool may_lack_memory_ = true;             // set in Build
  mutable std::mutex program_mutex_;
  std::list<Known> programs_;  // the latest used first
  bool optimizes_;             // fast-compile programs are replaced, unless that fails
  std::mutex pool_mutex_;
  std::condition_variable given_back_;
  Contexts pool_;
  size_t lent_ = 0;
  Background background_;  // ends before all else
};

}  // namespace nnrt::vulkan
