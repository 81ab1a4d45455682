// A graph on a Vulkan device: constants, one program per set of shapes, and run contexts.
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
    GraphPtr graph;        // as passed to the device
    bool float16 = false;  // store fp16 if the device gains by it; allowed by the client
    uint32_t level = 0;    // queue priority of runs, see level_for()
    // Shaders::deferred compiles optimized programs in the background, and later runs use them.
    Shaders shaders = Shaders::optimized;
    bool uses_residence = false;                 // tensors stay in device memory if the client allows it
    std::shared_ptr<TileTuner> tuner = nullptr;  // null: no measured tiles
    SharedBytes cached = nullptr;                // from export_cache(); null: none
  };
  // A graph with static shapes is lowered now, others at the first run of each set of shapes.
  // Code::invalid_file if `cached` does not match graph and device.
  static Result<std::unique_ptr<PreparedModel>> create(ContextPtr context, const Request& request);
  // `source` is the result of prepared_source() on the request's graph.
  VulkanModel(ContextPtr context, const Request& request, GraphPtr source);

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  bool uses_residence() const override { return uses_residence_; }
  // Checks the programs known so far; with open shapes, those of earlier runs.
  bool may_share(size_t input, size_t output) const override;
  // Requires static shapes. A model with deferred optimized shaders exports its fast-compile shaders.
  Result<Bytes> export_cache(const GraphPtr& graph) const override;
  ArenaPlan arena() const override;  // for the most recent shapes
  // Lowers the most recent shapes once more, discarding the result. With open shapes there are none before
  // the first run, and kernels are chosen per run.
  KernelReport kernels(const GraphPtr& graph) const override;
  // False if the device shares host memory: a fallback device would need the large weights once more and be
  // no better off.
  bool may_lack_memory() const override;

 private:
  using ProgramPtr = std::shared_ptr<const Program>;
  struct CachedProgram {
    std::vector<Shape> inputs;
    ProgramPtr program;
    std::chrono::microseconds ran{};  // total run time of a fast-compile program
  };

  std::optional<std::vector<Shape>> latest_inputs() const;
  Result<ProgramPtr> program_for(const std::vector<Shape>& inputs);
  ProgramPtr find(const std::vector<Shape>& inputs);
  // Without pipelines or uploads.
  Result<Program> lower(const Graph& graph, std::span<const Shape> inputs, Shaders shaders,
                        const std::shared_ptr<Constants>& constants) const;
  Result<ProgramPtr> make_ready(Program program, Constants& constants) const;
  Status upload(Constants& constants) const;
  Status read(const Graph& graph, const SharedBytes& cached);
  bool is_static() const;
  Result<std::unique_ptr<RunContext>> make_run_context() const;
  Status reserve(const Program& program);
  // A list, so that moving an entry between lists allocates nothing.
  using Contexts = std::list<std::unique_ptr<RunContext>>;
  // Holds a run context during a run.
  struct ContextLease {
    VulkanModel& model;
    ProgramPtr program;
    Contexts context = {};  // one entry, or none
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

  // Changing from fast-compile to optimized shaders.
  void count_run(const ProgramPtr& program, Clock::duration ran);
  void begin_to_optimize(const ProgramPtr& program);
  void optimize_in_background(const ProgramPtr& fast_compile, const std::vector<Shape>& inputs) noexcept;
  Status try_to_optimize(const ProgramPtr& fast_compile, const std::vector<Shape>& inputs);
  Status compile_one_by_one(const Program& program);
  void replace(const ProgramPtr& fast_compile, ProgramPtr optimized);

  const ContextPtr context_;
  const bool float16_;
  const bool uses_residence_;
  const uint32_t level_;
  const bool begins_fast_compile_;
  mutable std::mutex making_mutex_;         // guards the creation of programs, except background compilation
  Shaders shaders_;                         // for new programs
  std::shared_ptr<Constants> constants_;    // for new programs
  GraphPtr source_;                         // new programs are lowered from it; null if there will be none
  const GraphPtr graph_;                    // without constant data
  const std::shared_ptr<TileTuner> tuner_;  // may be null
  bool may_lack_memory_ = true;             // set in Build
  mutable std::mutex program_mutex_;
  std::list<CachedProgram> programs_;  // most recently used first
  bool optimizes_;                     // fast-compile programs will be replaced; false after a failure
  std::mutex pool_mutex_;
  std::condition_variable given_back_;
  Contexts pool_;
  size_t lent_ = 0;
  Background background_;  // must be destroyed first
};

}  // namespace nnrt::vulkan
