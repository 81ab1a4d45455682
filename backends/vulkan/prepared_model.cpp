#include "backends/vulkan/prepared_model.h"

#include "backends/vulkan/half_graph.h"
#include "backends/vulkan/process_end.h"
#include "backends/vulkan/real_graph.h"
#include "backends/vulkan/supports.h"
#include "backends/vulkan/warm_up.h"
#include "core/cache/checksum.h"
#include "core/cache/graph_format.h"
#include "core/infer.h"
#include "core/release.h"
#include "core/simplify.h"
#include "core/trace.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr size_t kMostPrograms = 8;
constexpr size_t kMuch = size_t{1} << 20;  // of constants, to keep them twice

std::vector<Shape> shapes_of(const Graph& graph, std::span<const TensorId> tensors) {
  std::vector<Shape> shapes;
  for (const TensorId id : tensors) shapes.push_back(graph.shapes[id]);
  return shapes;
}

// Of a run's inputs; those that the model knows as it has them: [] and [1] are both shapes of one element.
std::vector<Shape> shapes_of(const Graph& graph, std::span<const TensorView> inputs) {
  std::vector<Shape> shapes = shapes_of(graph, graph.inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_static(shapes[i]) || !compatible(shapes[i], inputs[i].shape)) shapes[i] = inputs[i].shape;
  }
  return shapes;
}

Error lost_error() { return {Code::unavailable_device, "The device is lost."}; }

// Writes the shapes, and sees that there is room.
Status place_outputs(const Graph& graph, const Program& program, std::span<OutputSlot> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].view.shape = program.output_shapes[i];
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorView& view = outputs[i].view;
    const uint64_t bytes = program.edges[graph.inputs.size() + i].bytes;
    if (view.memory != nullptr && view.bytes >= bytes) continue;
    if (!outputs[i].may_grow) {
      return invalid("Output '", graph.tensors[graph.outputs[i]].name, "' has room for ", view.bytes,
                     " bytes, but needs ", bytes, ".");
    }
    NNRT_ASSIGN(view.memory, SharedMemory::create(std::max<uint64_t>(bytes, 1)));
    view.offset = 0;
    view.bytes = view.memory->bytes();
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PreparedModel>> VulkanModel::create(ContextPtr context, const Request& request) {
  auto model = std::make_unique<VulkanModel>(std::move(context), request);
  if (request.cached != nullptr) {
    if (Status status = model->read(*request.graph, request.cached); !status.ok())
      return std::move(status).error().during("restoring a model");
  }
  if (model->is_static()) {
    NNRT_ASSIGN(const ProgramPtr program,
                model->program_for(shapes_of(*model->graph_, model->graph_->inputs)));
    NNRT_TRY(model->reserve(*program));
    model->may_lack_memory_ = !model->context_->plan().bind_host_memory || !model->constants_->are_shared() ||
                              data_bytes(*model->source_) < kMuch;
    if (!model->tunes_) model->release_source();
  }
  return std::unique_ptr<PreparedModel>(std::move(model));
}

VulkanModel::VulkanModel(ContextPtr context, const Request& request)
    : context_(std::move(context)),
      stores_halves_(request.float16 && context_->plan().store_halves),
      queue_(request.queue),
      begins_quick_(request.shaders != Shaders::tuned),
      shaders_(begins_quick_ ? Shaders::quick : Shaders::tuned),
      constants_(std::make_shared<Constants>(context_->plan())),
      source_(simplified(*request.graph)),
      graph_(without_data(*source_)),
      tunes_(request.shaders == Shaders::later) {}

GraphPtr VulkanModel::simplified(const Graph& graph) const {
  Graph simple = simplify(graph);
  return std::make_shared<const Graph>(stores_halves_ ? with_halves(simple, context_->plan())
                                                      : std::move(simple));
}

bool VulkanModel::is_static() const {
  return std::ranges::all_of(graph_->inputs,
                             [&](TensorId id) { return nnrt::is_static(graph_->shapes[id]); });
}

Status VulkanModel::read(const Graph& graph, const SharedBytes& cached) {
  ByteReader reader(*cached);
  if (reader.get<uint64_t>() != checksum(encode_graph(graph))) reader.fail("It is of another graph.");
  const bool is_quick = reader.flag();
  if (!reader.bad() && is_quick != begins_quick_) return {};  // of no use
  constants_->read(cached, reader);
  const ByteView driver_data = reader.bytes(reader.count(1));
  if (!reader.at_end()) reader.fail("There are bytes behind the end.");
  NNRT_TRY(reader.status());
  context_->pipelines().import_driver_data(driver_data);
  return {};
}

Result<Bytes> VulkanModel::export_cache(const GraphPtr& graph) const {
  const std::vector<Shape> inputs = shapes_of(*graph_, graph_->inputs);
  const std::lock_guard making(making_mutex_);
  const std::lock_guard lock(program_mutex_);
  const auto known =
      std::ranges::find_if(programs_, [&](const Known& program) { return program.inputs == inputs; });
  if (known == programs_.end() || known->program->output_shapes != shapes_of(*graph_, graph_->outputs))
    return Bytes{};
  ByteWriter writer;
  writer.put(checksum(encode_graph(*graph)));
  writer.put(uint8_t(begins_quick_));
  if (known->program->quick == begins_quick_) {
    NNRT_TRY(known->program->owner->write(context_, writer));
  } else {
    const auto constants = std::make_shared<Constants>(context_->plan());
    NNRT_TRY(lower(*simplified(*graph), inputs, Shaders::quick, constants));
    NNRT_TRY(constants->write(context_, writer));
  }
  const Bytes driver_data = context_->pipelines().export_driver_data();
  writer.list(std::span<const std::byte>(driver_data));
  return writer.take();
}

Status VulkanModel::reserve(const Program& program) {
  NNRT_ASSIGN(auto run_context, RunContext::create(context_, queue_));
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
  Lent lent(*this, program);
  NNRT_TRY(lend(lent, deadline));
  const Clock::time_point begin = Clock::now();
  Status status = lent.context->run(program, edges, deadline);
  if (!status.ok() && status.error().code == Code::memory && !may_lack_memory_) {
    drop_idle();
    status = lent.context->run(program, edges, deadline);
  }
  if (program->quick && status.ok()) count_run(program, Clock::now() - begin);
  return status;
}

ArenaPlan VulkanModel::arena() const {
  const std::lock_guard lock(program_mutex_);
  if (programs_.empty()) return {};
  const Program& program = *programs_.front().program;
  ArenaPlan arena{program.arena_bytes, {}};
  for (const Placed& placed : program.placed) {
    const bool is_tensor = placed.buffer.space == Buffer::Space::tensor;
    arena.places.push_back({is_tensor ? program.graph->tensors[placed.buffer.id].name : "temporary",
                            placed.offset, placed.lifetime.bytes, placed.lifetime.first,
                            placed.lifetime.last});
  }
  return arena;
}

VulkanModel::ProgramPtr VulkanModel::find(const std::vector<Shape>& inputs) {
  const std::lock_guard lock(program_mutex_);
  const auto known =
      std::ranges::find_if(programs_, [&](const Known& program) { return program.inputs == inputs; });
  if (known == programs_.end()) return nullptr;
  programs_.splice(programs_.begin(), programs_, known);
  return known->program;
}

Result<VulkanModel::ProgramPtr> VulkanModel::program_for(const std::vector<Shape>& inputs) {
  if (ProgramPtr known = find(inputs)) return known;
  const std::lock_guard making(making_mutex_);
  if (ProgramPtr known = find(inputs)) return known;
  if (source_ == nullptr) return invalid("The inputs have other shapes than the model.");
  NNRT_ASSIGN(Program lowered, lower(*source_, inputs, shaders_, constants_));
  NNRT_ASSIGN(ProgramPtr program, make_ready(std::move(lowered), *constants_));
  const std::lock_guard lock(program_mutex_);
  if (programs_.size() == kMostPrograms) programs_.pop_back();
  programs_.push_front({inputs, program});
  return program;
}

Result<Program> VulkanModel::lower(const Graph& graph, std::span<const Shape> inputs, Shaders shaders,
                                   const std::shared_ptr<Constants>& constants) const {
  const trace::Span span("compile", "lower");
  Graph known = graph;
  NNRT_ASSIGN(known.shapes, infer_run(graph, inputs));
  DevicePlan plan = context_->plan();
  plan.shaders = shaders;
  Graph rewritten = fuse(known, fuse_rules(known, plan));
  if (fusing_is_on()) rewritten = with_reals(rewritten, plan);
  const auto fused = std::make_shared<const Graph>(std::move(rewritten));
  NNRT_ASSIGN(Program program, build_program(*fused, fused->shapes, plan, *constants));
  program.graph = without_data(*fused);
  program.shapes = fused->shapes;
  program.owner = constants;
  program.quick = shaders == Shaders::quick;
  return program;
}

Status VulkanModel::upload(Constants& constants) const {
  const trace::Span span("compile", "upload constants");
  NNRT_TRY(constants.upload(context_));
  give_back_memory(constants.bytes());  // what was packed lay between blocks that stay
  return {};
}

Result<VulkanModel::ProgramPtr> VulkanModel::make_ready(Program program, Constants& constants) {
  // Before compilers take memory of their own.
  if (!program.quick) NNRT_TRY(upload(constants));
  WarmUp warm_up(*context_);
  {
    const trace::Span span("compile", "make pipelines");
    NNRT_TRY(attach_pipelines(
        program, context_->plan(), context_->pipelines(),
        [&](const Dispatch& dispatch, const Pipeline& pipeline) { return warm_up.add(dispatch, pipeline); }));
  }
  if (program.quick) NNRT_TRY(upload(constants));  // while the device compiles
  {
    const trace::Span span("compile", "warm up");
    NNRT_TRY(warm_up.finish());
  }
  program.constants = constants.buffers();
  return std::make_shared<const Program>(std::move(program));
}

bool VulkanModel::take_from_pool(std::unique_ptr<RunContext>& context) {
  // One that is still busy after a timeout only where there is no other.
  const auto idle = std::ranges::find_if(pool_, [](const auto& other) { return !other->busy(); });
  const auto chosen = idle != pool_.end() ? idle : pool_.begin();
  if (chosen == pool_.end()) return false;
  context = std::move(*chosen);
  pool_.erase(chosen);
  return true;
}

// Where there is no memory for another one, a run waits for one that others use.
Status VulkanModel::lend(Lent& lent, Deadline deadline) {
  {
    const std::lock_guard lock(pool_mutex_);
    ++lent_;
    if (take_from_pool(lent.context)) return {};
  }
  auto made = RunContext::create(context_, queue_);
  if (made.ok()) lent.context = std::move(made).value();
  if (made.ok() || made.error().code != Code::memory || may_lack_memory_)
    return made.ok() ? Status() : Status(std::move(made).error());
  std::unique_lock lock(pool_mutex_);
  --lent_;
  const auto comes = [&] { return !pool_.empty() || lent_ == 0; };
  bool in_time = true;
  if (deadline) {
    in_time = given_back_.wait_until(lock, *deadline, comes);
  } else {
    given_back_.wait(lock, comes);
  }
  ++lent_;
  if (!in_time) return vulkan_error(VK_TIMEOUT, "");
  return take_from_pool(lent.context) ? Status() : Status(std::move(made).error());
}

void VulkanModel::drop_idle() {
  std::vector<std::unique_ptr<RunContext>> idle;
  const std::lock_guard lock(pool_mutex_);
  idle.swap(pool_);
}

// What it recorded of a program that was replaced meanwhile holds on to that program's memory.
void VulkanModel::give_back(std::unique_ptr<RunContext> run_context, const Program& program) {
  const std::lock_guard lock(pool_mutex_);
  --lent_;
  if (run_context != nullptr) {
    if (program.quick && program.replaced) run_context->forget(program);
    pool_.push_back(std::move(run_context));
  }
  given_back_.notify_all();
}

bool VulkanModel::may_lack_memory() const { return may_lack_memory_; }

// Under making_mutex_, or before anybody else has the model.
void VulkanModel::release_source() {
  if (!is_static()) return;
  const size_t bytes = source_ == nullptr ? 0 : data_bytes(*source_);
  source_ = nullptr;
  give_back_memory(bytes);
}

}  // namespace nnrt::vulkan
