#include "core/runtime/placement_report.h"

#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/platform/file_limit.h"
#include "core/platform/log.h"

#include <fstream>
#include <iostream>

namespace nnrt {

void write_placement(const std::string& path, const CompiledModel& model) {
  if (path.empty()) return;
  const std::string table = printable_lines(model.placement_table());
  const FileLimit limit;
  if (path == "-") {
    std::cout << table << std::flush;
    return;
  }
  std::ofstream file(path, std::ios::app);
  file << (path.ends_with(".json") ? model.placement_json() + '\n' : table) << std::flush;
  if (!file) log(LogLevel::warning, cat("Placement table (", path, ") cannot be written."));
}

}  // namespace nnrt
