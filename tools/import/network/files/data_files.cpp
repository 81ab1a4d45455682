#include "tools/import/network/files/data_files.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/memory/pages.h"
#include "tools/import/network/files/parallel_reads.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace nnrt::import {
namespace {

Error damaged(std::string message) { return {Code::invalid_file, std::move(message)}; }

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  const auto root = std::filesystem::canonical(folder, error);
  if (error) return false;
  const auto relative = file.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

// The file of this name, with its links resolved. It must be in one of the folders.
Result<std::filesystem::path> external_file(const std::string& name, const DataFolders& folders) {
  const std::filesystem::path path(name);
  const auto refused = [&] {
    return damaged(cat("The file of external data (", name, ") is not inside the model's folder."));
  };
  if (folders.model.empty())
    return damaged(cat("Data (", name, ") is outside the model, which has no folder."));
  if (name.empty() || name.find('\0') != std::string::npos || path.is_absolute()) return refused();
  std::error_code error;
  const auto resolved = std::filesystem::canonical(folders.model / path, error);
  if (error) return damaged(cat("The file of external data (", name, ") cannot be read."));
  if (!std::filesystem::is_regular_file(resolved, error)) return refused();
  const auto allows = [&](const std::filesystem::path& one) { return is_below(resolved, one); };
  return allows(folders.model) || std::ranges::any_of(folders.linked, allows) ? Result(resolved) : refused();
}

}  // namespace

Result<DataFiles::File*> DataFiles::find(const DataPart& part) {
  if (!part.file) return &model_;
  NNRT_ASSIGN(File* const file, open(*part.file));
  const uint64_t available = file->source->size();
  if (part.offset <= available && part.size <= available - part.offset) return file;
  return damaged(cat("External data of ", counted(part.size, "byte"), " at offset (", part.offset,
                     ") exceed the file ", *part.file, "."));
}

Result<SharedBytes> DataFiles::read(const DataPart& part) {
  NNRT_ASSIGN(File* const file, find(part));
  auto data = read(*file, {part.offset, part.size});
  if (data.ok() || !part.file) return data;
  return std::move(data).error().during(cat("reading the file of external data ", *part.file));
}

void DataFiles::read_ahead(std::span<const DataPart> parts) {
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

Result<DataFiles::File*> DataFiles::open(const std::string& name) {
  if (const auto found = external_.find(name); found != external_.end()) return &found->second;
  NNRT_ASSIGN(const std::filesystem::path path, external_file(name, folders_));
  if (folders_.sources != nullptr) folders_.sources->add(name);
  File file;
  NNRT_ASSIGN(file.opened, source_of_file(path.string()));
  file.source = file.opened.get();
  return &external_.emplace(name, std::move(file)).first->second;
}

Status DataFiles::take(File& file, uint64_t bytes) {
  constexpr uint64_t kTimes = 16, kFree = uint64_t{1} << 27;
  file.taken += bytes;
  if (file.taken <= kFree + kTimes * file.source->size()) return {};
  return damaged("The model refers to the same bytes too often.");
}

Result<SharedBytes> DataFiles::read(File& file, const Range& range) const {
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

Status DataFiles::check_unchanged() const {
  if (model_.source != nullptr) NNRT_TRY(model_.source->check_unchanged());
  for (const auto& [name, file] : external_) {
    if (Status status = file.source->check_unchanged(); !status.ok())
      return std::move(status).error().during(cat("reading the file of external data ", name));
  }
  return {};
}

}  // namespace nnrt::import
