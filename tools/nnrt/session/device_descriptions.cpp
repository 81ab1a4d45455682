#include "tools/nnrt/session/device_descriptions.h"

#include "tools/nnrt/base/table.h"
#include "tools/nnrt/session/api_calls.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

// A JSON member as readable text: "memory_bytes": 4294967296 becomes "memory: 4.0 GiB".
std::pair<std::string, std::string> in_words(std::string key, const Json& value) {
  constexpr std::string_view kBytes = "_bytes";
  std::string text = value.is_string()    ? value.get<std::string>()
                     : value.is_boolean() ? (value.get<bool>() ? "yes" : "no")
                                          : value.dump();
  if (key.ends_with(kBytes) && value.is_number_unsigned()) {
    key.resize(key.size() - kBytes.size());
    text = byte_size(value.get<uint64_t>());
  }
  std::ranges::replace(key, '_', ' ');
  return {key, text};
}

// Aligns the members of all devices.
size_t widest_name(const Json& descriptions) {
  size_t widest = 20;
  for (const Json& description : descriptions)
    for (const auto& [key, value] : description.items())
      widest = std::max(widest, in_words(key, value).first.size());
  return widest;
}

void print(const Json& description, size_t width) {
  print_styled(std::cout, Style::heading, description.value("name", ""));
  std::cout << '\n';
  for (const auto& [key, value] : description.items()) {
    if (key == "name") continue;
    const auto [name, text] = in_words(key, value);
    std::string margin = "  " + name + std::string(width + 2 - name.size(), ' ');
    const size_t room = terminal_width(STDOUT_FILENO, margin.size() + text.size());
    for (const std::string& line : wrapped(text, room - std::min(room - 1, margin.size()))) {
      std::cout << margin << line << '\n';
      margin.assign(margin.size(), ' ');
    }
  }
}

}  // namespace

Result<Json> describe_devices() {
  NNRT_ASSIGN(const std::vector<Device> devices, list_devices());
  Json descriptions = Json::array();
  for (const Device& device : devices) {
    Json description = Json::parse(describe(device), nullptr, false);
    if (!description.is_object())
      return Error{Code::failed, "The library's description of a device is not a JSON object."};
    if (!device.fault.empty()) description["unavailable"] = device.fault;
    descriptions.push_back(std::move(description));
  }
  return descriptions;
}

void print_devices(const Json& descriptions) {
  const size_t width = widest_name(descriptions);
  for (const Json& description : descriptions) print(description, width);
}

}  // namespace nnrt::tool
