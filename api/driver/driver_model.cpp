#include "api/driver/driver_model.h"

#include "backends/plugin/hdi_enums.h"
#include "core/base/text.h"
#include "core/cache/cache_image.h"

#include <algorithm>
#include <limits>

namespace nnrt::driver {
namespace {

constexpr size_t kMaxPiece = size_t{1} << 30;

uint32_t limited(size_t dim) {
  return static_cast<uint32_t>(std::min<size_t>(dim, std::numeric_limits<int32_t>::max()));
}

Status check_count(std::string_view what, size_t count, size_t expected) {
  if (count == expected) return {};
  return invalid("The number of ", what, " (", count, ") is not the model's (", expected, ").");
}

std::vector<std::vector<int32_t>> dims_of(const std::vector<OutputSlot>& slots) {
  std::vector<std::vector<int32_t>> dims;
  for (const OutputSlot& slot : slots) dims.emplace_back(slot.view.shape.begin(), slot.view.shape.end());
  return dims;
}

}  // namespace

DriverModel::DriverModel(std::shared_ptr<const DriverMemory> memory,
                         std::shared_ptr<const CompiledModel> compiled,
                         std::shared_ptr<const CompiledModel> for_runs)
    : memory_(std::move(memory)), compiled_(std::move(compiled)), execution_(std::move(for_runs)) {}

// Copies the image into memories of at most kMaxPiece bytes.
Status DriverModel::export_pieces(std::vector<hdi::SharedBuffer>& buffers) {
  const std::lock_guard lock(mutex_);
  if (exported_.empty()) {
    if (compiled_ == nullptr)
      return Error{Code::forbidden, "The model was compiled with nnrt.export=off, so it has no cache."};
    NNRT_ASSIGN(const CacheImage image, make_image(*compiled_, 0));
    std::vector<std::shared_ptr<SharedMemory>> made;
    std::span<std::byte> room;
    for (size_t left = image.size(); left > 0; left -= made.back()->bytes()) {
      NNRT_ASSIGN(made.emplace_back(), SharedMemory::create(std::min(left, kMaxPiece)));
    }
    size_t next = 0;
    for (const SharedBytes& piece : image.pieces) {
      for (ByteView from = *piece; !from.empty();) {
        if (room.empty()) {
          room = {made[next]->data(), made[next]->bytes()};
          ++next;
        }
        const size_t count = std::min(from.size(), room.size());
        std::ranges::copy(from.first(count), room.begin());
        from = from.subspan(count);
        room = room.subspan(count);
      }
    }
    exported_ = std::move(made);
  }
  buffers.clear();
  for (const auto& memory : exported_) {
    const auto bytes = static_cast<uint32_t>(memory->bytes());
    buffers.push_back({memory->fd(), bytes, 0, bytes});
  }
  return {};
}

int32_t DriverModel::ExportModelCache(std::vector<hdi::SharedBuffer>& modelCache) {
  return answer(__func__, hdi::NNRT_INVALID_PARAMETER, [&] { return export_pieces(modelCache); });
}

int32_t DriverModel::GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                                       std::vector<std::vector<uint32_t>>& maxInputDims) {
  return answer(__func__, hdi::NNRT_INVALID_PARAMETER, [&]() -> Status {
    std::vector<std::vector<uint32_t>> smallest, largest;
    for (size_t i = 0; i < graph().inputs.size(); ++i) {
      NNRT_ASSIGN(const DimRange range, execution_.input_range(i));
      smallest.emplace_back();
      largest.emplace_back();
      for (const size_t dim : range.smallest) smallest.back().push_back(limited(dim));
      for (const size_t dim : range.largest) largest.back().push_back(limited(dim));
    }
    minInputDims = std::move(smallest);
    maxInputDims = std::move(largest);
    return {};
  });
}

Status DriverModel::execute(const std::vector<hdi::IOTensor>& inputs, std::vector<OutputSlot>& slots,
                            Deadline deadline) {
  std::vector<TensorView> views;
  std::vector<std::shared_ptr<SharedMemory>> used;
  for (const hdi::IOTensor& input : inputs) {
    NNRT_ASSIGN(TensorView view, memory_->view_of(input.data));
    view.shape.assign(input.dimensions.begin(), input.dimensions.end());
    view.dtype = plugin::from_hdi(input.dataType);
    used.push_back(view.memory);
    views.push_back(std::move(view));
  }
  for (const OutputSlot& slot : slots) used.push_back(slot.view.memory);
  const Status status = execution_.run(views, slots, deadline);
  const std::lock_guard lock(mutex_);
  last_used_.swap(used);
  return status;
}

// An output's size is all that counts of it; its dimensions are results.
int32_t DriverModel::run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
                         Deadline deadline, std::vector<std::vector<int32_t>>& outputDims) {
  bool has_room = true;
  const int32_t code = answer("Run", hdi::NNRT_INVALID_SHAPE, [&]() -> Status {
    NNRT_TRY(check_count("inputs", inputs.size(), graph().inputs.size()));
    NNRT_TRY(check_count("outputs", outputs.size(), graph().outputs.size()));
    std::vector<OutputSlot> slots;
    std::vector<size_t> rooms;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const DType dtype = graph().tensors[graph().outputs[i]].dtype;
      if (plugin::from_hdi(outputs[i].dataType) != dtype)
        return invalid("The data type of output ", i, " is not the model's (", name(dtype), ").");
      NNRT_ASSIGN(TensorView view, memory_->view_of(outputs[i].data));
      rooms.push_back(view.bytes);
      slots.push_back({std::move(view)});
    }
    const Status status = execute(inputs, slots, deadline);
    outputDims = dims_of(slots);
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto bytes = byte_size(graph().tensors[graph().outputs[i]].dtype, slots[i].view.shape);
      if (bytes && *bytes > rooms[i]) has_room = false;
    }
    return status;
  });
  return code == hdi::NNRT_INVALID_SHAPE && !has_room ? int32_t{hdi::NNRT_INSUFFICIENT_BUFFER} : code;
}

int32_t DriverModel::GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
  majorVer = 2;
  minorVer = 1;
  return hdi::NNRT_SUCCESS;
}

}  // namespace nnrt::driver
