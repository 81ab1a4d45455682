#include "api/execution/bindings.h"

#include "api/base/boundary.h"
#include "core/base/element_at.h"
#include "core/base/fp16.h"

#include <algorithm>
#include <cstring>

namespace nnrt {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

std::string_view name(Side side) { return side == Side::input ? "input" : "output"; }

// Is a length that of FLOAT32 data for a FLOAT16 tensor of so many bytes?
bool is_widened(DType dtype, size_t bytes, size_t length) {
  return dtype == DType::f16 && bytes > 0 && length == 2 * bytes;
}

// A longer buffer of FLOAT16 is ambiguous: it could be FLOAT32 data of another shape.
Status check_half_length(const Shape& shape, size_t bytes, size_t length) {
  if (length == bytes || is_widened(DType::f16, bytes, length)) return {};
  return invalid("The buffer has ", length, " bytes; shape ", to_string(shape), " takes ", bytes,
                 " as FLOAT16, and ", 2 * bytes, " as FLOAT32.");
}

void narrow(ByteView floats, std::byte* halves) {
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    const Half half = to_half(element_at<float>(floats, i));
    std::memcpy(halves + i * sizeof half, &half, sizeof half);
  }
}

void widen(ByteView halves, std::span<std::byte> floats) {
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    const float value = to_float(element_at<Half>(halves, i));
    std::memcpy(floats.data() + i * sizeof value, &value, sizeof value);
  }
}

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

Status Bindings::set_input(size_t index, DType dtype, Shape shape, ByteView data) {
  const DType wanted = tensor(Side::input, index).dtype;
  const auto bytes = byte_size(wanted, shape), given = byte_size(dtype, shape);
  if (!bytes || !given || data.size() < *given) {
    return invalid("Data of shape ", to_string(shape), " takes ", given ? cat(*given) : "too many",
                   " bytes; the length (", data.size(), ") is smaller.");
  }
  if (wanted == DType::f16) NNRT_TRY(check_half_length(shape, *bytes, data.size()));
  const std::lock_guard lock(mutex_);
  Slot& slot = inputs_[index];
  NNRT_TRY(reserve(slot, *bytes));
  if (is_widened(wanted, *bytes, data.size())) {
    narrow(data, slot.owned->data());
  } else {
    std::memcpy(slot.owned->data(), data.data(), *bytes);
  }
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
  slot.client = buffer;
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
  outputs_[index].client = {};
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

Result<Bindings::RunTensors> Bindings::run_tensors() const {
  const std::lock_guard lock(mutex_);
  RunTensors run;
  for (const Slot& slot : inputs_) {
    if (!slot.view.memory) return invalid("Input ", run.inputs.size(), " is not bound.");
    run.inputs.push_back(slot.view);
  }
  for (const Slot& slot : outputs_) {
    const size_t index = run.outputs.size();
    if (!slot.view.memory) return invalid("Output ", index, " is not bound.");
    NNRT_TRY(check_client(index, tensor(Side::output, index).shape, slot.client.size()));
    run.outputs.push_back({slot.view});
    run.clients.push_back(slot.client);
  }
  return run;
}

// Lengths of other dtypes are checked by the run.
Status Bindings::check_client(size_t output, const Shape& shape, size_t length) const {
  const DType dtype = tensor(Side::output, output).dtype;
  const auto bytes = byte_size(dtype, shape);
  if (dtype != DType::f16 || !bytes || length == 0) return {};
  Status status = check_half_length(shape, *bytes, length);
  if (status.ok()) return status;
  return std::move(status).error().during(cat("delivering output ", output));
}

Status Bindings::deliver(const RunTensors& run) const {
  for (size_t i = 0; i < run.outputs.size(); ++i)
    NNRT_TRY(check_client(i, run.outputs[i].view.shape, run.clients[i].size()));
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const std::span<std::byte> client = run.clients[i];
    if (client.empty()) continue;
    const DType dtype = tensor(Side::output, i).dtype;
    const TensorView& output = run.outputs[i].view;
    const size_t bytes = byte_size(dtype, output.shape).value_or(0);
    if (is_widened(dtype, bytes, client.size())) {
      widen({output.data(), bytes}, client);
    } else {
      std::memcpy(client.data(), output.data(), std::min(bytes, output.bytes));
    }
  }
  return {};
}

}  // namespace nnrt
