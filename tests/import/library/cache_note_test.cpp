// Cache notes through the public header of libnnrt_import.so. tests/python/cache_test.py changes the files.
#include <neural_network_runtime/nnrt_import.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::test {
namespace {

const std::string kFolder = std::string(NNRT_TEST_MODELS) + "/onnx";
const std::string kDigits = kFolder + "/digits.onnx";

struct DestroyImported {
  void operator()(OH_NNRt_ImportedModel* model) const { OH_NNRt_ImportedModel_Destroy(&model); }
};
using Imported = std::unique_ptr<OH_NNRt_ImportedModel, DestroyImported>;
using Note = std::vector<std::byte>;

Note note_of(const OH_NNRt_ImportedModel* model) {
  const void* note = nullptr;
  size_t size = 0;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetCacheNote(model, &note, &size), OH_NN_SUCCESS);
  const auto* bytes = static_cast<const std::byte*>(note);
  return {bytes, bytes + size};
}

// Null if the note does not apply.
Imported cached(const Note& note, const OH_NNRt_ImportOptions& options, const std::string& path = kDigits) {
  OH_NNRt_ImportedModel* model = nullptr;
  const OH_NN_ReturnCode code =
      OH_NNRt_ImportFromCacheNote(path.c_str(), &options, note.data(), note.size(), &model);
  EXPECT_EQ(code, model == nullptr ? OH_NN_INVALID_FILE : OH_NN_SUCCESS) << OH_NNRt_GetImportError();
  return Imported(model);
}

std::vector<std::string> operations_of(const OH_NNRt_ImportedModel* model) {
  size_t count = 0;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetOperationCount(model, &count), OH_NN_SUCCESS);
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    EXPECT_EQ(OH_NNRt_ImportedModel_GetOperationName(model, i, &name), OH_NN_SUCCESS);
    names.emplace_back(name);
  }
  return names;
}

class CacheNote : public testing::TestWithParam<OH_NNRt_Identity> {
 protected:
  CacheNote() {
    OH_NNRt_ImportedModel* model = nullptr;
    EXPECT_EQ(OH_NNRt_ImportModel(kDigits.c_str(), &options_, &model), OH_NN_SUCCESS);
    model_.reset(model);
    note_ = note_of(model);
  }

  OH_NNRt_ImportOptions options_{sizeof(OH_NNRt_ImportOptions), nullptr, 0, GetParam(), "fast"};
  Imported model_;
  Note note_;
};

TEST_P(CacheNote, ReplacesAnUnchangedFile) {
  ASSERT_FALSE(note_.empty());
  const Imported model = cached(note_, options_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(operations_of(model.get()), operations_of(model_.get()));
  OH_NNRt_TensorInfo info{}, expected{};
  info.size = expected.size = sizeof info;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetInput(model.get(), 0, &info), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNRt_ImportedModel_GetInput(model_.get(), 0, &expected), OH_NN_SUCCESS);
  EXPECT_STREQ(info.name, expected.name);
  EXPECT_EQ(note_of(model.get()), note_);
  const OH_NNModel* nn_model = nullptr;
  EXPECT_EQ(OH_NNRt_ImportedModel_GetModel(model.get(), &nn_model), OH_NN_OPERATION_FORBIDDEN);
}

TEST_P(CacheNote, IsOnlyForTheSameFileAndOptions) {
  EXPECT_EQ(cached(note_, options_, kFolder + "/digits_int8.onnx"), nullptr);
  EXPECT_EQ(cached(note_, options_, "/nowhere.onnx"), nullptr);
  OH_NNRt_ImportOptions other = options_;
  other.variant = nullptr;
  EXPECT_EQ(cached(note_, other), nullptr);
  other = options_;
  other.identity = GetParam() == OH_NNRT_IDENTITY_FILE ? OH_NNRT_IDENTITY_CONTENT : OH_NNRT_IDENTITY_FILE;
  EXPECT_EQ(cached(note_, other), nullptr);
  const int32_t shape[] = {2, 1, 8, 8};
  const OH_NNRt_InputShape given{nullptr, shape, 4};
  other = options_;
  other.inputShapes = &given;
  other.inputShapeCount = 1;
  EXPECT_EQ(cached(note_, other), nullptr);
}

TEST_P(CacheNote, MayBeHostile) {
  for (size_t size = 1; size < note_.size(); ++size)
    EXPECT_EQ(cached(Note(note_.begin(), note_.begin() + ptrdiff_t(size)), options_), nullptr) << size;
  for (size_t position = 0; position < note_.size(); ++position) {
    Note forged = note_;
    forged[position] ^= std::byte{0x41};
    cached(forged, options_);  // checks the code
  }
}

TEST_P(CacheNote, WantsArgumentsAndAnIdentity) {
  OH_NNRt_ImportedModel* model = nullptr;
  OH_NNRt_ImportOptions none = options_;
  none.identity = OH_NNRT_IDENTITY_NONE;
  const void* const note = note_.data();
  for (const OH_NN_ReturnCode code :
       {OH_NNRt_ImportFromCacheNote(kDigits.c_str(), &none, note, note_.size(), &model),
        OH_NNRt_ImportFromCacheNote(kDigits.c_str(), nullptr, note, note_.size(), &model),
        OH_NNRt_ImportFromCacheNote(nullptr, &options_, note, note_.size(), &model),
        OH_NNRt_ImportFromCacheNote(kDigits.c_str(), &options_, nullptr, 0, &model),
        OH_NNRt_ImportFromCacheNote(kDigits.c_str(), &options_, note, note_.size(), nullptr),
        OH_NNRt_ImportedModel_GetCacheNote(nullptr, nullptr, nullptr)})
    EXPECT_EQ(code, OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(model, nullptr);
}

// As compiled with the header of version 2, in which the structure was smaller.
TEST(ImportOptions, OfEarlierVersionsAreAccepted) {
  OH_NNRt_ImportOptions options{};
  options.size = offsetof(OH_NNRt_ImportOptions, identity);
  options.identity = 77;  // not a part of that version
  OH_NNRt_ImportedModel* model = nullptr;
  ASSERT_EQ(OH_NNRt_ImportModel(kDigits.c_str(), &options, &model), OH_NN_SUCCESS);
  EXPECT_TRUE(note_of(Imported(model).get()).empty());
  options.size = sizeof options;
  model = nullptr;
  EXPECT_EQ(OH_NNRt_ImportModel(kDigits.c_str(), &options, &model), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(model, nullptr);
}

INSTANTIATE_TEST_SUITE_P(, CacheNote, testing::Values(OH_NNRT_IDENTITY_FILE, OH_NNRT_IDENTITY_CONTENT));

}  // namespace
}  // namespace nnrt::test
