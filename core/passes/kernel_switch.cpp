#include "core/passes/kernel_switch.h"

#include "core/base/text.h"
#include "core/platform/log.h"

#include <algorithm>

namespace nnrt {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, std::string_view name) { return std::ranges::binary_search(names, name); }

void insert(Names& names, std::string_view name) {
  const auto place = std::ranges::lower_bound(names, name);
  if (place == names.end() || *place != name) names.emplace(place, name);
}

void remove(Names& names, std::string_view name) { std::erase(names, name); }

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += cat(text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

void KernelSwitch::force(std::string_view name) {
  remove(forbidden_, name);
  insert(forced_, name);
}

void KernelSwitch::forbid(std::string_view name) {
  remove(forced_, name);
  insert(forbidden_, name);
}

bool KernelSwitch::forces(std::string_view name) const { return holds(forced_, name); }

bool KernelSwitch::forbids(std::string_view name) const { return holds(forbidden_, name); }

std::string KernelSwitch::text() const {
  std::string text;
  for (const std::string& name : forced_) text += cat('+', name);
  for (const std::string& name : forbidden_) text += cat('-', name);
  return text;
}

KernelSwitch parse_kernel_switch(std::string_view variable, std::string_view text,
                                 std::span<const std::string_view> known) {
  KernelSwitch kernels;
  for (const std::string& entry : list_entries(text, ',')) {
    const std::string_view name = std::string_view(entry).substr(1);
    const bool has_sign = entry[0] == '+' || entry[0] == '-';
    if (!has_sign) {
      log(LogLevel::warning, cat(variable, " (", entry, ") needs a + or a - before the name."));
    } else if (std::ranges::find(known, name) == known.end()) {
      log(LogLevel::warning, cat(variable, " (", entry, ") names none of ", joined(known), '.'));
    } else if (entry[0] == '+') {
      kernels.force(name);
    } else {
      kernels.forbid(name);
    }
  }
  return kernels;
}

}  // namespace nnrt
