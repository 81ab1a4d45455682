#include "tools/import/mindspore/ms_external_data.h"

#include "core/base/text.h"

#include <algorithm>
#include <fstream>

namespace nnrt::import::mindspore {
namespace {

namespace fs = std::filesystem;

template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

bool is_below(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return false;
  const fs::path relative = file.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

Result<fs::path> resolve(const std::string& name, std::span<const fs::path> folders) {
  if (folders.empty() || folders[0].empty())
    return damaged("Data (", name, ") is outside the model, which has no folder.");
  const Error refused = damaged("The file of external data (", name, ") is not inside the model's folder.");
  if (name.empty() || name.find('\0') != std::string::npos || fs::path(name).is_absolute()) return refused;
  std::error_code error;
  const fs::path file = fs::canonical(folders[0] / name, error);
  if (error) return damaged("The file of external data (", name, ") cannot be read.");
  const bool is_allowed =
      std::ranges::any_of(folders, [&](const fs::path& folder) { return is_below(file, folder); });
  return is_allowed && fs::is_regular_file(file, error) ? Result(file) : refused;
}

}  // namespace

Result<Bytes> read_external(const nnrt::mindspore::ExternalData& data, size_t size,
                            std::span<const fs::path> folders) {
  NNRT_ASSIGN(const fs::path path, resolve(data.location, folders));
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

}  // namespace nnrt::import::mindspore
