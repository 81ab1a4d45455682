#include "core/device/device.h"

#include "core/base/text.h"

#include <algorithm>

namespace nnrt {

Error no_room(std::string_view side, size_t index, const Shape& shape, size_t bytes, size_t room) {
  return invalid(side, " ", index, " of shape ", to_string(shape), " takes ", bytes,
                 " bytes; its memory has ", room, ".");
}

Status OutputSlot::make_room(size_t index, size_t bytes) {
  const size_t room = view.memory == nullptr ? 0 : view.bytes;
  if (view.memory != nullptr && room >= bytes) return {};
  if (!may_grow) return no_room("Output", index, view.shape, bytes, room);
  NNRT_ASSIGN(view.memory, SharedMemory::create(std::max<size_t>(bytes, 1)));
  view.offset = 0;
  view.bytes = view.memory->bytes();
  return {};
}

bool is_own_cpu(const Device& device) {
  if (device.is_plugin()) return false;
  const auto type = device.type();
  return type.ok() && type.value() == DeviceType::cpu;
}

std::vector<Refusal> refusals_of(const Device& device, const Graph& graph, const CompileOptions& options) {
  auto answer = device.supports(graph, options);
  if (!answer.ok()) return std::vector<Refusal>(graph.nodes.size(), answer.error().message);
  const Refusal unanswered =
      device.is_plugin() ? Refusal() : Refusal("The device did not answer for this operation.");
  answer.value().resize(graph.nodes.size(), unanswered);
  return std::move(answer).value();
}

}  // namespace nnrt
