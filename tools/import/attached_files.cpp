#include "tools/import/attached_files.h"

#include "tools/import/load_network.h"
#include "tools/import/zip_archive.h"

#include <algorithm>

namespace nnrt::import {

std::vector<AttachedFile> attached_files(std::span<const std::byte> file) {
  constexpr size_t kMaxFiles = 64, kMaxBytes = size_t{1} << 26;
  if (!is_tflite(file)) return {};
  const auto archive = ZipArchive::open(file);
  if (!archive.ok()) return {};
  const size_t count = std::min(archive.value().names().size(), kMaxFiles);
  std::vector<AttachedFile> files;
  // Entries may share bytes, so damaged ones count against the budget too.
  size_t left = std::max(file.size(), kMaxBytes);
  for (size_t i = 0; i < count; ++i) {
    if (archive.value().bytes_of(i) > left) continue;
    left -= archive.value().bytes_of(i);
    auto data = archive.value().read(i, archive.value().bytes_of(i));
    if (data.ok()) files.push_back({archive.value().names()[i], std::move(data).value()});
  }
  return files;
}

}  // namespace nnrt::import
