// Writes the networks and single-operator models as ONNX files, for other engines.
#include "networks/kernel_models.h"
#include "networks/networks.h"
#include "networks/onnx_writer.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

void write(const conformance::Case& network, std::string name, const std::filesystem::path& directory) {
  std::ranges::replace(name, '/', '-');
  const std::filesystem::path file = directory / (name + ".onnx");
  std::ofstream stream(file, std::ios::binary);
  const std::string bytes = bench::to_onnx(network);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("Cannot write " + file.string());
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
  bench::Scale scale;
  app.add_option("directory", directory, "Where to, made where it is missing")->required();
  app.add_option("name", chosen,
                 "Which networks, and operators such as norm/softmax_1x1000: all networks unless told")
      ->check(CLI::IsMember(all));
  app.add_option("--batch", scale.batch, "So many images at a time")->check(CLI::PositiveNumber);
  bool is_small = false;
  app.add_flag("--small", is_small,
               "Networks as tests have them: the same structure, fewer pixels and channels");
  CLI11_PARSE(app, argc, argv);
  if (is_small) scale = {bench::kSmall.side, bench::kSmall.divisor, bench::kSmall.classes, scale.batch};
  try {
    std::filesystem::create_directories(directory);
    for (const std::string& name : chosen.empty() ? names : chosen) {
      const auto kernel = std::ranges::find(kernels, name, &bench::Kernel::name);
      write(is_kernel(name) ? kernel->describe() : bench::network(name).describe(scale), name, directory);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
