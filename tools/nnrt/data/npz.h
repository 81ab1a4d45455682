// NumPy's archives of arrays: each is a .npy in a zip file, by its name.
#pragma once

#include "tools/import/zip_archive.h"
#include "tools/nnrt/base/array.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::tool {

// The array of that name, or the only one in the archive.
Result<Array> parse_npz(std::span<const std::byte> file, const std::string& name);

// Archives on disk. Each is read once, and each of its arrays decompressed once.
class NpzFiles {
 public:
  // The names of the arrays, without ".npy".
  Result<std::vector<std::string>> names(const std::filesystem::path& path);
  // As parse_npz. Valid as long as this object.
  Result<const Array*> array(const std::filesystem::path& path, const std::string& name);

 private:
  struct File {
    import::Bytes bytes;
    import::ZipArchive archive;  // of `bytes`
    std::map<size_t, Array> arrays;
  };

  Result<File*> open(const std::filesystem::path& path);

  std::map<std::filesystem::path, File> files_;
};

using NamedArray = std::pair<std::string, const Array*>;
// An array is named "output_" and its number instead if its name is empty, too long for a zip archive,
// another's too, or leads out of the folder.
Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);

}  // namespace nnrt::tool
