// A trace during a test, and its events.
#pragma once

#include "core/platform/trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
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

}  // namespace nnrt::test
