#include "tools/import/mindspore/ms_external_data.h"

#include "core/base/text.h"
#include "tools/import/network/files/external_files.h"
#include "tools/import/network/files/source_files.h"

#include <fstream>

namespace nnrt::import::mindspore {
namespace {

namespace fs = std::filesystem;

template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

// `size` bytes of an external_file().
Result<Bytes> read_external(const nnrt::mindspore::ExternalData& data, size_t size, const fs::path& folder,
                            std::span<const fs::path> linked) {
  NNRT_ASSIGN(const fs::path path, external_file(data.location, folder, linked));
  if (data.length >= 0 && static_cast<uint64_t>(data.length) < size)
    return damaged("The length of external data (", data.length, ") is below ", size, ".");
  std::error_code error;
  const uint64_t available = fs::file_size(path, error);
  if (error || data.offset < 0 || static_cast<uint64_t>(data.offset) > available ||
      size > available - static_cast<uint64_t>(data.offset))
    return damaged("External data of ", size, " bytes at offset (", data.offset, ") exceed the file ",
                   data.location, ".");
  Bytes bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(data.offset));
  if (file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) return bytes;
  return damaged("The file of external data (", data.location, ") cannot be read.");
}

}  // namespace

nnrt::mindspore::UnpackRules unpack_rules(const fs::path& folder, const Options& options,
                                          ConstantBudget& budget) {
  return {.external = [&](const nnrt::mindspore::ExternalData& data, size_t size) -> Result<SharedBytes> {
            if (options.sources != nullptr) options.sources->add(data.location);
            NNRT_ASSIGN(Bytes bytes, read_external(data, size, folder, options.external_folders));
            return SharedBytes(std::make_shared<const Bytes>(std::move(bytes)));
          },
          .take = [&](size_t bytes) { return budget.take(bytes); }};
}

}  // namespace nnrt::import::mindspore
