#include "core/platform/settings_check.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/environment.h"
#include "core/platform/fork.h"
#include "core/platform/log.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

namespace nnrt {
namespace {

constexpr std::string_view kPrefix = "NNRT_", kTestPrefix = "NNRT_TEST_";

// Never destroyed: threads may use it while the process exits.
struct WarningSet {
  std::mutex mutex;
  std::set<std::string, std::less<>> warnings;
};
WarningSet& warning_set() {
  static auto& instance = *std::make_unique<WarningSet>().release();
  return instance;
}

// Bounds the memory used if a client makes up new names for each compilation.
void warn_once(const std::string& warning) {
  constexpr size_t kMaxWarnings = 100;
  if (is_forked()) return;  // the lock may be held forever, and the parent has already warned
  {
    WarningSet& all = warning_set();
    const std::lock_guard lock(all.mutex);
    if (all.warnings.size() >= kMaxWarnings || !all.warnings.insert(warning).second) return;
  }
  log(LogLevel::warning, warning);
}

std::string names_of(SettingKind kind) {
  std::string names;
  for (const SettingRow& row : all_settings())
    if (row.kind == kind) names += cat(names.empty() ? "" : ", ", row.name);
  return names;
}

void check_variable(std::string_view name, std::string_view value) {
  const auto rows = all_settings();
  const auto known = std::ranges::find(rows, name, [](const SettingRow& row) { return row.name; });
  if (known != rows.end()) return check_value(*known, value);
  const bool is_of_tests = name.starts_with(kTestPrefix);
  std::string allowed = names_of(is_of_tests ? SettingKind::test : SettingKind::user);
  if (is_of_tests) allowed += cat(", ", names_of(SettingKind::test_run));
  warn_once(cat("Environment variable ", name, " is not one of ", allowed, "."));
}

}  // namespace

void check_environment() {
  static std::once_flag once;
  std::call_once(once, [] { best_effort([] { for_each_variable(kPrefix, check_variable); }); });
}

void check_value(const SettingRow& row, std::string_view text) {
  best_effort([&] {
    for (const std::string& entry : list_entries(text, row.separator))
      if (!index_of(row, entry)) warn_of_value(row, entry, allowed_values(row));
  });
}

void warn_of_value(const SettingRow& row, std::string_view value, std::string_view allowed) {
  best_effort([&] {
    const std::string rule = allowed == "NUMBER" ? "a number from 1" : cat("one of ", allowed);
    warn_once(cat(row.name, " (", value, ") is not ", rule, "."));
  });
}

void check_extension(std::string_view name) {
  const auto is_it = [&](const SettingRow& row) {
    return row.kind == SettingKind::extension && row.name == name;
  };
  const bool is_ours = name.starts_with("nnrt") || name.starts_with("NNRT");
  if (!is_ours || std::ranges::any_of(all_settings(), is_it)) return;
  best_effort([&] {
    warn_once(cat("Extension config ", name, " is not one of ", names_of(SettingKind::extension), "."));
  });
}

}  // namespace nnrt
