#include "tests/frameworks/tflite/session_test.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace nnrt::test {
namespace {

TfliteApi loaded;
std::unique_ptr<DelegateLibrary> library;
std::string device = "cpu";

std::filesystem::path folder() {
  return std::filesystem::temp_directory_path() / ("nnrt_tflite_" + std::to_string(getpid()));
}

}  // namespace

const TfliteApi& api() { return loaded; }

std::shared_ptr<TfLiteDelegate> create_delegate(const DelegateSettings& settings) {
  return library->create(settings);
}

std::shared_ptr<TfLiteDelegate> delegate(DelegateSettings settings) {
  settings.emplace_back("device", device);
  return library->create(settings);
}

SessionTest::SessionTest() { std::filesystem::create_directories(folder()); }
SessionTest::~SessionTest() { std::filesystem::remove_all(folder()); }

std::string SessionTest::path(const std::string& name) const { return (folder() / name).string(); }

int32_t add_foreign(TinyModel& model, int32_t x, int32_t shape) {
  const int32_t weights = model.constant({1, 1, 1, 1, 1}, {2}), result = model.floats({1, 1, 1, 1, 1});
  tiny_format::Conv3DOptionsT options;
  options.padding = tiny_format::Padding::VALID;
  options.stride_d = options.stride_h = options.stride_w = 1;
  tiny_format::BuiltinOptionsUnion any;
  any.Set(std::move(options));
  model.add(tiny_format::BuiltinOperator::CONV_3D_TRANSPOSE, {shape, weights, x}, {result}, std::move(any));
  return result;
}

void set_shape(const Session& session, int input, const std::vector<int>& shape) {
  std::memcpy(session.input(input).data.raw, shape.data(), shape.size() * sizeof(int));
}

void set(const Session& session, const std::vector<float>& values, int input) {
  ASSERT_EQ(session.input(input).bytes, values.size() * sizeof(float));
  std::memcpy(session.input(input).data.raw, values.data(), session.input(input).bytes);
}

std::vector<float> floats_of(const Session& session, int output) {
  const TfLiteTensor& tensor = session.output(output);
  return {tensor.data.f, tensor.data.f + tensor.bytes / sizeof(float)};
}

std::vector<float> run(Session& session, const std::vector<float>& values) {
  set(session, values);
  session.run();
  return floats_of(session);
}

}  // namespace nnrt::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 3) return 2;
  nnrt::test::loaded = nnrt::test::load_tflite(argv[1]);
  nnrt::test::library = std::make_unique<nnrt::test::DelegateLibrary>(argv[2]);
  if (argc > 3) nnrt::test::device = argv[3];
  return RUN_ALL_TESTS();
}
