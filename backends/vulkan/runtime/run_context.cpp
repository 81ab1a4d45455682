#include "backends/vulkan/runtime/run_context.h"

#include "backends/vulkan/memory/resident_copy.h"
#include "backends/vulkan/program/shared_edges.h"
#include "core/base/exceptions.h"
#include "core/platform/counters.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nnrt::vulkan {
namespace {

constexpr size_t kMaxRecordings = 8;

// Returns whether kernels may use the view's memory directly. A kernel writes whole vectors, so an output's
// last vector must belong to it entirely. Spare room behind the view proves nothing, because several tensors
// may share one file.
bool can_bind(const Edge& edge, const TensorView& view, const DevicePlan& plan) {
  if (!plan.host.binds && !edge.direct) return false;
  if (view.offset % plan.storage_alignment != 0) return false;
  const uint64_t vectors = whole_vectors(edge.bytes);
  if (view.offset + vectors > view.memory->mapped_bytes()) return false;
  const bool own_tail = view.memory->owns_tail() && view.offset + edge.bytes == view.memory->bytes();
  return !edge.output || vectors == edge.bytes || own_tail;
}

}  // namespace

Result<std::unique_ptr<RunContext>> RunContext::create(ContextPtr context, uint32_t queue) {
  NNRT_ASSIGN(UniqueSemaphore timeline, make_timeline(*context));
  return std::make_unique<RunContext>(std::move(context), std::move(timeline), queue);
}

RunContext::RunContext(ContextPtr context, UniqueSemaphore timeline, uint32_t queue)
    : context_(std::move(context)), timeline_(std::move(timeline)), queue_(queue) {}

RunContext::~RunContext() {
  // On failure the device is lost and uses nothing any more.
  static_cast<void>(catching([&] { return wait_idle(std::nullopt); }));
}

bool RunContext::busy() const {
  uint64_t value = submitted_;
  return retired_ < submitted_ &&
         context_
             ->check(vkGetSemaphoreCounterValue(context_->device(), timeline_.get(), &value),
                     "vkGetSemaphoreCounterValue")
             .ok() &&
         value < submitted_;
}

Status RunContext::wait_idle(Deadline deadline) {
  if (retired_ < submitted_) NNRT_TRY(context_->wait(timeline_.get(), submitted_, deadline));
  retired_ = submitted_;
  held_.clear();
  recordings_.remove_if([](const Recorded& recorded) { return recorded.is_forgotten; });
  return {};
}

void RunContext::forget(const Program& program) noexcept {
  for (Recorded& recorded : recordings_) {
    if (recorded.program.get() == &program) recorded.is_forgotten = true;
  }
  // A failure means that the device is lost; the next run reports it.
  static_cast<void>(catching([&] { return busy() ? Status() : wait_idle(std::nullopt); }));
}

Status RunContext::run(const std::shared_ptr<const Program>& program, std::span<const TensorView> edges,
                       Deadline deadline) {
  NNRT_TRY(wait_idle(deadline));
  if (deadline && Clock::now() >= *deadline) return vulkan_error(VK_TIMEOUT, "");
  std::vector<Binding> bindings;
  for (size_t i = 0; i < edges.size(); ++i) {
    NNRT_ASSIGN(Binding binding, bind(program->edges[i], edges[i]));
    bindings.push_back(std::move(binding));
  }
  const Recording* recording = find_recording(program, bindings);
  if (recording == nullptr) {
    NNRT_ASSIGN(recording, record_anew(program, bindings));
  }

  copy_staged(*program, bindings, edges, false);
  for (const TensorView& edge : edges) held_.push_back(edge.memory);
  for (Binding& binding : bindings) held_.push_back(std::move(binding.owner));
  const auto begin = Clock::now();
  for (const CommandBuffer& part : recording->submissions) {
    NNRT_TRY(context_->submit(part.commands, timeline_.get(), submitted_ + 1, queue_));
    ++submitted_;
  }
  counters().device_copies += recording->edge_copies.inputs + recording->edge_copies.outputs;
  NNRT_TRY(wait_idle(deadline));
  if (recording->trace != nullptr)
    best_effort([&] { recording->trace->report(*context_, begin, Clock::now()); });
  copy_staged(*program, bindings, edges, true);
  return {};
}

Result<RunContext::Binding> RunContext::bind(const Edge& edge, const TensorView& view) const {
  if (!edge.used) return Binding();
  if (view.residence != nullptr) {
    NNRT_ASSIGN(auto copy, resident_copy(context_, *view.residence));
    return Binding{BindMode::bound, copy->id, 0, copy->buffer.get(), copy};
  }
  auto import = import_host_memory(context_, *view.memory);
  if (import == nullptr) return Binding{BindMode::staged, 0, 0, VK_NULL_HANDLE, nullptr};
  const BindMode mode = can_bind(edge, view, context_->plan()) ? BindMode::bound : BindMode::copied;
  return Binding{mode, view.memory->id(), view.offset, import->buffer.get(), import};
}

// A program that replaced the one checked by VulkanModel::may_share() may have another step order.
std::vector<bool> RunContext::outputs_over_inputs(const Program& program, std::span<const Binding> bindings) {
  std::vector<bool> found(bindings.size());
  for (uint32_t output = 0; output < bindings.size(); ++output) {
    if (!program.edges[output].output || bindings[output].mode != BindMode::bound) continue;
    for (uint32_t input = 0; input < bindings.size(); ++input) {
      const bool is_shared = !program.edges[input].output && bindings[input] == bindings[output];
      if (is_shared && !may_share(program, input, output)) found[output] = true;
    }
  }
  return found;
}

bool RunContext::is_traced() const { return trace::on() && context_->plan().queue.clock.valid_bits > 0; }

Status RunContext::reserve(const Program& program) {
  return grow(arena_, program.arena_bytes, MemoryKind::device);
}

Status RunContext::reserve_edges(const Program& program, std::span<const Binding> bindings,
                                 const std::vector<bool>& is_written_late) {
  const auto any = [&](BindMode mode) {
    return std::ranges::any_of(bindings, [&](const Binding& binding) { return binding.mode == mode; });
  };
  const bool staged = any(BindMode::staged);
  const bool is_any_late = std::ranges::find(is_written_late, true) != is_written_late.end();
  if (is_any_late || any(BindMode::copied) || (staged && !context_->plan().host.binds)) {
    NNRT_TRY(grow(edge_memory_, program.edge_bytes, MemoryKind::device));
  }
  return staged ? grow(staging_, program.edge_bytes, MemoryKind::staging) : Status();
}

Status RunContext::grow(DeviceBuffer& buffer, uint64_t bytes, MemoryKind kind) {
  if (bytes <= buffer.bytes) return {};
  recordings_.clear();  // they refer to the old buffer
  buffer = {};          // so that both don't exist at once
  NNRT_ASSIGN(buffer, make_buffer(*context_, bytes, kind));
  return {};
}

const Recording* RunContext::find_recording(const std::shared_ptr<const Program>& program,
                                            std::span<const Binding> bindings) {
  const auto known = std::ranges::find_if(recordings_, [&](const Recorded& recorded) {
    return recorded.program == program && std::ranges::equal(recorded.bindings, bindings) &&
           recorded.traced == is_traced();
  });
  if (known == recordings_.end()) return nullptr;
  recordings_.splice(recordings_.begin(), recordings_, known);
  return &recordings_.front().recording;
}

Result<const Recording*> RunContext::record_anew(const std::shared_ptr<const Program>& program,
                                                 std::vector<Binding> bindings) {
  const std::vector<bool> is_written_late = outputs_over_inputs(*program, bindings);
  const bool traced = is_traced();
  NNRT_TRY(reserve(*program));
  NNRT_TRY(reserve_edges(*program, bindings, is_written_late));
  std::vector<BoundEdge> edges(bindings.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    Binding& binding = bindings[i];
    if (binding.mode == BindMode::staged) {
      edges[i] = {staging_.get(), program->edges[i].offset, context_->plan().host.binds};
    } else if (binding.mode != BindMode::unused) {
      const bool is_direct = binding.mode == BindMode::bound && !is_written_late[i];
      edges[i] = {binding.buffer, binding.offset, is_direct};
    }
    binding.owner = nullptr;  // recordings must not keep memory alive
  }
  NNRT_ASSIGN(Recording recording,
              record(*context_, *program, edges, {arena_.get(), edge_memory_.get()}, traced));
  if (recordings_.size() == kMaxRecordings) recordings_.pop_back();
  recordings_.push_front({program, std::move(bindings), traced, std::move(recording), false});
  return &recordings_.front().recording;
}

void RunContext::copy_staged(const Program& program, std::span<const Binding> bindings,
                             std::span<const TensorView> edges, bool outputs) const {
  for (size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = program.edges[i];
    if (bindings[i].mode != BindMode::staged || edge.output != outputs) continue;
    std::byte* staged = staging_.mapped + edge.offset;
    if (outputs) {
      std::memcpy(edges[i].data(), staged, edge.bytes);
    } else {
      std::memcpy(staged, edges[i].data(), edge.bytes);
    }
    count_copied(edge.bytes);
  }
}

}  // namespace nnrt::vulkan
