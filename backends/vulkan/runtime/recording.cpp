#include "backends/vulkan/runtime/recording.h"

#include "backends/vulkan/program/shared_edges.h"
#include "backends/vulkan/program/submissions.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr VkPipelineStageFlags kDeviceStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kDeviceWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kDeviceAccess =
    kDeviceWrites | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
             VkPipelineStageFlags to, VkAccessFlags wanted) {
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = written;
  memory.dstAccessMask = wanted;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

struct BufferRange {
  VkBuffer buffer;
  uint64_t offset;
};

class Recorder {
 public:
  Recorder(const DevicePlan& plan, const Program& program, std::span<const BoundEdge> edges,
           const RunMemory& memory)
      : plan_(plan), program_(program), edges_(edges), memory_(memory) {}

  // One per dispatch, in order.
  std::vector<BoundShader> bound_shaders() const;
  // `sets`: one per bound shader. `trace` may be null.
  void use(std::span<const VkDescriptorSet> sets, StepTrace* trace);
  // Records from where the last call ended up to `end`. The first call begins with the inputs' copies, the
  // last one ends with the outputs'.
  void record(VkCommandBuffer commands, size_t end);
  EdgeCopies edge_copies() const;

 private:
  BufferRange range_of(const BufferRegion& region) const;
  bool is_copied(size_t edge) const { return program_.edges[edge].used && !edges_[edge].direct; }
  void copy_edges(bool outputs) const;
  // Returns whether the step writes memory that is also bound to an input.
  bool writes_an_input(const Step& step) const;
  void begin();
  void end();
  void step_done() {
    if (trace_ != nullptr) trace_->step_done(commands_);
  }
  void record_step(const Step& step, const Dispatch& dispatch);
  void record_step(const Step& step, const Copy& copy);
  void record_step(const Step& step, const Fill& fill);
  void wait_for_steps();

  const DevicePlan& plan_;
  const Program& program_;
  const std::span<const BoundEdge> edges_;
  const RunMemory memory_;

  // Valid while recording.
  std::span<const VkDescriptorSet> sets_;
  StepTrace* trace_ = nullptr;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  size_t next_step_ = 0, next_set_ = 0;
  VkPipeline bound_ = VK_NULL_HANDLE;
  VkPipelineStageFlags stages_ = 0;  // used since the last barrier
};

BufferRange Recorder::range_of(const BufferRegion& region) const {
  switch (region.kind) {
    case BufferRegion::Kind::arena: return {memory_.arena, region.offset};
    case BufferRegion::Kind::constant: return {program_.constants[region.index], region.offset};
    case BufferRegion::Kind::edge: break;
  }
  const BoundEdge& edge = edges_[region.index];
  if (edge.direct) return {edge.buffer, edge.offset + region.offset};
  return {memory_.edges, program_.edges[region.index].offset + region.offset};
}

EdgeCopies Recorder::edge_copies() const {
  EdgeCopies copies;
  for (size_t i = 0; i < edges_.size(); ++i) {
    uint32_t& count = program_.edges[i].output ? copies.outputs : copies.inputs;
    count += is_copied(i) ? 1 : 0;
  }
  return copies;
}

std::vector<BoundShader> Recorder::bound_shaders() const {
  std::vector<BoundShader> bound;
  for (const Step& step : program_.steps) {
    if (step.pipeline == nullptr) continue;
    BoundShader& shader = bound.emplace_back(BoundShader{step.pipeline->shader, {}});
    for (size_t binding = 0; binding < step.regions.size(); ++binding) {
      const BufferRegion region = shown(step, binding, plan_);
      const BufferRange at = range_of(region);
      shader.buffers.push_back({at.buffer, at.offset, region.bytes});
    }
  }
  return bound;
}

void Recorder::copy_edges(bool outputs) const {
  for (size_t i = 0; i < edges_.size(); ++i) {
    const Edge& edge = program_.edges[i];
    if (edge.output != outputs || !is_copied(i) || edge.bytes == 0) continue;
    const BufferRange outside{edges_[i].buffer, edges_[i].offset}, inside{memory_.edges, edge.offset};
    const BufferRange from = outputs ? inside : outside, to = outputs ? outside : inside;
    const VkBufferCopy piece{from.offset, to.offset, edge.bytes};
    vkCmdCopyBuffer(commands_, from.buffer, to.buffer, 1, &piece);
  }
}

void Recorder::use(std::span<const VkDescriptorSet> sets, StepTrace* trace) {
  sets_ = sets;
  trace_ = trace;
}

void Recorder::record(VkCommandBuffer commands, size_t end) {
  commands_ = commands;
  bound_ = VK_NULL_HANDLE;
  if (next_step_ == 0) begin();
  for (; next_step_ < end; ++next_step_) {
    const Step& step = program_.steps[next_step_];
    if (step.barrier || writes_an_input(step)) wait_for_steps();
    std::visit([&](const auto& command) { record_step(step, command); }, step.command);
    step_done();
  }
  if (end == program_.steps.size()) this->end();
}

// The program's barriers assume separate memory per edge.
bool Recorder::writes_an_input(const Step& step) const {
  for (size_t i = 0; i < step.regions.size(); ++i) {
    const BufferRegion& region = step.regions[i];
    if (region.kind != BufferRegion::Kind::edge || !step.access[i].writes) continue;
    const BoundEdge& written = edges_[region.index];
    for (size_t edge = 0; edge < edges_.size(); ++edge) {
      const BoundEdge& other = edges_[edge];
      if (!program_.edges[edge].output && program_.edges[edge].used && written.direct && other.direct &&
          other.buffer == written.buffer && other.offset == written.offset)
        return true;
    }
  }
  return false;
}

void Recorder::begin() {
  // Earlier submissions may have used the same memory.
  barrier(commands_, kDeviceStages | VK_PIPELINE_STAGE_HOST_BIT, kDeviceWrites | VK_ACCESS_HOST_WRITE_BIT,
          kDeviceStages, kDeviceAccess);
  if (trace_ != nullptr) trace_->begin(commands_);
  if (edge_copies().inputs > 0) {
    copy_edges(false);
    stages_ = VK_PIPELINE_STAGE_TRANSFER_BIT;
    step_done();
  }
  wait_for_steps();
}

void Recorder::end() {
  if (edge_copies().outputs > 0) {
    wait_for_steps();
    copy_edges(true);
    step_done();
  }
  barrier(commands_, kDeviceStages, kDeviceWrites, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

void Recorder::wait_for_steps() {
  if (stages_ == 0) return;
  VkAccessFlags written = 0;
  if ((stages_ & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) != 0) written |= VK_ACCESS_SHADER_WRITE_BIT;
  if ((stages_ & VK_PIPELINE_STAGE_TRANSFER_BIT) != 0) written |= VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier(commands_, stages_, written, kDeviceStages, kDeviceAccess);
  stages_ = 0;
}

void Recorder::record_step(const Step& step, const Dispatch& dispatch) {
  const Pipeline& pipeline = *step.pipeline;
  const VkPipelineLayout layout = pipeline.shader->layout.get();
  if (pipeline.pipeline.get() != bound_) {
    bound_ = pipeline.pipeline.get();
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, bound_);
  }
  vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets_[next_set_++], 0,
                          nullptr);
  if (dispatch.push.size() > 0) {
    vkCmdPushConstants(commands_, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(dispatch.push.size()),
                       dispatch.push.data());
  }
  vkCmdDispatch(commands_, step.groups[0], step.groups[1], step.groups[2]);
  stages_ |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
}

void Recorder::record_step(const Step& step, const Copy& copy) {
  const BufferRange from = range_of(step.regions[0]), to = range_of(step.regions[1]);
  std::vector<VkBufferCopy> pieces;
  for (const Copy::Piece& piece : copy.pieces) {
    const bool moves = from.buffer != to.buffer || from.offset + piece.from != to.offset + piece.to;
    if (piece.bytes > 0 && moves)
      pieces.push_back({from.offset + piece.from, to.offset + piece.to, piece.bytes});
  }
  if (pieces.empty()) return;
  vkCmdCopyBuffer(commands_, from.buffer, to.buffer, uint32_t(pieces.size()), pieces.data());
  stages_ |= VK_PIPELINE_STAGE_TRANSFER_BIT;
}

void Recorder::record_step(const Step& step, const Fill& fill) {
  const BufferRange to = range_of(step.regions[0]);
  vkCmdFillBuffer(commands_, to.buffer, to.offset, step.regions[0].bytes, fill.word);
  stages_ |= VK_PIPELINE_STAGE_TRANSFER_BIT;
}

}  // namespace

Result<Recording> record(const Context& context, const Program& program, std::span<const BoundEdge> edges,
                         const RunMemory& memory, bool traced) {
  Recorder recorder(context.plan(), program, edges, memory);
  Recording recording;
  recording.edge_copies = recorder.edge_copies();
  NNRT_ASSIGN(recording.descriptors, make_descriptors(context, recorder.bound_shaders()));
  if (traced) {
    NNRT_ASSIGN(recording.trace, StepTrace::create(context, program, recording.edge_copies));
  }
  recorder.use(recording.descriptors.sets, recording.trace.get());
  for (const size_t end : submission_ends(program, context.plan())) {
    NNRT_ASSIGN(CommandBuffer commands,
                record_commands(context, 0, [&](VkCommandBuffer buffer) { recorder.record(buffer, end); }));
    recording.submissions.push_back(std::move(commands));
  }
  return recording;
}

}  // namespace nnrt::vulkan
