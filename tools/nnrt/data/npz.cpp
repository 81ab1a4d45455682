#include "tools/nnrt/data/npz.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/zip_writer.h"
#include "tools/nnrt/data/npy.h"

#include <algorithm>
#include <set>

namespace nnrt::tool {
namespace {

constexpr std::string_view kExtension = ".npy";
constexpr size_t kMaxName = 0xffff - kExtension.size();
constexpr size_t kMaxBytes = (size_t{1} << 30) + (size_t{1} << 16);  // largest tensor plus header

using NumberedNames = std::vector<std::pair<std::string, size_t>>;

// Names and entry numbers of the arrays; other entries are skipped.
NumberedNames arrays_of(const import::ZipArchive& archive) {
  NumberedNames arrays;
  for (size_t i = 0; i < archive.names().size(); ++i) {
    std::string name = archive.names()[i];
    if (!name.ends_with(kExtension)) continue;
    name.resize(name.size() - kExtension.size());
    arrays.emplace_back(std::move(name), i);
  }
  return arrays;
}

std::string list_of(const NumberedNames& arrays) {
  std::string names;
  for (const auto& [name, index] : arrays) names += cat(names.empty() ? "" : ", ", name);
  return names;
}

// The number of the array of that name, or of the only one.
Result<size_t> number_of(const import::ZipArchive& archive, const std::string& name) {
  const NumberedNames arrays = arrays_of(archive);
  if (arrays.empty()) return Error{Code::invalid_file, "The archive has no array (.npy)."};
  const auto found = std::ranges::find(arrays, name, &NumberedNames::value_type::first);
  if (found != arrays.end()) return found->second;
  if (arrays.size() == 1) return arrays.front().second;
  return invalid("The archive has no array named ", name, "; it has: ", list_of(arrays), ".");
}

Result<Array> read_array(const import::ZipArchive& archive, size_t index) {
  NNRT_ASSIGN(const Bytes bytes, archive.read(index, kMaxBytes));
  return parse_npy(bytes);
}

}  // namespace

Result<Array> parse_npz(std::span<const std::byte> file, const std::string& name) {
  NNRT_ASSIGN(const import::ZipArchive archive, import::ZipArchive::open(file));
  NNRT_ASSIGN(const size_t index, number_of(archive, name));
  return read_array(archive, index);
}

Result<NpzFiles::File*> NpzFiles::open(const std::filesystem::path& path) {
  if (const auto found = files_.find(path); found != files_.end()) return &found->second;
  NNRT_ASSIGN(Bytes bytes, read_file(path));
  auto archive = import::ZipArchive::open(bytes);
  if (!archive.ok()) return std::move(archive).error().during(cat("reading ", path.string()));
  return &files_.emplace(path, File{std::move(bytes), std::move(archive).value(), {}}).first->second;
}

Result<std::vector<std::string>> NpzFiles::names(const std::filesystem::path& path) {
  NNRT_ASSIGN(const File* const file, open(path));
  std::vector<std::string> names;
  for (auto& [name, index] : arrays_of(file->archive)) names.push_back(std::move(name));
  if (names.empty())
    return Error{Code::invalid_file, cat("Archive (", path.string(), ") has no array (.npy).")};
  return names;
}

Result<const Array*> NpzFiles::array(const std::filesystem::path& path, const std::string& name) {
  NNRT_ASSIGN(File* const file, open(path));
  auto index = number_of(file->archive, name);
  if (!index.ok()) return std::move(index).error().during(cat("reading ", path.string()));
  const auto known = file->arrays.find(index.value());
  if (known != file->arrays.end()) return &known->second;
  auto array = read_array(file->archive, index.value());
  if (!array.ok()) return std::move(array).error().during(cat("reading ", path.string()));
  return &file->arrays.emplace(index.value(), std::move(array).value()).first->second;
}

Result<std::string> npz_file(std::span<const NamedArray> arrays) {
  ZipWriter writer;
  std::set<std::string> taken;
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::string name = arrays[i].first;
    const bool is_good = !name.empty() && name.size() <= kMaxName && name.find("..") == std::string::npos &&
                         !taken.contains(name);
    if (!is_good) name = cat("output_", i);
    while (taken.contains(name)) name += '_';
    taken.insert(name);
    writer.add(name.append(kExtension), npy_file(*arrays[i].second));
  }
  return writer.finish();
}

Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  NNRT_ASSIGN(const std::string file, npz_file(arrays));
  return write_file(path, file);
}

}  // namespace nnrt::tool
