#include "core/placement/line_file.h"

#include "core/base/text.h"
#include "core/platform/file_limit.h"
#include "core/platform/settings.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

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
  const std::string temporary = cat(path, '.', getpid());
  const FileLimit limit;
  std::ofstream file(temporary, std::ios::trunc);
  file << all << std::flush;
  const bool written = bool(file);
  file.close();
  if (written) std::filesystem::rename(temporary, path, failed);
  if (!written || failed) std::filesystem::remove(temporary, failed);
}

}  // namespace nnrt
