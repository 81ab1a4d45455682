#include "api/execution/bindings.h"

#include "api/base/boundary.h"

#include <algorithm>
#include <cstring>

namespace nnrt {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

std::string_view name(Side side) { return side == Side::input ? "input" : "output"; }

}  // namespace

Bindings::Bindings(const CompiledModel& model)
    : model_(model), inputs_(model.graph->inputs.size()), outputs_(model.graph->outputs.size()) {}

const Tensor& Bindings::tensor(Side side, size_t index) const {
  const Graph& graph = *model_.graph;
  return graph.tensors[side == Side::input ? graph.inputs[index] : graph.outputs[index]];
}

Status Bindings::reserve(Slot& slot, size_t bytes) {
  if (slot.owned && slot.owned->bytes() >= bytes) return {};
  if (bytes > kMaxBytes) {
    return Error{Code::memory, cat("Memory of ", bytes, " bytes exceeds the limit of ", kMaxBytes, ".")};
  }
  NNRT_ASSIGN(slot.owned, model_.device->allocate(bytes));
  return {};
}

Status Bindings::set_input(size_t index, Shape shape, ByteView data) {
  const auto bytes = byte_size(tensor(Side::input, index).dtype, shape);
  if (!bytes || data.size() < *bytes) {
    return invalid("Data of shape ", to_string(shape), " takes ", bytes ? cat(*bytes) : "too many",
                   " bytes; the length (", data.size(), ") is smaller.");
  }
  const std::lock_guard lock(mutex_);
  Slot& slot = inputs_[index];
  NNRT_TRY(reserve(slot, *bytes));
  std::memcpy(slot.owned->data(), data.data(), *bytes);
  slot.view = {slot.owned, 0, *bytes, std::move(shape)};
  return {};
}

Status Bindings::set_output(size_t index, std::span<std::byte> buffer) {
  // No larger than the result if its size is known.
  const Tensor& output = tensor(Side::output, index);
  const size_t bytes = std::min(byte_size(output.dtype, output.shape).value_or(buffer.size()), buffer.size());
  const std::lock_guard lock(mutex_);
  Slot& slot = outputs_[index];
  NNRT_TRY(reserve(slot, bytes));
  slot.view = {slot.owned, 0, bytes, {}};
  slot.client = buffer.data();
  return {};
}

Result<TensorView> Bindings::view_of(const OH_NN_Memory* memory, size_t min_bytes) const {
  for (const auto& allocation : allocations_) {
    if (&allocation->handle != memory) continue;
    const size_t bytes = allocation->memory->bytes();
    if (bytes < min_bytes) return invalid("The memory has ", bytes, " bytes, fewer than ", min_bytes, ".");
    return TensorView{allocation->memory, 0, bytes, {}};
  }
  return invalid("The memory does not belong to this executor.");
}

Status Bindings::bind_input(size_t index, Shape shape, const OH_NN_Memory* memory) {
  const auto bytes = byte_size(tensor(Side::input, index).dtype, shape);
  if (!bytes) return invalid("Shape ", to_string(shape), " takes too many bytes.");
  const std::lock_guard lock(mutex_);
  NNRT_ASSIGN(inputs_[index].view, view_of(memory, *bytes));
  inputs_[index].view.shape = std::move(shape);
  return {};
}

Status Bindings::bind_output(size_t index, const OH_NN_Memory* memory) {
  const Tensor& output = tensor(Side::output, index);
  const std::lock_guard lock(mutex_);
  NNRT_ASSIGN(outputs_[index].view, view_of(memory, byte_size(output.dtype, output.shape).value_or(0)));
  outputs_[index].client = nullptr;
  return {};
}

Result<OH_NN_Memory*> Bindings::allocate(Side side, uint32_t index, size_t bytes) {
  NNRT_TRY(require_index(name(side), index, (side == Side::input ? inputs_ : outputs_).size()));
  if (bytes == 0 || bytes > kMaxBytes) {
    return invalid("The length (", bytes, ") of memory for ", name(side), " ", index, " is outside [1, ",
                   kMaxBytes, "].");
  }
  NNRT_ASSIGN(auto memory, model_.device->allocate(bytes));
  void* data = memory->data();
  auto allocation = std::make_unique<Allocation>(Allocation{{data, bytes}, std::move(memory), side, index});
  const std::lock_guard lock(mutex_);
  return &allocations_.emplace_back(std::move(allocation))->handle;
}

Status Bindings::destroy(Side side, uint32_t index, const OH_NN_Memory* memory) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(allocations_.begin(), allocations_.end(), [&](const auto& allocation) {
    return &allocation->handle == memory && allocation->side == side && allocation->index == index;
  });
  if (found == allocations_.end()) {
    return invalid("The memory was not allocated by this executor for ", name(side), " ", index, ".");
  }
  for (std::vector<Slot>* slots : {&inputs_, &outputs_}) {
    for (Slot& slot : *slots) {
      if (slot.view.memory == (*found)->memory) slot.view = {};
    }
  }
  allocations_.erase(found);
  return {};
}

Result<Bindings::Bound> Bindings::bound() const {
  const std::lock_guard lock(mutex_);
  Bound run;
  for (const Slot& slot : inputs_) {
    if (!slot.view.memory) return invalid("Input ", run.inputs.size(), " is not bound.");
    run.inputs.push_back(slot.view);
  }
  for (const Slot& slot : outputs_) {
    if (!slot.view.memory) return invalid("Output ", run.outputs.size(), " is not bound.");
    run.outputs.push_back(slot.view);
    run.clients.push_back(slot.client);
  }
  return run;
}

void Bindings::deliver(const Bound& run) const {
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    if (run.clients[i] == nullptr) continue;
    const size_t bytes = byte_size(tensor(Side::output, i).dtype, run.outputs[i].shape).value_or(0);
    std::memcpy(run.clients[i], run.outputs[i].data(), std::min(bytes, run.outputs[i].bytes));
  }
}

}  // namespace nnrt
