#include "tools/plugins/base/plugin_options.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace nnrt::plugins {
namespace {

constexpr uint32_t kMaxThreads = 256;

Status set_fallback(PluginOptions& options, std::string_view value) {
  NNRT_ASSIGN(const bool on, as_bool("fallback", value));
  options.fallback = on ? "on" : "off";
  return {};
}

Status set_float16(PluginOptions& options, std::string_view value) {
  NNRT_ASSIGN(options.float16, as_bool("fp16", value));
  return {};
}

Status set_priority(PluginOptions& options, std::string_view value) {
  constexpr std::string_view kNames[] = {"none", "low", "medium", "high"};
  const auto found = std::ranges::find(kNames, value);
  if (found == std::end(kNames))
    return invalid("Option priority is ", value, ", but must be one of none, low, medium, high.");
  options.priority = static_cast<uint8_t>(found - kNames);
  return {};
}

Status set_threads(PluginOptions& options, std::string_view value) {
  NNRT_ASSIGN(options.threads, as_number("threads", value, kMaxThreads));
  return {};
}

template <std::string PluginOptions::*member>
Status set_text(PluginOptions& options, std::string_view value) {
  if (value.empty()) return invalid("An option has an empty value.");
  options.*member = value;
  return {};
}

constexpr OptionRow kRows[] = {
    {"device", "`auto`, `gpu`, `cpu`, `accelerator`, an id, or part of a name", "`auto`",
     "The device to run on; `auto` places each part of the model where it is fastest.",
     set_text<&PluginOptions::device>},
    {"fallback", "`1`, `0`", "`NNRT_FALLBACK`",
     "`1`: our CPU device runs what the device does not support. `0`: the framework does.", set_fallback},
    {"fp16", "`1`, `0`", "`0`", "Allows float16 for intermediates on GPUs.", set_float16},
    {"cache_dir", "a folder", "none", "Stores compiled models, so that later starts skip compiling.",
     set_text<&PluginOptions::cache_dir>},
    {"priority", "`none`, `low`, `medium`, `high`", "`none`", "Priority among the models of the process.",
     set_priority},
    {"threads", "1 to 256", "`NNRT_THREADS`",
     "Threads of the CPU device, which all models of the process share: only the first model sets them.",
     set_threads},
    {"placement", "a file, or `-`", "`NNRT_PLACEMENT`", "Appends where each operation runs, and why.",
     set_text<&PluginOptions::placement>},
    {"trace", "a file", "none", "Writes a trace for ui.perfetto.dev.", set_text<&PluginOptions::trace>},
};

}  // namespace

std::span<const OptionRow> option_rows() { return kRows; }

Status set_option(PluginOptions& options, std::string_view name, std::string_view value,
                  std::string_view others) {
  const auto row = std::ranges::find(kRows, name, &OptionRow::name);
  if (row != std::end(kRows)) return row->set(options, value);
  std::string names;
  for (const OptionRow& it : kRows) names += cat(names.empty() ? "" : ", ", it.name);
  return invalid("Option ", name, " is not one of: ", names, others, ".");
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
