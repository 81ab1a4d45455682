#include "tools/nnrt/data/labels.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/base/output.h"

#include <algorithm>
#include <string_view>

namespace nnrt::tool {

std::vector<std::string> parse_labels(std::span<const std::byte> file) {
  std::vector<std::string> labels;
  std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return labels;
}

void check_labels(const std::string& file, std::span<const std::string> labels, const std::string& output,
                  size_t classes) {
  while (!labels.empty() && labels.back().empty()) labels = labels.first(labels.size() - 1);
  if (labels.size() == classes) return;
  tell(cat("Warning: ", file, " has ", counted(labels.size(), "label"), ", but output ", output, " has ",
           counted(classes, "class", "classes"), "."));
}

Result<std::vector<std::string>> read_labels(const std::filesystem::path& path) {
  constexpr size_t kMaxBytes = size_t{1} << 26;
  NNRT_ASSIGN(const import::Bytes file, read_file(path, kMaxBytes));
  return parse_labels(file);
}

std::vector<std::string> attached_labels(std::vector<import::AttachedFile> files) {
  std::erase_if(files, [](const import::AttachedFile& file) { return !file.name.ends_with(".txt"); });
  return files.size() == 1 ? parse_labels(files[0].data) : std::vector<std::string>();
}

}  // namespace nnrt::tool
