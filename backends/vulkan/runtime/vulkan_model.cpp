#include "backends/vulkan/runtime/vulkan_model.h"

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/device/parallel_for_each.h"
#include "backends/vulkan/device/process_end.h"
#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/memory/device_constants.h"
#include "backends/vulkan/passes/fp16_pass.h"
#include "backends/vulkan/program/build/program_builder.h"
#include "backends/vulkan/program/shared_edges.h"
#include "backends/vulkan/program/trial_lowering.h"
#include "backends/vulkan/program/vulkan_graph_passes.h"
#include "backends/vulkan/runtime/pipeline_warm_up.h"
#include "core/base/checksum.h"
#include "core/base/exceptions.h"
#include "core/cache/graph_encoding.h"
#include "core/device/cache_traits.h"
#include "core/graph/graph.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/added_movement.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/drop_weights.h"
#include "core/platform/first_error.h"
#include "core/platform/trace.h"
#include "core/schema/infer.h"

#include <algorithm>
#include <set>
#include <vector>

namespace nnrt::vulkan {
namespace {

bool packs_weights(Op op) {
  switch (op) {
    case Op::matmul:
    case Op::full_connection:
    case Op::conv2d:
    case Op::conv2d_transpose:
    case Op::depthwise_conv2d_native:
    case Op::conv3d: return true;
    default: return false;
  }
}

// Per tensor: whether nothing but packing reads it.
std::vector<bool> only_packed(const Graph& graph) {
  std::vector<bool> is_packed(graph.tensors.size(), true);
  for (const TensorId id : graph.outputs) is_packed[id] = false;
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool is_weight = i == 1 && packs_weights(node.op);
      if (!is_weight || graph.tensors[node.inputs[i]].dtype != DType::f32) is_packed[node.inputs[i]] = false;
    }
  }
  return is_packed;
}

// Whether everything is lowered once, in Build, by passes that read constants only through ensure_read().
bool may_read_late(const Graph& graph, bool float16, Shaders shaders) {
  return !float16 && shaders != Shaders::deferred &&
         std::ranges::all_of(graph.inputs, [&](TensorId id) { return is_static(graph.shapes[id]); });
}

// Reads the constants of a cache file, except weights that `constants` already holds packed.
Status read_needed(const Graph& graph, const Constants& constants) {
  const std::vector<bool> is_packed = only_packed(graph);
  std::vector<SharedBytes> needed;
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const SharedBytes& data = graph.tensors[id].data;
    if (is_deferred(data) && !(is_packed[id] && constants.has_stored(id))) needed.push_back(data);
  }
  FirstError error;
  const auto read = [&](size_t i) -> Status {  // goes on after an error, so that a host learns of all
    if (Status status = ensure_read(needed[i]); !status.ok()) error.add(i, std::move(status).error());
    return {};
  };
  NNRT_TRY(for_each_parallel(needed.size(), read));
  return error.take();
}

constexpr size_t kMaxPrograms = 8;
constexpr size_t kWorthFreeing = size_t{1} << 20;  // bytes of constants worth freeing early

std::vector<Shape> shapes_of(const Graph& graph, std::span<const TensorId> tensors) {
  std::vector<Shape> shapes;
  for (const TensorId id : tensors) shapes.push_back(graph.shapes[id]);
  return shapes;
}

// The input shapes of a run. Static shapes are taken from the model, because [] and [1] are both valid for
// one element.
std::vector<Shape> shapes_of(const Graph& graph, std::span<const TensorView> inputs) {
  std::vector<Shape> shapes = shapes_of(graph, graph.inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_static(shapes[i]) || !compatible(shapes[i], inputs[i].shape)) shapes[i] = inputs[i].shape;
  }
  return shapes;
}

Error lost_error() { return {Code::unavailable_device, "The device is lost."}; }

Status place_outputs(const Graph& graph, const Program& program, std::span<OutputSlot> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].view.shape = program.output_shapes[i];
  for (size_t i = 0; i < outputs.size(); ++i)
    NNRT_TRY(outputs[i].make_room(i, program.edges[graph.inputs.size() + i].bytes));
  return {};
}

// The model passes: returns the graph that programs are lowered from.
Result<GraphPtr> prepared_source(const GraphPtr& graph, const PassContext& context,
                                 std::vector<PassChoice>* log = nullptr) {
  return run_passes(model_passes(), with_distinct_names(graph), context, log);
}

// Runs with empty tensors go to the fallback device, as kernels assume elements.
Status check_elements(const Graph& graph) {
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    if (element_count(graph.shapes[id]) != 0) continue;
    return unsupported("Tensor '", graph.tensors[id].name, "' of shape ", to_string(graph.shapes[id]),
                       " has no elements in this run.");
  }
  return {};
}

// The program passes: returns the graph for these input shapes.
Result<GraphPtr> prepared_program(const Graph& source, std::span<const Shape> inputs,
                                  const PassContext& context, std::vector<PassChoice>* log = nullptr) {
  Graph known = source;
  NNRT_ASSIGN(known.shapes, infer_run(source, inputs));
  NNRT_TRY(check_elements(known));
  return run_passes(program_passes(), shared(std::move(known)), context, log);
}

bool has_fast_compile_shaders(const Program& program) {
  return std::ranges::any_of(program.steps, [](const Step& step) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    return dispatch != nullptr && dispatch->shader.find("_fast_compile_") != std::string_view::npos;
  });
}

KernelReport report_of(const Graph& graph, const DevicePlan& plan, const Constants& constants) {
  const std::vector<const std::byte*> values = constant_values(graph);
  const AddedMovement added(graph);
  KernelReport report;
  for (const Node& node : graph.nodes) {
    const Lowering* const rules = lowering(node.op);
    if (rules == nullptr) continue;
    report.operations.push_back({node.position, {}, node.fused_positions});
    OperationKernels& own = report.operations.back();
    if (added.has(node)) continue;
    const NodeView view(graph, node, graph.shapes, values);
    own.kernels = kernels_of(view, *rules, plan, &constants.winograd_limits());
  }
  return report;
}

// Report for open shapes. Claims no fusions, because operations may still be fused differently.
KernelReport report_before_runs(const Graph& source) {
  KernelReport report;
  std::set<uint32_t> reported;
  for (const Node& node : source.nodes) {
    if (lowering(node.op) == nullptr || !reported.insert(node.position).second) continue;
    report.operations.push_back({node.position, {{kChosenInEachRun, {}}}, node.fused_positions});
  }
  return report;
}

}  // namespace

Result<std::unique_ptr<PreparedModel>> VulkanModel::create(ContextPtr context, const Request& request) {
  const bool reads_late =
      request.cached != nullptr && may_read_late(*request.graph, request.float16, request.shaders);
  if (!reads_late) NNRT_TRY(ensure_read(*request.graph));
  NNRT_ASSIGN(GraphPtr source, prepared_source(request.graph, {context->plan(), request.float16}));
  auto model = std::make_unique<VulkanModel>(std::move(context), request, std::move(source));
  if (request.cached != nullptr) {
    if (Status status = model->read(*request.graph, request.cached); !status.ok())
      return std::move(status).error().during("restoring a model");
  }
  if (reads_late) NNRT_TRY(read_needed(*model->source_, *model->constants_));
  if (model->is_static()) {
    NNRT_ASSIGN(const ProgramPtr program,
                model->program_for(shapes_of(*model->graph_, model->graph_->inputs)));
    NNRT_TRY(model->reserve(*program));
    model->may_lack_memory_ = !model->context_->plan().host.binds || !model->constants_->are_shared() ||
                              data_bytes(*model->source_) < kWorthFreeing;
    model->optimizes_ = model->optimizes_ && program->gains_by_optimizing;
    if (!model->optimizes_) model->release_source();
  }
  return std::unique_ptr<PreparedModel>(std::move(model));
}

VulkanModel::VulkanModel(ContextPtr context, const Request& request, GraphPtr source)
    : context_(std::move(context)),
      float16_(request.float16),
      uses_residence_(request.uses_residence),
      level_(request.level),
      begins_fast_compile_(request.shaders != Shaders::optimized),
      shaders_(begins_fast_compile_ ? Shaders::fast_compile : Shaders::optimized),
      constants_(std::make_shared<Constants>(context_->plan(), context_)),
      source_(std::move(source)),
      graph_(drop_weights(*source_)),
      tuner_(request.tuner),
      optimizes_(request.shaders == Shaders::deferred) {}

bool VulkanModel::is_static() const {
  return std::ranges::all_of(graph_->inputs,
                             [&](TensorId id) { return nnrt::is_static(graph_->shapes[id]); });
}

Status VulkanModel::read(const Graph& graph, const SharedBytes& cached) {
  ByteReader reader(*cached);
  if (reader.get<uint64_t>() != checksum(encode_graph(graph))) reader.fail("It belongs to another graph.");
  const bool is_fast_compile = reader.flag();
  if (!reader.bad() && is_fast_compile != begins_fast_compile_) return {};  // for other shaders
  constants_->read(cached, reader);
  const ByteView driver_data = reader.bytes(reader.count(1));
  if (!reader.at_end()) reader.fail("Unexpected bytes at the end.");
  NNRT_TRY(reader.status());
  context_->pipelines().import_driver_data(driver_data);
  return {};
}

Result<Bytes> VulkanModel::export_cache(const GraphPtr& graph) const {
  const std::vector<Shape> inputs = shapes_of(*graph_, graph_->inputs);
  const std::lock_guard making(making_mutex_);
  const std::lock_guard lock(program_mutex_);
  const auto known =
      std::ranges::find_if(programs_, [&](const CachedProgram& program) { return program.inputs == inputs; });
  if (known == programs_.end() || known->program->output_shapes != shapes_of(*graph_, graph_->outputs))
    return Bytes{};
  ByteWriter writer;
  writer.put(checksum(encode_graph(*graph)));
  writer.put(uint8_t(begins_fast_compile_));
  if (known->program->fast_compile == begins_fast_compile_) {
    NNRT_TRY(known->program->owner->write(context_, writer));
  } else {
    const auto constants = std::make_shared<Constants>(context_->plan());
    NNRT_ASSIGN(const GraphPtr source, prepared_source(graph, {context_->plan(), float16_}));
    NNRT_TRY(lower(*source, inputs, Shaders::fast_compile, constants));
    NNRT_TRY(constants->write(context_, writer));
  }
  const Bytes driver_data = context_->pipelines().export_driver_data();
  writer.list(std::span<const std::byte>(driver_data));
  return writer.take();
}

Result<std::unique_ptr<RunContext>> VulkanModel::make_run_context() const {
  return RunContext::create(context_, context_->queue_of(level_));
}

Status VulkanModel::reserve(const Program& program) {
  NNRT_ASSIGN(auto run_context, make_run_context());
  NNRT_TRY(run_context->reserve(program));
  pool_.push_back(std::move(run_context));
  return {};
}

Status VulkanModel::run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                        Deadline deadline) {
  NNRT_ASSIGN(const auto hold, hold_process());
  if (context_->lost()) return lost_error();
  NNRT_ASSIGN(const ProgramPtr program, program_for(shapes_of(*graph_, inputs)));
  NNRT_TRY(place_outputs(*graph_, *program, outputs));

  std::vector<TensorView> edges(inputs.begin(), inputs.end());
  for (const OutputSlot& output : outputs) edges.push_back(output.view);
  ContextLease lease(*this, program);
  NNRT_TRY(lend(lease, deadline));
  if (program->fast_compile) best_effort([&] { begin_to_optimize(program); });
  const Clock::time_point begin = Clock::now();
  RunContext& context = *lease.context.front();
  Status status = context.run(program, edges, deadline);
  if (!status.ok() && status.error().code == Code::memory && !may_lack_memory_) {
    drop_idle();
    status = context.run(program, edges, deadline);
  }
  if (program->fast_compile && status.ok()) best_effort([&] { count_run(program, Clock::now() - begin); });
  return status;
}

bool VulkanModel::may_share(size_t input, size_t output) const {
  const std::lock_guard lock(program_mutex_);
  const auto index = uint32_t(graph_->inputs.size() + output);
  return !programs_.empty() && std::ranges::all_of(programs_, [&](const CachedProgram& known) {
    return vulkan::may_share(*known.program, uint32_t(input), index);
  });
}

ArenaPlan VulkanModel::arena() const {
  const std::lock_guard lock(program_mutex_);
  if (programs_.empty()) return {};
  const Program& program = *programs_.front().program;
  ArenaPlan arena{program.arena_bytes, {}};
  for (const PlacedBuffer& placed : program.placed) {
    const bool is_tensor = placed.buffer.space == Buffer::Space::tensor;
    arena.allocations.push_back({is_tensor ? program.graph->tensors[placed.buffer.id].name : "temporary",
                                 placed.offset, placed.lifetime.bytes, placed.lifetime.first,
                                 placed.lifetime.last});
  }
  return arena;
}

std::optional<std::vector<Shape>> VulkanModel::latest_inputs() const {
  const std::lock_guard lock(program_mutex_);
  if (programs_.empty()) return std::nullopt;
  return programs_.front().inputs;
}

KernelReport VulkanModel::kernels(const GraphPtr& graph) const {
  const std::lock_guard making(making_mutex_);
  const std::optional<std::vector<Shape>> inputs = latest_inputs();
  DevicePlan plan = context_->plan();
  plan.shaders = shaders_;
  if (tuner_ != nullptr && plan.tuning != Tuning::off) plan.measured_tiles = tuner_->known();
  const PassContext context{plan, float16_};
  std::vector<PassChoice> passes;
  const auto source = prepared_source(graph, context, &passes);
  if (!source.ok()) return {};
  const auto add = [&](const std::vector<PassChoice>& more) {
    passes.insert(passes.end(), more.begin(), more.end());
  };
  add(rewrites_of(context));
  KernelReport report;
  if (inputs) {
    const auto program = prepared_program(*source.value(), *inputs, context, &passes);
    if (!program.ok()) return {};
    report = report_of(*program.value(), plan, *constants_);
  } else {
    report = report_before_runs(*source.value());
    add(passes_before_runs(context));
  }
  add(pass_choices(lowering_passes(), *source.value(), context));
  report.passes = std::move(passes);
  return report;
}

VulkanModel::ProgramPtr VulkanModel::find(const std::vector<Shape>& inputs) {
  const std::lock_guard lock(program_mutex_);
  const auto known =
      std::ranges::find_if(programs_, [&](const CachedProgram& program) { return program.inputs == inputs; });
  if (known == programs_.end()) return nullptr;
  programs_.splice(programs_.begin(), programs_, known);
  return known->program;
}

Result<VulkanModel::ProgramPtr> VulkanModel::program_for(const std::vector<Shape>& inputs) {
  if (ProgramPtr known = find(inputs)) return known;
  const std::lock_guard making(making_mutex_);
  if (ProgramPtr known = find(inputs)) return known;
  if (source_ == nullptr) return invalid("The shapes of the inputs differ from the model's.");
  NNRT_ASSIGN(Program lowered, lower(*source_, inputs, shaders_, constants_));
  NNRT_ASSIGN(ProgramPtr program, make_ready(std::move(lowered), *constants_));
  const std::lock_guard lock(program_mutex_);
  if (programs_.size() == kMaxPrograms) programs_.pop_back();
  programs_.push_front({inputs, program});
  return program;
}

Result<Program> VulkanModel::lower(const Graph& graph, std::span<const Shape> inputs, Shaders shaders,
                                   const std::shared_ptr<Constants>& constants) const {
  const trace::Span span("compile", "lower");
  DevicePlan plan = context_->plan();
  plan.shaders = shaders;
  NNRT_ASSIGN(const GraphPtr fused, prepared_program(graph, inputs, {plan, float16_}));
  if (tuner_ != nullptr) plan.measured_tiles = tuner_->known_for(*context_, *fused, plan);
  NNRT_ASSIGN(Program program, build_program(*fused, fused->shapes, plan, *constants));
  program.graph = drop_weights(*fused);
  program.shapes = fused->shapes;
  program.owner = constants;
  program.fast_compile = shaders == Shaders::fast_compile;
  program.gains_by_optimizing = has_fast_compile_shaders(program);
  return program;
}

Status VulkanModel::upload(Constants& constants) const {
  const trace::Span span("compile", "upload constants");
  NNRT_TRY(constants.upload(context_));
  trim_heap(constants.bytes());  // the packed data were between blocks that remain
  return {};
}

Result<VulkanModel::ProgramPtr> VulkanModel::make_ready(Program program, Constants& constants) const {
  // Frees the host copies before compilers allocate memory.
  if (!program.fast_compile) NNRT_TRY(upload(constants));
  WarmUp warm_up(*context_);
  {
    const trace::Span span("compile", "make pipelines");
    NNRT_TRY(attach_pipelines(program, context_->plan(), context_->pipelines(),
                              [&](const Dispatch& dispatch, const PipelinePtr& pipeline) {
                                return warm_up.add(dispatch, pipeline);
                              }));
  }
  if (program.fast_compile) NNRT_TRY(upload(constants));  // while the device compiles
  {
    const trace::Span span("compile", "warm up");
    NNRT_TRY(warm_up.finish());
  }
  program.constants = constants.buffers();
  return std::make_shared<const Program>(std::move(program));
}

bool VulkanModel::take_from_pool(ContextLease& lease) {
  if (pool_.empty()) return false;
  // Prefers an idle context; takes one that is busy after a timeout only if there is no other.
  const auto idle = std::ranges::find_if(pool_, [](const auto& other) { return !other->busy(); });
  const auto chosen = idle != pool_.end() ? idle : pool_.begin();
  lease.context.splice(lease.context.begin(), pool_, chosen);
  return true;
}

// If there is no memory for another context, waits for one.
Status VulkanModel::lend(ContextLease& lease, Deadline deadline) {
  {
    const std::lock_guard lock(pool_mutex_);
    ++lent_;
    lease.is_counted = true;
    if (take_from_pool(lease)) return {};
  }
  auto made = make_run_context();
  if (made.ok()) {
    lease.context.push_back(std::move(made).value());
    return {};
  }
  if (made.error().code != Code::memory || may_lack_memory_) return std::move(made).error();
  std::unique_lock lock(pool_mutex_);
  --lent_;
  given_back_.notify_all();  // others may be waiting for the last one
  const auto comes = [&] { return !pool_.empty() || lent_ == 0; };
  bool in_time = true;
  if (deadline) {
    in_time = given_back_.wait_until(lock, *deadline, comes);
  } else {
    given_back_.wait(lock, comes);
  }
  ++lent_;
  if (!in_time) return vulkan_error(VK_TIMEOUT, "");
  return take_from_pool(lease) ? Status() : Status(std::move(made).error());
}

void VulkanModel::drop_idle() {
  Contexts idle;
  const std::lock_guard lock(pool_mutex_);
  idle.swap(pool_);
}

// Its recordings would keep a replaced program's memory.
void VulkanModel::give_back(ContextLease& lease) noexcept {
  const std::lock_guard lock(pool_mutex_);
  if (lease.is_counted) --lent_;
  if (lease.program->fast_compile && lease.program->replaced) {
    for (const auto& run_context : lease.context) run_context->forget(*lease.program);
  }
  pool_.splice(pool_.end(), lease.context);
  given_back_.notify_all();
}

bool VulkanModel::may_lack_memory() const { return may_lack_memory_; }

// Call with making_mutex_ held, or before the model is shared.
void VulkanModel::release_source() {
  if (!is_static()) return;
  const size_t bytes = source_ == nullptr ? 0 : data_bytes(*source_);
  source_ = nullptr;
  trim_heap(bytes);
}

}  // namespace nnrt::vulkan
