// NumPy's array archives: zip files of .npy files.
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

// The array of that name; an archive with a single array gives that one for any name.
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
// Arrays whose name is empty, too long for a zip archive, a duplicate, or leads out of the folder are
// named "output_" and their number instead.
Result<std::string> npz_file(std::span<const NamedArray> arrays);
Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays);

}  // namespace nnrt::tool
