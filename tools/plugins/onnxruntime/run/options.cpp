#include "tools/plugins/onnxruntime/run/options.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace nnrt::ep {
namespace {

using Setter = Status (*)(Options& options, const std::string& value);

struct Option {
  std::string_view name, values;
  Setter set;
};

Result<bool> switch_of(const std::string& value) {
  for (const char* const on : {"on", "1", "true", "True"})
    if (value == on) return true;
  for (const char* const off : {"off", "0", "false", "False"})
    if (value == off) return false;
  return invalid("It is neither on nor off.");
}

template <bool Options::*member>
Status set_switch(Options& options, const std::string& value) {
  NNRT_ASSIGN(options.*member, switch_of(value));
  return {};
}

template <std::string Options::*member>
Status set_text(Options& options, const std::string& value) {
  options.*member = value;
  return {};
}

// The position of the value in the list.
template <size_t count>
Result<int> choice(const std::array<std::string_view, count>& choices, const std::string& value) {
  const auto found = std::ranges::find(choices, value);
  if (found == choices.end()) return invalid("It is none of the values.");
  return static_cast<int>(found - choices.begin());
}

Status set_priority(Options& options, const std::string& value) {
  static constexpr std::array<std::string_view, 4> kPriorities{"none", "low", "medium", "high"};
  NNRT_ASSIGN(const int chosen, choice(kPriorities, value));
  options.priority = static_cast<OH_NN_Priority>(chosen);
  return {};
}

Status set_performance(Options& options, const std::string& value) {
  static constexpr std::array<std::string_view, 5> kModes{"none", "low", "medium", "high", "extreme"};
  NNRT_ASSIGN(const int chosen, choice(kModes, value));
  options.performance = static_cast<OH_NN_PerformanceMode>(chosen);
  return {};
}

constexpr std::array<Option, 7> kOptions{{
    {"device", "auto, cpu, gpu, accelerator, or a device's name", set_text<&Options::device>},
    {"fallback", "on, off", set_switch<&Options::fallback>},
    {"fp16", "on, off", set_switch<&Options::float16>},
    {"cache", "a folder", set_text<&Options::cache>},
    {"priority", "none, low, medium, high", set_priority},
    {"performance", "none, low, medium, high, extreme", set_performance},
    {"placement", "a file, or - for standard output", set_text<&Options::placement>},
}};

}  // namespace

std::string options_help() {
  std::string names;
  for (const Option& option : kOptions) names.append(names.empty() ? "" : ", ").append(option.name);
  return names;
}

Result<Options> read_options(const std::map<std::string, std::string>& given) {
  Options options;
  for (const auto& [name, value] : given) {
    const auto* const option = std::ranges::find(kOptions, name, &Option::name);
    if (option == kOptions.end())
      return invalid("There is no option ", name, ". The options are ", options_help(), ".");
    if (!option->set(options, value).ok())
      return invalid("The value (", value, ") of option ", name, " is not one of: ", option->values, ".");
  }
  return options;
}

}  // namespace nnrt::ep
