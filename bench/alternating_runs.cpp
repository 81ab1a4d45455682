// Runs a network on command, so that engines can be measured in turns: turns NETWORK|FILE cpu|gpu [--fp16]
// [--half-weights] [--batch N]. FILE is a model file, whose name has a dot. Prints "ready" and the build time
// in milliseconds after building and one warm-up run. Then, for each line on standard input: a number N does
// N runs and prints the median in milliseconds; "times N" prints the time of each run; "device" prints the
// GPU time of a run (kernels and transfers) in milliseconds. --fp16 permits fp16 computation; --half-weights
// rounds the constants of a network to halves.
#include "device_time.h"
#include "network_runner.h"
#include "networks/fp16_case.h"
#include "networks/networks.h"

#include <neural_network_runtime/nnrt_import.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;
using Clock = std::chrono::steady_clock;

double milliseconds_of(bench::NetworkRunner& runner) {
  const auto start = Clock::now();
  runner.run();
  return Milliseconds(Clock::now() - start).count();
}

std::vector<double> run_many(bench::NetworkRunner& runner, const std::string& count) {
  std::vector<double> times;
  for (int i = 0; i < std::max(1, std::atoi(count.c_str())); ++i) times.push_back(milliseconds_of(runner));
  return times;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Request {
  std::string network, kind;
  bench::Scale scale;
  bool half_weights = false;
  bench::NetworkRunner::Options options;
};

bool is_file(const Request& request) { return request.network.find('.') != std::string::npos; }

bool read(int argc, char** argv, Request& request) {
  if (argc < 3) return false;
  request.network = argv[1];
  request.kind = argv[2];
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--fp16")
      request.options.float16 = true;
    else if (argument == "--half-weights")
      request.half_weights = true;
    else if (argument == "--batch" && i + 1 < argc)
      request.scale.batch = std::atoi(argv[++i]);
    else
      return false;
  }
  if (is_file(request) && (request.half_weights || request.scale.batch != 1)) return false;
  return request.scale.batch > 0;
}

struct DestroyModel {
  void operator()(OH_NNRt_ImportedModel* model) const { OH_NNRt_ImportedModel_Destroy(&model); }
};

bench::NetworkRunner runner_of_file(const Request& request, size_t device) {
  const OH_NNRt_ImportOptions options{sizeof options, nullptr, 0, OH_NNRT_IDENTITY_NONE, nullptr};
  OH_NNRt_ImportedModel* imported = nullptr;
  if (OH_NNRt_ImportModel(request.network.c_str(), &options, &imported) != OH_NN_SUCCESS)
    throw std::runtime_error(OH_NNRt_GetImportError());
  const std::unique_ptr<OH_NNRt_ImportedModel, DestroyModel> owner(imported);
  const OH_NNModel* model = nullptr;
  conformance::check(OH_NNRt_ImportedModel_GetModel(imported, &model), "OH_NNRt_ImportedModel_GetModel");
  return {model, device, request.options};
}

using Build = std::function<bench::NetworkRunner()>;

Build make_build(const Request& request, size_t device) {
  if (is_file(request)) return [&request, device] { return runner_of_file(request, device); };
  conformance::Case network = bench::network(request.network).describe(request.scale);
  if (request.half_weights) network = bench::with_half_weights(std::move(network));
  return [network = std::move(network), device, &request] {
    return bench::NetworkRunner(network, device, request.options);
  };
}

void answer_device_time(bench::NetworkRunner& runner) {
  constexpr int kRuns = 5;
  const auto time = bench::device_time(runner, kRuns);
  if (time)
    std::cout << time->kernels_us / 1e3 << ' ' << time->transfers_us / 1e3 << std::endl;
  else
    std::cout << "none" << std::endl;
}

void serve(const Request& request) {
  const size_t device = bench::find_device(request.kind);
  const Build build_runner = make_build(request, device);
  const auto start = Clock::now();
  bench::NetworkRunner runner = build_runner();
  const double build = Milliseconds(Clock::now() - start).count();
  runner.fill_inputs(1);
  for (int i = 0; i < 2; ++i) runner.run();
  std::cout << "ready " << build << std::endl;
  for (std::string word; std::cin >> word;) {
    if (word == "device") {
      answer_device_time(runner);
    } else if (std::string count; word == "times" && std::cin >> count) {
      for (const double time : run_many(runner, count)) std::cout << time << ' ';
      std::cout << std::endl;
    } else {
      std::cout << median(run_many(runner, word)) << std::endl;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  if (!read(argc, argv, request)) {
    std::fprintf(stderr, "usage: turns NETWORK|FILE cpu|gpu [--fp16] [--half-weights] [--batch N]\n");
    return 2;
  }
  try {
    serve(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
