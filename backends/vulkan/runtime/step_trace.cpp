#include "backends/vulkan/runtime/step_trace.h"

#include "core/device/trace_node.h"

#include <algorithm>
#include <cmath>

namespace nnrt::vulkan {
namespace {

using std::chrono::nanoseconds;

// "conv2d_f32 [1,56,56,64]", or with post-ops "conv2d_f32+ADD+RELU ...". The first step carries the node's
// cost.
trace::Event step_event(const Program& program, const Step& step, bool is_first, const std::string& device) {
  const auto* dispatch = std::get_if<Dispatch>(&step.command);
  const std::string kind = dispatch != nullptr                          ? std::string(dispatch->shader)
                           : std::holds_alternative<Copy>(step.command) ? "copy"
                                                                        : "fill";
  if (step.node >= program.graph->nodes.size()) return {kind, JsonObject().add("device", device)};
  const Node& node = program.graph->nodes[step.node];
  trace::Event event =
      trace::node_event(*program.graph, node, program.shapes, device, {.with_cost = is_first});
  event.name = cat(kind, trace::post_op_names(node), ' ', json_array(program.shapes[node.outputs[0]]));
  if (dispatch != nullptr) {
    event.args.add("shader", dispatch->shader);
    event.args.add_json("groups", json_array(step.groups, [](uint32_t n) { return std::to_string(n); }));
  }
  return event;
}

std::vector<trace::Event> events_of(const Program& program, const EdgeCopies& copies,
                                    const std::string& device) {
  std::vector<trace::Event> events;
  if (copies.inputs > 0) events.push_back({"copy inputs", JsonObject().add("device", device)});
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const bool is_first = i == 0 || program.steps[i - 1].node != program.steps[i].node;
    events.push_back(step_event(program, program.steps[i], is_first, device));
  }
  if (copies.outputs > 0) events.push_back({"copy outputs", JsonObject().add("device", device)});
  return events;
}

}  // namespace

std::vector<trace::Time> on_host_clock(std::span<const uint64_t> ticks, const TimestampClock& clock,
                                       const std::optional<Calibration>& calibration, trace::Time submitted,
                                       trace::Time done) {
  // A step back in time can only be a driver error.
  const auto between = [&](uint64_t from, uint64_t to) {
    const uint64_t difference = clock.ticks_between(from, to);
    const double passed = difference > clock.max_ticks() / 2 ? 0.0 : double(difference);
    return nanoseconds(std::llround(passed * double(clock.nanoseconds)));
  };
  std::vector<nanoseconds> elapsed{nanoseconds(0)};
  for (size_t i = 1; i < ticks.size(); ++i) {
    elapsed.push_back(elapsed.back() + between(ticks[i - 1], ticks[i]));
  }
  const nanoseconds all = elapsed.back();
  trace::Time begin = done - all;
  if (calibration) begin = std::min(begin, calibration->host - between(ticks[0], calibration->ticks));
  begin = std::max(begin, submitted);
  std::vector<trace::Time> times;
  times.reserve(elapsed.size());
  for (const nanoseconds after : elapsed) times.push_back(begin + after);
  return times;
}

Result<std::unique_ptr<StepTrace>> StepTrace::create(const Context& context, const Program& program,
                                                     const EdgeCopies& copies) {
  std::vector<trace::Event> events = events_of(program, copies, context.plan().name);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = uint32_t(events.size()) + 1;
  UniqueQueryPool queries;
  NNRT_TRY(make(context, vkCreateQueryPool, info, queries, "vkCreateQueryPool"));
  return std::make_unique<StepTrace>(std::move(queries), std::move(events));
}

void StepTrace::begin(VkCommandBuffer commands) {
  vkCmdResetQueryPool(commands, queries_.get(), 0, uint32_t(events_.size()) + 1);
  next_ = 0;
  write(commands);
}

void StepTrace::step_done(VkCommandBuffer commands) { write(commands); }

void StepTrace::write(VkCommandBuffer commands) {
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), next_++);
}

void StepTrace::report(const Context& context, trace::Time submitted, trace::Time done) const {
  if (!trace::on()) return;
  std::vector<uint64_t> ticks(events_.size() + 1);
  const VkResult read = vkGetQueryPoolResults(context.device(), queries_.get(), 0, uint32_t(ticks.size()),
                                              ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                                              VK_QUERY_RESULT_64_BIT);
  if (read != VK_SUCCESS) return;
  const std::vector<trace::Time> times =
      on_host_clock(ticks, context.plan().queue.clock, context.calibrate(), submitted, done);
  for (size_t i = 0; i < events_.size(); ++i) {
    trace::complete("gpu", events_[i], times[i], times[i + 1], context.plan().name);
  }
}

}  // namespace nnrt::vulkan
