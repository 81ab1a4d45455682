#include "tools/plugins/onnxruntime/run/device_facts.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <nlohmann/json.hpp>

namespace nnrt::ep {

Facts facts_of(const plugins::PluginDevice& device) {
  size_t length = 0;
  if (OH_NNRt_DescribeDevice(device.id, nullptr, 0, &length) != OH_NN_SUCCESS) return {};
  std::string text(length + 1, '\0');
  if (OH_NNRt_DescribeDevice(device.id, text.data(), text.size(), &length) != OH_NN_SUCCESS) return {};
  text.resize(length);
  return facts_of(text);
}

// Keeps no value: destroying an object with members allocates memory, which ends the process if there is
// none.
Facts facts_of(const std::string& json) {
  using Json = nlohmann::json;
  Facts facts;
  std::string name;
  const auto take = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::key) name = value.get<std::string>();
    if (event == Json::parse_event_t::value)
      facts[name] = value.is_string() ? value.get<std::string>() : value.dump();
    return depth == 0;
  };
  return Json::parse(json, take, false).is_object() ? facts : Facts();
}

}  // namespace nnrt::ep
