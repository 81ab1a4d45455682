// A trace during a test, and its events.
#pragma once

#include "core/platform/trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace nnrt::test {

inline std::string trace_path() {
  return testing::TempDir() + "nnrt_trace_" + std::to_string(getpid()) + ".json";
}

// The file must be a single JSON document.
inline std::vector<nlohmann::json> events_in(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file).at("traceEvents").get<std::vector<nlohmann::json>>();
}

inline std::vector<nlohmann::json> of_category(const std::vector<nlohmann::json>& events,
                                               const std::string& category) {
  std::vector<nlohmann::json> chosen;
  for (const auto& event : events) {
    if (event.value("cat", "") == category) chosen.push_back(event);
  }
  return chosen;
}

class TraceFile {
 public:
  TraceFile() : session_(trace::start(trace_path()).value()) {}
  ~TraceFile() { std::remove(trace_path().c_str()); }

  std::vector<nlohmann::json> events() const {
    trace::flush();
    return events_in(trace_path());
  }
  std::vector<nlohmann::json> events(const std::string& category) const {
    return of_category(events(), category);
  }

 private:
  std::shared_ptr<trace::Session> session_;
};

// What the nodes of a run report, whichever of them compute several operations.
struct TracedWork {
  std::set<uint32_t> operations;
  uint64_t flops = 0;

  bool operator==(const TracedWork&) const = default;
};
template <typename Run>
TracedWork traced_work(const Run& run) {
  const TraceFile file;
  run();
  TracedWork work;
  for (const nlohmann::json& event : file.events("node")) {
    const nlohmann::json& args = event.at("args");
    work.operations.insert(args.at("operation").get<uint32_t>());
    work.operations.merge(args.value("fused", std::set<uint32_t>()));
    work.flops += args.at("flops").get<uint64_t>();
  }
  return work;
}

}  // namespace nnrt::test
