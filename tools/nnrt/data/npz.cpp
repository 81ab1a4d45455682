#include "tools/nnrt/data/npz.h"

#include "core/base/text.h"
#include "tools/import/zip_archive.h"
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

// Names and entry numbers of the arrays; other entries are skipped.
std::vector<std::pair<std::string, size_t>> arrays_of(const import::ZipArchive& archive) {
  std::vector<std::pair<std::string, size_t>> arrays;
  for (size_t i = 0; i < archive.names().size(); ++i) {
    std::string name = archive.names()[i];
    if (!name.ends_with(kExtension)) continue;
    name.resize(name.size() - kExtension.size());
    arrays.emplace_back(std::move(name), i);
  }
  return arrays;
}

std::string list_of(const std::vector<std::pair<std::string, size_t>>& arrays) {
  std::string names;
  for (const auto& [name, index] : arrays) names += cat(names.empty() ? "" : ", ", name);
  return names;
}

}  // namespace

Result<std::vector<std::string>> names_in_npz(const std::filesystem::path& path) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  auto archive = import::ZipArchive::open(file);
  if (!archive.ok()) return std::move(archive).error().during(cat("reading ", path.string()));
  std::vector<std::string> names;
  for (auto& [name, index] : arrays_of(archive.value())) names.push_back(name);
  if (names.empty())
    return Error{Code::invalid_file, cat("Archive (", path.string(), ") has no array (.npy).")};
  return names;
}

Result<Array> parse_npz(std::span<const std::byte> file, const std::string& name) {
  NNRT_ASSIGN(const import::ZipArchive archive, import::ZipArchive::open(file));
  const auto arrays = arrays_of(archive);
  auto found = std::ranges::find(arrays, name, &std::pair<std::string, size_t>::first);
  if (found == arrays.end() && arrays.size() == 1) found = arrays.begin();
  if (arrays.empty()) return Error{Code::invalid_file, "The archive has no array (.npy)."};
  if (found == arrays.end())
    return invalid("The archive has no array of the name ", name, ", but: ", list_of(arrays), ".");
  NNRT_ASSIGN(const Bytes bytes, archive.read(found->second, kMaxBytes));
  return parse_npy(bytes);
}

Result<Array> read_from_npz(const std::filesystem::path& path, const std::string& name) {
  NNRT_ASSIGN(const Bytes file, read_file(path));
  auto array = parse_npz(file, name);
  if (!array.ok()) return std::move(array).error().during(cat("reading ", path.string()));
  return array;
}

Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
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
  NNRT_ASSIGN(const std::string file, writer.finish());
  return write_file(path, file);
}

}  // namespace nnrt::tool
