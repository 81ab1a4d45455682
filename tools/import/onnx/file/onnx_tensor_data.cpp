#include "tools/import/onnx/file/onnx_tensor_data.h"

#include "core/base/text.h"
#include "core/memory/pages.h"
#include "tools/import/network/files/external_files.h"
#include "tools/import/network/files/parallel_reads.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace nnrt::import::onnx {
namespace {

Error damaged(std::string message) { return {Code::invalid_file, std::move(message)}; }

}  // namespace

const Payload* TensorData::payload(uint32_t index) const {
  return index < payloads_.size() ? &payloads_[index] : nullptr;
}

Result<TensorData::File*> TensorData::find(const DataPart& part) {
  if (!part.file) return &model_;
  NNRT_ASSIGN(File* const file, open(*part.file));
  const uint64_t available = file->source->size();
  if (part.offset <= available && part.size <= available - part.offset) return file;
  return damaged(cat("External data of ", part.size, " bytes at offset (", part.offset, ") exceed the file ",
                     *part.file, "."));
}

Result<SharedBytes> TensorData::read(const DataPart& part) {
  NNRT_ASSIGN(File* const file, find(part));
  auto data = read(*file, {part.offset, part.size});
  if (data.ok() || !part.file) return data;
  return std::move(data).error().during(cat("reading the file of external data ", *part.file));
}

void TensorData::read_ahead(std::span<const DataPart> parts) {
  constexpr uint64_t kWorthThreads = uint64_t{4} << 20;
  struct PendingRead {
    File* file;
    Range range;
    Pages pages;
  };
  std::vector<PendingRead> ahead;
  std::vector<Read> reads;
  uint64_t bytes = 0;
  for (const DataPart& part : parts) bytes += part.size;
  if (bytes < kWorthThreads || !retained_) return;
  for (const DataPart& part : parts) {
    const auto file = find(part);
    const Range range{part.offset, part.size};
    if (!file.ok() || !file.value()->ahead.emplace(range, nullptr).second) continue;
    if (!take(*file.value(), part.size).ok()) continue;
    ahead.push_back({file.value(), range, allocate_pages(part.size)});
    reads.push_back({file.value()->source, part.offset, {ahead.back().pages.get(), part.size}});
  }
  if (!read_in_parallel(reads).ok()) return;
  for (PendingRead& it : ahead) it.file->ahead[it.range] = shared(std::move(it.pages));
}

Result<TensorData::File*> TensorData::open(const std::string& name) {
  if (const auto found = external_.find(name); found != external_.end()) return &found->second;
  NNRT_ASSIGN(const std::filesystem::path path, external_file(name, folders_.model, folders_.linked));
  if (folders_.sources != nullptr) folders_.sources->add(name);
  File file;
  NNRT_ASSIGN(file.opened, source_of_file(path.string()));
  file.source = file.opened.get();
  return &external_.emplace(name, std::move(file)).first->second;
}

Status TensorData::take(File& file, uint64_t bytes) {
  constexpr uint64_t kTimes = 16, kFree = uint64_t{1} << 27;
  file.taken += bytes;
  if (file.taken <= kFree + kTimes * file.source->size()) return {};
  return damaged("The model refers to the same bytes too often.");
}

Result<SharedBytes> TensorData::read(File& file, const Range& range) const {
  auto& [owner, view] = file.parts[range];
  if (auto shared = owner.lock()) return SharedBytes(std::move(shared), view);
  const auto found = file.ahead.find(range);
  SharedBytes data = found == file.ahead.end() ? nullptr : std::exchange(found->second, nullptr);
  if (!data) {
    NNRT_TRY(take(file, range.second));
    NNRT_ASSIGN(data, file.source->read(range.first, range.second, retained_));
  }
  owner = data.owner();
  view = *data;
  return data;
}

Status TensorData::check_unchanged() const {
  if (model_.source != nullptr) NNRT_TRY(model_.source->check_unchanged());
  for (const auto& [name, file] : external_) {
    if (Status status = file.source->check_unchanged(); !status.ok())
      return std::move(status).error().during(cat("reading the file of external data ", name));
  }
  return {};
}

}  // namespace nnrt::import::onnx
