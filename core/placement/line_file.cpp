#include "core/placement/line_file.h"

#include "core/base/text.h"
#include "core/platform/atomic_file.h"
#include "core/platform/settings.h"

#include <filesystem>
#include <fstream>
#include <span>

namespace nnrt {

std::string measurements_path() {
  if (const char* path = setting_text(Setting::costs); path != nullptr && *path != '\0') return path;
  const char* folder = setting_text(Setting::cache_home);
  return folder == nullptr || *folder == '\0' ? "" : cat(folder, "/nnrt/costs");
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void replace_lines(const std::string& path, const std::function<bool(std::string_view)>& is_replaced,
                   std::string_view text) {
  std::string all;
  for (const std::string& line : read_lines(path))
    if (!is_replaced(line)) all.append(line).append("\n");
  all.append(text);

  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  static_cast<void>(replace_file(path, std::as_bytes(std::span(all))));
}

}  // namespace nnrt
