// Writes the networks and single-operator models as ONNX files, for other engines, and `dense` as TFLite too.
#include "networks/fp16_case.h"
#include "networks/kernel_models.h"
#include "networks/networks.h"
#include "networks/onnx_writer.h"
#include "networks/tflite_network.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

constexpr const char* kDense = "dense";

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("Cannot write " + file.string());
}

void write(const conformance::Case& network, std::string name, const std::filesystem::path& directory,
           bool external) {
  std::ranges::replace(name, '/', '-');
  write(directory / (name + ".onnx"), bench::to_onnx(network));
  if (name == kDense) write(directory / (name + ".tflite"), bench::to_tflite(network));
  if (!external) return;
  const std::string location = name + ".external.data";
  const bench::OnnxFiles files = bench::to_external_onnx(network, location);
  write(directory / (name + ".external.onnx"), files.model);
  write(directory / location, files.data);
}

bool is_kernel(const std::string& name) { return name.find('/') != name.npos; }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the networks of the benchmarks and the operators of kernels_bench as ONNX files.");
  std::string directory;
  std::vector<std::string> chosen, names, all;
  for (const bench::Network& network : bench::networks()) names.emplace_back(network.name);
  all = names;
  const std::vector<bench::Kernel> kernels = bench::kernels();
  for (const bench::Kernel& kernel : kernels) all.push_back(kernel.name);
  all.emplace_back(kDense);
  bench::Scale scale;
  app.add_option("directory", directory, "Where to, made where it is missing")->required();
  app.add_option("name", chosen,
                 "Which networks, and operators such as norm/softmax_1x1000: all networks unless told")
      ->check(CLI::IsMember(all));
  app.add_option("--batch", scale.batch, "So many images at a time")->check(CLI::PositiveNumber);
  bool is_small = false, external = false, half_weights = false;
  app.add_flag("--half-weights", half_weights, "Round the weights to halves; they stay FLOAT32");
  app.add_flag("--external", external, "Also write NAME.external.onnx, with the weights in a file beside it");
  app.add_flag("--small", is_small,
               "Networks as tests have them: the same structure, fewer pixels and channels");
  CLI11_PARSE(app, argc, argv);
  if (is_small) scale = {bench::kSmall.side, bench::kSmall.divisor, bench::kSmall.classes, scale.batch};
  try {
    std::filesystem::create_directories(directory);
    for (const std::string& name : chosen.empty() ? names : chosen) {
      const auto kernel = std::ranges::find(kernels, name, &bench::Kernel::name);
      const auto describe = [&] {
        if (is_kernel(name)) return kernel->describe();
        return name == kDense ? bench::dense(scale) : bench::network(name).describe(scale);
      };
      const conformance::Case network = half_weights ? bench::with_half_weights(describe()) : describe();
      write(network, name, directory, external);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
