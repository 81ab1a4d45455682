#include "tools/plugins/base/plugin_options.h"

#include "core/base/text.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <type_traits>

namespace nnrt::plugins {
namespace {

constexpr uint32_t kMaxThreads = 256;
// The values of OH_NN_Priority and OH_NN_PerformanceMode.
constexpr std::string_view kPriorities[] = {"none", "low", "medium", "high"};
constexpr std::string_view kPerformanceModes[] = {"none", "low", "medium", "high", "extreme"};

using Name = std::string_view;
using Value = std::string_view;

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += cat(text.empty() ? "" : ", ", name);
  return text;
}

Status set_fallback(PluginOptions& options, Name name, Value value) {
  NNRT_ASSIGN(const bool on, as_bool(name, value));
  options.fallback = on ? "on" : "off";
  return {};
}

Status set_float16(PluginOptions& options, Name name, Value value) {
  NNRT_ASSIGN(options.float16, as_bool(name, value));
  return {};
}

Status set_threads(PluginOptions& options, Name name, Value value) {
  NNRT_ASSIGN(options.threads, as_number(name, value, kMaxThreads));
  return {};
}

template <auto member, const auto& names>
Status set_choice(PluginOptions& options, Name name, Value value) {
  const auto found = std::ranges::find(names, value);
  if (found == std::end(names))
    return invalid("Option ", name, " is ", value, ", but must be one of ", joined(names), ".");
  auto& choice = options.*member;
  choice = static_cast<std::remove_reference_t<decltype(choice)>>(found - names);
  return {};
}

template <std::string PluginOptions::*member>
Status set_text(PluginOptions& options, Name name, Value value) {
  if (value.empty()) return invalid("Option ", name, " is empty.");
  options.*member = value;
  return {};
}

struct Option {
  std::string_view name;
  Status (*set)(PluginOptions& options, Name name, Value value);
};

constexpr Option kOptions[] = {
    {"device", set_text<&PluginOptions::device>},
    {"fallback", set_fallback},
    {"fp16", set_float16},
    {"cache_dir", set_text<&PluginOptions::cache_dir>},
    {"priority", set_choice<&PluginOptions::priority, kPriorities>},
    {"performance", set_choice<&PluginOptions::performance, kPerformanceModes>},
    {"threads", set_threads},
    {"placement", set_text<&PluginOptions::placement>},
    {"trace", set_text<&PluginOptions::trace>},
};

}  // namespace

Status set_option(PluginOptions& options, std::string_view name, std::string_view value,
                  std::string_view others) {
  const auto option = std::ranges::find(kOptions, name, &Option::name);
  if (option != std::end(kOptions)) return option->set(options, name, value);
  std::string names;
  for (const Option& it : kOptions) names += cat(names.empty() ? "" : ", ", it.name);
  return invalid("Option ", name, " is not one of: ", names, others, ".");
}

bool has_fallback(const PluginOptions& options) {
  constexpr std::string_view kOn = "on";
  if (!options.fallback.empty()) return options.fallback == kOn;
  return setting_choice(Setting::fallback) == index_of(row(Setting::fallback), kOn);
}

Result<bool> as_bool(std::string_view name, std::string_view value) {
  for (const std::string_view word : {"1", "on", "true", "yes"})
    if (value == word) return true;
  for (const std::string_view word : {"0", "off", "false", "no"})
    if (value == word) return false;
  return invalid("Option ", name, " is ", value, ", but must be 1 or 0.");
}

Result<uint32_t> as_number(std::string_view name, std::string_view value, uint32_t max) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size() && number >= 1 && number <= max)
    return number;
  return invalid("Option ", name, " is ", value, ", but must be a number from 1 to ", max, ".");
}

}  // namespace nnrt::plugins
