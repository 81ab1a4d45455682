// Deferred compilation in VulkanModel: optimized shaders are compiled once the runs of a program have taken a
// fraction of the compile time. A client with a single run never pays for them. Drivers that compile in their
// queue make a run wait for the shader before it.
#include "backends/vulkan/device/process_end.h"
#include "backends/vulkan/runtime/pipeline_warm_up.h"
#include "backends/vulkan/runtime/vulkan_model.h"
#include "core/base/exceptions.h"
#include "core/platform/log.h"
#include "core/platform/trace.h"

#include <algorithm>
#include <set>

namespace nnrt::vulkan {
namespace {

using Variant = std::tuple<std::string_view, std::vector<uint32_t>, Size3>;

// One dispatch per shader variant that the program needs.
std::vector<const Dispatch*> variants_of(const Program& program) {
  std::set<Variant> seen;
  std::vector<const Dispatch*> variants;
  for (const Step& step : program.steps) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    if (dispatch == nullptr) continue;
    if (seen.emplace(dispatch->shader, dispatch->constants, dispatch->local).second)
      variants.push_back(dispatch);
  }
  return variants;
}

Error stopped() { return {Code::unavailable_device, "The model is being destroyed."}; }

}  // namespace

void VulkanModel::count_run(const ProgramPtr& program, Clock::duration ran) {
  const std::lock_guard lock(program_mutex_);
  if (!optimizes_) return;
  const auto known = std::ranges::find(programs_, program, &CachedProgram::program);
  if (known == programs_.end()) return;
  known->ran += std::chrono::duration_cast<std::chrono::microseconds>(ran);
}

void VulkanModel::begin_to_optimize(const ProgramPtr& program) {
  if (!program->gains_by_optimizing) return;
  const std::lock_guard lock(program_mutex_);
  if (!optimizes_) return;
  const auto known = std::ranges::find(programs_, program, &CachedProgram::program);
  if (known == programs_.end() || known->ran.count() == 0) return;
  // Assumes as many optimized shaders as fast-compile ones.
  const double expected = context_->plan().pipelines.compile_us * double(variants_of(*program).size());
  if (double(known->ran.count()) < expected) return;
  background_.begin([this, program, inputs = known->inputs] { optimize_in_background(program, inputs); });
}

void VulkanModel::optimize_in_background(const ProgramPtr& fast_compile,
                                         const std::vector<Shape>& inputs) noexcept {
  const Status status = catching([&] {
    const trace::Span span("compile", "optimize");
    return try_to_optimize(fast_compile, inputs);
  });
  if (status.ok())
    return best_effort([] { log(LogLevel::info, "Switched a model to its optimized shaders."); });
  const std::lock_guard making(making_mutex_);
  release_source();
  const std::lock_guard lock(program_mutex_);
  optimizes_ = false;
  if (background_.stopping() || !hold_process().ok()) return;  // hold_process: the process is exiting
  best_effort([&] {
    log(LogLevel::warning, cat("A model keeps its fast-compile shaders: ", status.error().message));
  });
}

Status VulkanModel::try_to_optimize(const ProgramPtr& fast_compile, const std::vector<Shape>& inputs) {
  std::shared_ptr<Constants> constants;
  Program program;
  {
    const std::lock_guard making(making_mutex_);
    const bool is_first = shaders_ != Shaders::optimized;
    NNRT_ASSIGN(const auto hold, hold_process());  // lowering may upload constants
    constants = is_first ? std::make_shared<Constants>(context_->plan(), context_) : constants_;
    NNRT_ASSIGN(program, lower(*source_, inputs, Shaders::optimized, constants));
  }
  NNRT_TRY(compile_one_by_one(program));
  const std::lock_guard making(making_mutex_);
  NNRT_ASSIGN(const auto hold, hold_process());
  NNRT_ASSIGN(ProgramPtr optimized, make_ready(std::move(program), *constants));
  constants_ = std::move(constants);
  shaders_ = Shaders::optimized;
  replace(fast_compile, std::move(optimized));
  release_source();
  return {};
}

// One at a time, so that destruction waits for at most one, and runs can proceed in between.
Status VulkanModel::compile_one_by_one(const Program& program) {
  for (const Dispatch* dispatch : variants_of(program)) {
    if (background_.stopping()) return stopped();
    const trace::Span span("compile", [&] { return trace::Event{cat("optimize ", dispatch->shader)}; });
    NNRT_ASSIGN(const auto hold, hold_process());
    WarmUp warm_up(*context_);
    NNRT_TRY(context_->pipelines().get(
        {&dispatch, 1},
        [&](const Dispatch& cold, const PipelinePtr& pipeline) { return warm_up.add(cold, pipeline); }));
    NNRT_TRY(warm_up.finish());
  }
  return background_.stopping() ? stopped() : Status();
}

// Runs in progress keep their program.
void VulkanModel::replace(const ProgramPtr& fast_compile, ProgramPtr optimized) {
  {
    const std::lock_guard lock(program_mutex_);
    const auto known = std::ranges::find(programs_, fast_compile, &CachedProgram::program);
    if (known != programs_.end()) known->program = std::move(optimized);
  }
  const std::lock_guard lock(pool_mutex_);
  fast_compile->replaced = true;
  for (const auto& run_context : pool_) run_context->forget(*fast_compile);
}

}  // namespace nnrt::vulkan
