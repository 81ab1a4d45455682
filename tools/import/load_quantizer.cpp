#include "tools/import/load_quantizer.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/import/write_network.h"

#include <algorithm>
#include <fstream>

namespace nnrt::import {
namespace {

bool is_open(int32_t dimension, int32_t given) { return dimension == -1 || dimension == given; }

// Whether the shapes only fill dimensions that the network leaves open.
bool fits(const Network& network, const InputShapes& shapes) {
  return std::ranges::all_of(network.inputs, [&](TensorId id) {
    const Tensor& input = network.tensors[id];
    const auto named = shapes.find(input.name), given = named == shapes.end() ? shapes.find("") : named;
    return given == shapes.end() || std::ranges::equal(input.shape, given->second, is_open);
  });
}

// What the quantizer writes back in the file's own format keeps the dimensions that the file leaves open.
Result<Network> read_for(const std::filesystem::path& path, const std::filesystem::path& output,
                         const Options& options) {
  if (path.extension() == output.extension() && !options.input_shapes.empty()) {
    Options open = options;
    open.input_shapes.clear();
    auto network = load(path, open);
    if (network.ok() && fits(network.value(), options.input_shapes) &&
        write_network(network.value(), output).ok())
      return network;
  }
  return load(path, options);
}

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_quantizer(const std::filesystem::path& path,
                                                       const std::filesystem::path& output,
                                                       const std::vector<std::string>& float_nodes,
                                                       const Options& options) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return Error{Code::invalid_path, cat("The file (", path.string(), ") cannot be read.")};
  NNRT_ASSIGN(const Network network, read_for(path, output, options));
  if (path.extension() != output.extension()) bytes.clear();
  return ModelQuantizer::create(network, output, std::move(bytes), float_nodes);
}

}  // namespace nnrt::import
