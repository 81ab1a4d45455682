// The ONNX file for other engines is the same network: read back, it computes the same results.
#include "networks/onnx_writer.h"

#include "network_runner.h"
#include "networks/networks.h"
#include "tools/import/load_network.h"
#include "tools/import/model_builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

using bench::Network;
using bench::NetworkRunner;

class OnnxFile : public testing::TestWithParam<Network> {};

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              std::string("nnrt_network_").append(std::to_string(getpid())).append(".onnx")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// In the file, images are NCHW and quantized values have an offset of 128.
void fill_from(NetworkRunner& file, NetworkRunner& ours, size_t index, const conformance::Tensor& input) {
  const std::span<std::byte> from = ours.input(index), to = file.input(index);
  ASSERT_EQ(from.size(), to.size());
  const bool is_int8 = input.dataType == OH_NN_INT8;
  const size_t size = is_int8 ? 1 : sizeof(float);
  const size_t channels = input.shape.size() == 4 ? static_cast<size_t>(input.shape[3]) : 1;
  const size_t images = input.shape.size() == 4 ? static_cast<size_t>(input.shape[0]) : 1;
  const size_t pixels = from.size() / size / channels / images;
  for (size_t image = 0; image < images; ++image) {
    const size_t begin = image * pixels * channels;
    for (size_t pixel = 0; pixel < pixels; ++pixel) {
      for (size_t channel = 0; channel < channels; ++channel) {
        std::memcpy(&to[(begin + channel * pixels + pixel) * size],
                    &from[(begin + pixel * channels + channel) * size], size);
      }
    }
  }
  for (size_t i = 0; is_int8 && i < to.size(); ++i) to[i] ^= std::byte{0x80};
}

void expect_same_numbers(const conformance::Case& network, bool is_int8) {
  const TemporaryFile file(bench::to_onnx(network));
  const auto imported = nnrt::import::load(file.path());
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  const auto model = nnrt::import::make_model(imported.value());
  ASSERT_TRUE(model.ok()) << model.error().message;

  const size_t device = bench::devices().front().id;
  NetworkRunner ours(network, device), theirs(model.value().get(), device, {});
  ours.fill_inputs(1);
  for (size_t i = 0; i < network.inputs.size(); ++i)
    fill_from(theirs, ours, i, network.tensors[network.inputs[i]]);
  ours.run();
  theirs.run();
  const auto expected = ours.floats(0), computed = theirs.floats(0);
  ASSERT_EQ(expected.size(), computed.size());
  // The tolerance is relative to the range, because probabilities are close together. Quantized values may
  // differ by one rounding step.
  const auto [min, max] = std::ranges::minmax(expected);
  const float tolerance = (is_int8 ? 0.2f : 1e-3f) * (max - min);
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], computed[i], tolerance) << i;
}

TEST_P(OnnxFile, ComputesTheSameNumbers) {
  expect_same_numbers(GetParam().describe(bench::kSmall), GetParam().int8);
}

TEST_P(OnnxFile, ComputesTheSameNumbersOfABatch) {
  bench::Scale scale = bench::kSmall;
  scale.batch = 2;
  expect_same_numbers(GetParam().describe(scale), GetParam().int8);
}

INSTANTIATE_TEST_SUITE_P(All, OnnxFile, testing::ValuesIn(bench::networks().begin(), bench::networks().end()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
