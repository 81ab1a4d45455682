// Bytes as an archive of arrays: rejected, or arrays with all their elements.
#include "tests/fuzz/fuzz_target.h"
#include "tools/import/zip_archive.h"
#include "tools/nnrt/data/npz.h"

#include <cstdlib>
#include <span>

FUZZ_TARGET(archives)(const uint8_t* data, size_t size) {
  constexpr size_t kMaxBytes = size_t{1} << 24;
  const auto file = std::as_bytes(std::span(data, size));
  const auto archive = nnrt::import::ZipArchive::open(file);
  if (!archive.ok()) return 0;
  for (size_t i = 0; i < archive.value().names().size(); ++i) {
    const auto contents = archive.value().read(i, kMaxBytes);
    if (contents.ok() && contents.value().size() > kMaxBytes) std::abort();
    const std::string& name = archive.value().names()[i];
    const auto array = contents.ok() ? nnrt::tool::parse_npz(file, name.substr(0, name.rfind('.')))
                                     : nnrt::Result<nnrt::tool::Array>(contents.error());
    if (array.ok() && array.value().bytes.size() < array.value().count()) std::abort();
  }
  return 0;
}
