#include "tools/import/network/files/external_files.h"

#include "core/base/text.h"

#include <algorithm>
#include <system_error>

namespace nnrt::import {
namespace {

Error damaged(std::string message) { return {Code::invalid_file, std::move(message)}; }

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  const auto root = std::filesystem::canonical(folder, error);
  if (error) return false;
  const auto relative = file.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Result<std::filesystem::path> external_file(const std::string& name, const std::filesystem::path& folder,
                                            std::span<const std::filesystem::path> linked) {
  const std::filesystem::path path(name);
  const auto refused = [&] {
    return damaged(cat("The file of external data (", name, ") is not inside the model's folder."));
  };
  if (folder.empty()) return damaged(cat("Data (", name, ") is outside the model, which has no folder."));
  if (name.empty() || name.find('\0') != std::string::npos || path.is_absolute()) return refused();
  std::error_code error;
  const auto resolved = std::filesystem::canonical(folder / path, error);
  if (error) return damaged(cat("The file of external data (", name, ") cannot be read."));
  if (!std::filesystem::is_regular_file(resolved, error)) return refused();
  const auto allows = [&](const std::filesystem::path& one) { return is_below(resolved, one); };
  return allows(folder) || std::ranges::any_of(linked, allows) ? Result(resolved) : refused();
}

}  // namespace nnrt::import
