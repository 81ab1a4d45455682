// Measures runs until optimized shaders take over: one model file on a GPU device in a fresh process, run
// continuously (see NNRT_VULKAN_SHADERS=deferred). Prints one JSON object: the first inference, the time of
// the takeover, and run times before, during and after it.
//   takeover_bench FILE [SECONDS]     SECONDS: maximum wait for the takeover, 20 by default
#include "network_runner.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double kAfter_ms = 1500;  // how long to run after the takeover

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Only the runtime's log reports the takeover.
class Log {
 public:
  Log() : path_(std::filesystem::temp_directory_path() / std::to_string(getpid()).append(".log")) {
    setenv("NNRT_LOG", "info", 1);
    if (std::freopen(path_.c_str(), "w", stderr) == nullptr)
      throw std::runtime_error("The log cannot be written.");
    std::setbuf(stderr, nullptr);
  }
  ~Log() { std::filesystem::remove(path_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool has(std::string_view line) const {
    std::ifstream file(path_);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return text.find(line) != text.npos;
  }

 private:
  std::filesystem::path path_;
};

Json summary(std::vector<double> values) {
  if (values.empty()) return nullptr;
  std::ranges::sort(values);
  return {{"runs", values.size()}, {"median_ms", values[values.size() / 2]}, {"max_ms", values.back()}};
}

Json measure(const std::string& file, double seconds) {
  const Log log;
  const bench::ImportedModel model(file);
  const auto start = Clock::now();
  bench::NetworkRunner runner(model.network(), bench::find_device("gpu"), {.cache = "", .steady = false});
  runner.fill_inputs(1);
  runner.run();
  Json result{{"first_inference_ms", milliseconds_since(start)}};
  std::vector<double> before, after;
  const auto stays = Clock::now();
  double changed = 0;
  while (changed == 0 ? milliseconds_since(stays) < seconds * 1e3
                      : milliseconds_since(stays) < changed + kAfter_ms) {
    const auto run = Clock::now();
    runner.run();
    (changed == 0 ? before : after).push_back(milliseconds_since(run));
    if (changed == 0 && log.has("Switched a model to its optimized shaders"))
      changed = milliseconds_since(stays);
  }
  result["taken_over_ms"] = changed > 0 ? Json(changed) : Json();
  result["before"] = summary(before);
  result["after"] = summary(after);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: takeover_bench FILE [SECONDS]\n");
    return 2;
  }
  try {
    std::printf("%s\n", measure(argv[1], argc > 2 ? std::atof(argv[2]) : 20).dump().c_str());
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());  // standard error is the log
    return 1;
  }
  return 0;
}
