// Tests libnnrt_import.so through its public header only, with known expected results.
#include "tests/import/onnx/onnx_model_writer.h"
#include "tests/import/tflite_writer.h"
#include "tests/support/exported_symbols.h"
#include "tests/support/read_file.h"
#include "tools/import/nn_handles.h"

#include <neural_network_runtime/nnrt_import.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

extern "C" OH_NN_ReturnCode import_from_c(const char* path);

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

const std::string kDigits = std::string(NNRT_TEST_MODELS) + "/onnx/digits.onnx";

struct DestroyImported {
  void operator()(OH_NNRt_ImportedModel* model) const { OH_NNRt_ImportedModel_Destroy(&model); }
};
using Imported = std::unique_ptr<OH_NNRt_ImportedModel, DestroyImported>;

// A file that is deleted at the end of a test.
class TemporaryModel {
 public:
  TemporaryModel(const std::string& extension, std::string_view bytes) {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() / (std::string(test.name()) + std::to_string(getpid()) + extension);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  TemporaryModel(const std::string& extension, const Bytes& bytes)
      : TemporaryModel(extension,
                       std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())) {}
  ~TemporaryModel() { fs::remove(path_); }
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;

  const char* path() const { return path_.c_str(); }

 private:
  fs::path path_;
};

Imported import_file(const char* path, const OH_NNRt_ImportOptions* options = nullptr) {
  OH_NNRt_ImportedModel* model = nullptr;
  EXPECT_EQ(OH_NNRt_ImportModel(path, options, &model), OH_NN_SUCCESS) << OH_NNRt_GetImportError();
  return Imported(model);
}

OH_NNRt_ImportOptions with(const OH_NNRt_InputShape& shape) {
  return {sizeof(OH_NNRt_ImportOptions), &shape, 1, OH_NNRT_IDENTITY_NONE, nullptr};
}

// Return code and message of a failed import.
struct Refusal {
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
  std::string why;
};
Refusal refusal(const char* path, const OH_NNRt_ImportOptions* options = nullptr) {
  OH_NNRt_ImportedModel* model = nullptr;
  const OH_NN_ReturnCode code = OH_NNRt_ImportModel(path, options, &model);
  EXPECT_EQ(model, nullptr);
  return {code, OH_NNRt_GetImportError()};
}

using Describe = OH_NN_ReturnCode (*)(const OH_NNRt_ImportedModel*, size_t, OH_NNRt_TensorInfo*);

OH_NNRt_TensorInfo info_of(const Imported& model, Describe describe, size_t index) {
  OH_NNRt_TensorInfo info{};
  info.size = sizeof info;
  EXPECT_EQ(describe(model.get(), index, &info), OH_NN_SUCCESS) << OH_NNRt_GetImportError();
  return info;
}
OH_NNRt_TensorInfo input_of(const Imported& model, size_t index) {
  return info_of(model, OH_NNRt_ImportedModel_GetInput, index);
}
OH_NNRt_TensorInfo output_of(const Imported& model, size_t index) {
  return info_of(model, OH_NNRt_ImportedModel_GetOutput, index);
}

Shape shape_of(const OH_NNRt_TensorInfo& info) { return {info.shape, info.shape + info.rank}; }

nnrt::import::CompilationHandle compile(const Imported& model) {
  const OH_NNModel* composed = nullptr;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetModel(model.get(), &composed), OH_NN_SUCCESS);
  return import::CompilationHandle(OH_NNCompilation_Construct(composed));
}

}  // namespace

TEST(ImportLibrary, ExportsTheFunctionsOfItsHeader) {
  std::set<std::string> exported = exported_symbols(IMPORT_LIBRARY);
  exported.erase("NNRT_IMPORT_1");  // some linkers list the version
  EXPECT_EQ(exported, (std::set<std::string>{
                          "OH_NNRt_GetImportError", "OH_NNRt_GetImportVersion", "OH_NNRt_ImportDescription",
                          "OH_NNRt_ImportModel", "OH_NNRt_ImportModelFromBuffer",
                          "OH_NNRt_ImportedModel_Destroy", "OH_NNRt_ImportedModel_GetCounts",
                          "OH_NNRt_ImportedModel_GetCacheNote", "OH_NNRt_ImportFromCacheNote",
                          "OH_NNRt_ImportedModel_GetDescription", "OH_NNRt_ImportedModel_GetFile",
                          "OH_NNRt_ImportedModel_GetFileCount", "OH_NNRt_ImportedModel_GetInput",
                          "OH_NNRt_ImportedModel_GetModel", "OH_NNRt_ImportedModel_GetOperationCount",
                          "OH_NNRt_ImportedModel_GetOperationName", "OH_NNRt_ImportedModel_GetOutput"}));
}

TEST(ImportLibrary, HasTheVersionOfItsHeader) {
  EXPECT_EQ(OH_NNRt_GetImportVersion(), uint32_t{OH_NNRT_IMPORT_VERSION});
}

TEST(ImportLibrary, ServesC) { EXPECT_EQ(import_from_c(kDigits.c_str()), OH_NN_SUCCESS); }

TEST(ImportLibrary, DescribesQuantizedTensorsOfTflite) {
  const Operand x = uint8({2, 3}, {}, 0.5f, 3), y = uint8({2, 3}, {}, 0.25f, 7);
  TfliteWriter writer;
  const int32_t input = writer.input(x, "x"), output = writer.tensor(y, "y");
  writer.add(BuiltinOperator::TANH, {input}, {output});
  writer.output(output);
  const TemporaryModel file(".tflite", writer.finish());
  const Imported model = import_file(file.path());
  size_t inputs = 0, outputs = 0;
  ASSERT_EQ(OH_NNRt_ImportedModel_GetCounts(model.get(), &inputs, &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(inputs, 1u);
  EXPECT_EQ(outputs, 1u);
  const OH_NNRt_TensorInfo in = input_of(model, 0), out = output_of(model, 0);
  EXPECT_STREQ(in.name, "x");
  EXPECT_EQ(in.dataType, OH_NN_UINT8);
  EXPECT_EQ(shape_of(in), (Shape{2, 3}));
  ASSERT_EQ(in.quantizationCount, 1u);
  EXPECT_EQ(in.scales[0], 0.5);
  EXPECT_EQ(in.zeroPoints[0], 3);
  EXPECT_STREQ(out.name, "y");
  EXPECT_EQ(out.scales[0], 0.25);
  EXPECT_EQ(out.zeroPoints[0], 7);
}

TEST(ImportLibrary, LeavesDimensionsOpenUnlessTheyAreGiven) {
  const Imported open = import_file(kDigits.c_str());
  EXPECT_STREQ(input_of(open, 0).name, "image");
  EXPECT_EQ(input_of(open, 0).dataType, OH_NN_FLOAT32);
  EXPECT_EQ(shape_of(input_of(open, 0)), (Shape{-1, 1, 8, 8}));
  EXPECT_STREQ(output_of(open, 0).name, "probabilities");
  EXPECT_EQ(shape_of(output_of(open, 0)), (Shape{-1, 10}));
  const int32_t shape[] = {3, 1, 8, 8};
  for (const char* name : {"image", static_cast<const char*>(nullptr)}) {
    const OH_NNRt_InputShape given{name, shape, 4};
    const OH_NNRt_ImportOptions options = with(given);
    const Imported fixed = import_file(kDigits.c_str(), &options);
    EXPECT_EQ(shape_of(input_of(fixed, 0)), (Shape{3, 1, 8, 8}));
    EXPECT_EQ(shape_of(output_of(fixed, 0)), (Shape{3, 10}));
  }
}

TEST(ImportLibrary, CompilationOutlivesModel) {
  Imported model = import_file(kDigits.c_str());
  const import::CompilationHandle compilation = compile(model);
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  model.reset();
  const import::ExecutorHandle executor(OH_NNExecutor_Construct(compilation.get()));
  import::TensorDescHandle in(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 0)),
      out(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 0));
  const int32_t image[] = {1, 1, 8, 8}, probabilities[] = {1, 10};
  ASSERT_EQ(OH_NNTensorDesc_SetShape(in.get(), image, 4), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNTensorDesc_SetShape(out.get(), probabilities, 2), OH_NN_SUCCESS);
  const import::TensorHandle input(OH_NNTensor_Create(0, in.get())), output(OH_NNTensor_Create(0, out.get()));
  const std::string samples = std::string(NNRT_TEST_MODELS) + "/samples/onnx_digits/0";
  const std::string pixels = read_file(samples + ".in0.bin"), expected = read_file(samples + ".out0.bin");
  ASSERT_EQ(pixels.size(), 64u);
  ASSERT_EQ(expected.size(), 10 * sizeof(float));
  auto* fed = static_cast<float*>(OH_NNTensor_GetDataBuffer(input.get()));
  for (size_t i = 0; i < pixels.size(); ++i) fed[i] = static_cast<uint8_t>(pixels[i]);
  NN_Tensor *inputs[] = {input.get()}, *outputs[] = {output.get()};
  ASSERT_EQ(OH_NNExecutor_RunSync(executor.get(), inputs, 1, outputs, 1), OH_NN_SUCCESS);
  const auto* got = static_cast<const float*>(OH_NNTensor_GetDataBuffer(output.get()));
  for (size_t i = 0; i < 10; ++i) {
    float wanted = 0;
    std::memcpy(&wanted, expected.data() + i * sizeof wanted, sizeof wanted);
    EXPECT_NEAR(got[i], wanted, 1e-5) << i;
  }
}

TEST(ImportLibrary, NamesOperationsAfterTheOperatorsOfTheFile) {
  OnnxModel onnx;
  onnx.input("x", {2}).node("Sin", {"x"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
  onnx.graph().mutable_node(0)->set_name("/wave");
  const TemporaryModel file(".onnx", onnx.file.serialize());
  const Imported model = import_file(file.path());
  size_t count = 0;
  ASSERT_EQ(OH_NNRt_ImportedModel_GetOperationCount(model.get(), &count), OH_NN_SUCCESS);
  ASSERT_EQ(count, 2u);
  const char* name = nullptr;
  ASSERT_EQ(OH_NNRt_ImportedModel_GetOperationName(model.get(), 0, &name), OH_NN_SUCCESS);
  EXPECT_STREQ(name, "Sin /wave");
  EXPECT_EQ(OH_NNRt_ImportedModel_GetOperationName(model.get(), 2, &name), OH_NN_INVALID_PARAMETER);
  EXPECT_STREQ(OH_NNRt_GetImportError(), "Index of the operation (2) is outside [0, 2).");
}

TEST(ImportLibrary, ReturnsNoAttachedFiles) {
  const Imported model = import_file(kDigits.c_str());
  size_t count = 1, size = 0;
  ASSERT_EQ(OH_NNRt_ImportedModel_GetFileCount(model.get(), &count), OH_NN_SUCCESS);
  EXPECT_EQ(count, 0u);
  const char* name = nullptr;
  const void* data = nullptr;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetFile(model.get(), 0, &name, &data, &size), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ImportedModel_GetFile(model.get(), 0, nullptr, &data, &size), OH_NN_INVALID_PARAMETER);
}

TEST(ImportLibrary, DescribesAModelInBytes) {
  const Imported model = import_file(kDigits.c_str());
  const void* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(OH_NNRt_ImportedModel_GetDescription(model.get(), &data, &size), OH_NN_SUCCESS);
  OH_NNRt_ImportedModel* read = nullptr;
  ASSERT_EQ(OH_NNRt_ImportDescription(data, size, &read), OH_NN_SUCCESS) << OH_NNRt_GetImportError();
  const Imported description(read);
  for (const auto of : {&OH_NNRt_ImportedModel_GetInput, &OH_NNRt_ImportedModel_GetOutput}) {
    OH_NNRt_TensorInfo expected{}, got{};
    expected.size = got.size = sizeof got;
    ASSERT_EQ(of(model.get(), 0, &expected), OH_NN_SUCCESS);
    ASSERT_EQ(of(description.get(), 0, &got), OH_NN_SUCCESS);
    EXPECT_STREQ(got.name, expected.name);
    EXPECT_EQ(got.dataType, expected.dataType);
    EXPECT_EQ(std::vector(got.shape, got.shape + got.rank),
              std::vector(expected.shape, expected.shape + expected.rank));
  }
  const OH_NNModel* composed = nullptr;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetModel(description.get(), &composed), OH_NN_OPERATION_FORBIDDEN);
  const std::string bytes(static_cast<const char*>(data), size);
  for (size_t length = 0; length < size; ++length) {
    OH_NNRt_ImportedModel* none = nullptr;
    EXPECT_EQ(OH_NNRt_ImportDescription(bytes.data(), length, &none), OH_NN_INVALID_FILE) << length;
  }
  for (size_t at = 0; at < size; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    OH_NNRt_ImportedModel* any = nullptr;
    static_cast<void>(OH_NNRt_ImportDescription(damaged.data(), size, &any));
    OH_NNRt_ImportedModel_Destroy(&any);
  }
}

TEST(ImportLibrary, ReadsBytesInMemory) {
  const Operand x = floats({2, 3}, {}), y = x;
  const Bytes tflite = one_operator(BuiltinOperator::ABS, {}, {x}, {y});
  OH_NNRt_ImportedModel* model = nullptr;
  ASSERT_EQ(OH_NNRt_ImportModelFromBuffer(tflite.data(), tflite.size(), nullptr, nullptr, &model),
            OH_NN_SUCCESS);
  EXPECT_EQ(shape_of(input_of(Imported(model), 0)), (Shape{2, 3}));

  const std::string onnx = read_file(kDigits);
  const int32_t shape[] = {2, 1, 8, 8};
  const OH_NNRt_InputShape given{nullptr, shape, 4};
  const OH_NNRt_ImportOptions options = with(given);
  model = nullptr;
  ASSERT_EQ(OH_NNRt_ImportModelFromBuffer(onnx.data(), onnx.size(), nullptr, &options, &model),
            OH_NN_SUCCESS);
  EXPECT_EQ(shape_of(output_of(Imported(model), 0)), (Shape{2, 10}));
  model = nullptr;
  EXPECT_EQ(OH_NNRt_ImportModelFromBuffer(nullptr, 1, nullptr, nullptr, &model), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ImportModelFromBuffer("", 0, nullptr, nullptr, &model), OH_NN_INVALID_FILE);
  EXPECT_EQ(model, nullptr);
}

// An untrusted model must not read files from the current folder.
TEST(ImportLibrary, ReadsExternalDataOnlyFromTheFolder) {
  const float weights[] = {3, 4};
  const TemporaryModel data(".bin", std::string_view(reinterpret_cast<const char*>(weights), sizeof weights));
  const fs::path path(data.path());
  OnnxModel onnx;
  onnx.input("x", {2}).node("Add", {"x", "w"}, {"y"}).output("y");
  onnx_file::TensorProto& constant = onnx.constant("w", OnnxModel::kFloat32, {2}, "");
  constant.clear_raw_data();
  constant.set_data_location(1);  // external
  onnx_file::Entry& location = *constant.add_external_data();
  location.set_key("location");
  location.set_value(path.filename());
  const std::string bytes = onnx.file.serialize();
  const fs::path before = fs::current_path();
  fs::current_path(path.parent_path());
  OH_NNRt_ImportedModel* model = nullptr;
  EXPECT_EQ(OH_NNRt_ImportModelFromBuffer(bytes.data(), bytes.size(), nullptr, nullptr, &model),
            OH_NN_INVALID_FILE);
  EXPECT_NE(std::string(OH_NNRt_GetImportError()).find("no folder"), std::string::npos);
  fs::current_path(before);
  EXPECT_EQ(
      OH_NNRt_ImportModelFromBuffer(bytes.data(), bytes.size(), path.parent_path().c_str(), nullptr, &model),
      OH_NN_SUCCESS)
      << OH_NNRt_GetImportError();
  OH_NNRt_ImportedModel_Destroy(&model);
}

TEST(ImportLibrary, SaysWhyAFileIsRefused) {
  const Refusal missing = refusal("/nowhere/model.onnx");
  EXPECT_EQ(missing.code, OH_NN_INVALID_PATH);
  EXPECT_NE(missing.why.find("/nowhere/model.onnx"), std::string::npos) << missing.why;
  const TemporaryModel nothing(".bin", std::string_view("nothing")),
      damaged(".onnx", std::string_view("\xff\xff"));
  EXPECT_EQ(refusal(nothing.path()).code, OH_NN_INVALID_FILE);
  EXPECT_NE(refusal(nothing.path()).why.find("neither TensorFlow Lite nor ONNX"), std::string::npos);
  EXPECT_EQ(refusal(damaged.path()).code, OH_NN_INVALID_FILE);

  OnnxModel onnx;
  onnx.input("x", {2}).node("DecodeDreams", {"x"}, {"y"}).output("y");
  const TemporaryModel unknown(".onnx", onnx.file.serialize());
  const Refusal unsupported = refusal(unknown.path());
  EXPECT_EQ(unsupported.code, OH_NN_UNSUPPORTED);
  EXPECT_NE(unsupported.why.find("DecodeDreams"), std::string::npos) << unsupported.why;
}

TEST(ImportLibrary, ReportsInvalidOptions) {
  const int32_t shape[] = {1, 1, 8, 8};
  OH_NNRt_InputShape given{"picture", shape, 4};
  OH_NNRt_ImportOptions options = with(given);
  const Refusal unknown = refusal(kDigits.c_str(), &options);
  EXPECT_EQ(unknown.code, OH_NN_INVALID_PARAMETER);
  EXPECT_NE(unknown.why.find("The model has no input of the given name (picture)."), std::string::npos);
  given = {"image", shape, 3};
  EXPECT_EQ(refusal(kDigits.c_str(), &options).code, OH_NN_INVALID_PARAMETER);
  given = {"image", nullptr, 3};
  EXPECT_EQ(refusal(kDigits.c_str(), &options).code, OH_NN_INVALID_PARAMETER);
  const OH_NNRt_InputShape twice[] = {{"image", shape, 4}, {"image", shape, 4}};
  options = {sizeof options, twice, 2, OH_NNRT_IDENTITY_NONE, nullptr};
  EXPECT_EQ(refusal(kDigits.c_str(), &options).code, OH_NN_INVALID_PARAMETER);
  options.inputShapes = nullptr;
  EXPECT_EQ(refusal(kDigits.c_str(), &options).code, OH_NN_INVALID_PARAMETER);
  options = {1, nullptr, 0, OH_NNRT_IDENTITY_NONE, nullptr};
  EXPECT_EQ(refusal(kDigits.c_str(), &options).code, OH_NN_INVALID_PARAMETER);
}

TEST(ImportLibrary, ChecksItsArguments) {
  Imported model = import_file(kDigits.c_str());
  EXPECT_EQ(OH_NNRt_ImportModel(nullptr, nullptr, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ImportModel(kDigits.c_str(), nullptr, nullptr), OH_NN_INVALID_PARAMETER);
  OH_NNRt_ImportedModel* full = model.get();
  EXPECT_EQ(OH_NNRt_ImportModel(kDigits.c_str(), nullptr, &full), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(full, model.get());
  EXPECT_EQ(OH_NNRt_ImportedModel_GetModel(model.get(), nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ImportedModel_GetCounts(nullptr, nullptr, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ImportedModel_GetCounts(model.get(), nullptr, nullptr), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNRt_ImportedModel_GetOperationCount(model.get(), nullptr), OH_NN_INVALID_PARAMETER);
  OH_NNRt_TensorInfo info{};
  EXPECT_EQ(OH_NNRt_ImportedModel_GetInput(model.get(), 0, &info), OH_NN_INVALID_PARAMETER);
  info.size = sizeof info;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetInput(model.get(), 1, &info), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ImportedModel_GetOutput(model.get(), 0, nullptr), OH_NN_INVALID_PARAMETER);
  OH_NNRt_ImportedModel_Destroy(nullptr);
  OH_NNRt_ImportedModel* none = nullptr;
  OH_NNRt_ImportedModel_Destroy(&none);
}

TEST(ImportLibrary, KeepsTheErrorOfEachThread) {
  EXPECT_EQ(refusal("/nowhere/a.onnx").code, OH_NN_INVALID_PATH);
  std::thread([] {
    EXPECT_STREQ(OH_NNRt_GetImportError(), "");
    EXPECT_NE(refusal("/nowhere/b.onnx").why.find("b.onnx"), std::string::npos);
  }).join();
  EXPECT_NE(std::string(OH_NNRt_GetImportError()).find("a.onnx"), std::string::npos);
}

TEST(ImportLibrary, ReadsInSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 8; ++round) EXPECT_NE(import_file(kDigits.c_str()), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace nnrt::test
