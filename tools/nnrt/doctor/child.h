// Work in a child process, because drivers may crash or hang.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace nnrt::tool {

struct ChildEnd {
  std::vector<nlohmann::ordered_json> sent;
  std::string log;    // what the child wrote to standard error
  std::string fault;  // "took more than 10 s", "crashed (Segmentation fault)"; empty if it ended by itself
};

using Send = std::function<void(const nlohmann::ordered_json&)>;

// Calls `work` in a child, which may use the library whatever the parent does, and ends it after `seconds`.
// What was sent before a crash arrives. The parent must not have called the library yet.
ChildEnd in_child(const std::function<void(const Send& send)>& work, int seconds);

}  // namespace nnrt::tool
