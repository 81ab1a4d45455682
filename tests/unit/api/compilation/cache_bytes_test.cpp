// Caches as bytes: exported, imported, as offline models, damaged.
#include "tests/unit/api/compilation/cache_fixture.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <nlohmann/json.hpp>

#include <variant>

using namespace api_tests;

namespace {

std::string exported(float summand) {
  const Compilation compilation = compilation_of(summand_model(summand));
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
  return exported(compilation);
}

Compilation importing(const std::string& bytes) {
  Compilation compilation = for_cache();
  EXPECT_EQ(OH_NNCompilation_ImportCacheFromBuffer(compilation.get(), bytes.data(), bytes.size()),
            OH_NN_SUCCESS);
  return compilation;
}

OH_NN_ReturnCode build_offline(const std::string& bytes) {
  return build(Compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), bytes.size())));
}

}  // namespace

TEST(CacheBytes, AreImportedAgain) {
  std::string bytes = exported(3);
  const Compilation compilation = importing(bytes);
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  bytes.assign(bytes.size(), 'x');  // only read inside Build
  EXPECT_EQ(summand_of(compilation), 3);
}

TEST(CacheBytes, AreTheSameForTheSameModel) {
  const std::string bytes = exported(3);
  EXPECT_EQ(exported(3), bytes);
  EXPECT_NE(exported(4), bytes);
  const Compilation compilation = importing(bytes);
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  EXPECT_EQ(exported(compilation), bytes) << "of the restored model";
}

TEST(CacheBytes, AreThoseOfTheFile) {
  const TemporaryDirectory directory;
  const Compilation compilation = compilation_of(summand_model(3));
  ASSERT_EQ(build_with_cache(compilation, directory.path(), 9), OH_NN_SUCCESS);
  EXPECT_EQ(exported(compilation), contents(directory.container()));
}

TEST(CacheBytes, RejectShortBuffers) {
  const Compilation compilation = compilation_of(summand_model(3));
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  const size_t needed = exported(compilation).size();
  std::string bytes(needed - 1, 'x');
  size_t size = 0;
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), bytes.data(), bytes.size(), &size),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(size, needed);
  EXPECT_EQ(bytes, std::string(needed - 1, 'x'));
}

TEST(CacheBytes, GoBeforeTheDirectory) {
  const std::string bytes = exported(3);
  EXPECT_EQ(build_with_cache(importing(bytes), "/no/such/directory", 1), OH_NN_SUCCESS);
}

TEST(CacheBytes, AreOneSourceTooManyBesideAModel) {
  const std::string bytes = exported(3);
  const Compilation compilation = compilation_of(summand_model(3));
  ASSERT_EQ(OH_NNCompilation_ImportCacheFromBuffer(compilation.get(), bytes.data(), bytes.size()),
            OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_INVALID_PARAMETER);
}

TEST(CacheBytes, AreAnOfflineModel) {
  const TemporaryDirectory directory;
  const std::string bytes = exported(3), path = directory.container();
  write_file(path, bytes);
  const Compilation compilations[] = {
      Compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), bytes.size())),
      Compilation(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()))};
  for (const Compilation& compilation : compilations) {
    ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
    EXPECT_EQ(summand_of(compilation), 3);
    EXPECT_EQ(export_code(compilation), OH_NN_UNSUPPORTED);
  }
}

// Build then frees weights that it has packed.
TEST(CacheBytes, AreRefusedIfTheClientForwentThem) {
  for (const bool has_directory : {false, true}) {
    const TemporaryDirectory directory;
    const Compilation compilation = compilation_of(summand_model(3));
    ASSERT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.export", "off", 3), OH_NN_SUCCESS);
    ASSERT_EQ(has_directory ? build_with_cache(compilation, directory.path(), 9) : build(compilation),
              OH_NN_SUCCESS);
    EXPECT_EQ(summand_of(compilation), 3);
    EXPECT_EQ(export_code(compilation), OH_NN_UNSUPPORTED);
    EXPECT_EQ(directory.files(), has_directory ? 2u : 0u);
  }
}

TEST(CacheBytes, WithAnyBitFlippedAreRefused) {
  const std::string bytes = exported(3);
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += 7) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    ASSERT_EQ(build(importing(damaged)), OH_NN_INVALID_FILE) << "bit " << bit;
    ASSERT_EQ(build_offline(damaged), OH_NN_FAILED) << "bit " << bit;
  }
}

TEST(CacheBytes, TruncatedOrExtendedAreRefused) {
  const std::string bytes = exported(3);
  for (size_t length = 1; length < bytes.size(); ++length) {
    ASSERT_EQ(build(importing(bytes.substr(0, length))), OH_NN_INVALID_FILE) << length << " bytes";
    ASSERT_EQ(build_offline(bytes.substr(0, length)), OH_NN_FAILED) << length << " bytes";
  }
  EXPECT_EQ(build(importing(bytes + " ")), OH_NN_INVALID_FILE);
}

TEST(CacheBytes, DamagedInADirectoryAreMadeAnew) {
  const TemporaryDirectory directory;
  ASSERT_EQ(save(3, directory.path(), 1), OH_NN_SUCCESS);
  const std::string bytes = contents(directory.container());
  for (size_t position = 0; position < bytes.size(); position += 61) {
    std::string damaged = bytes;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x10);
    const bool is_cut = position % 2 != 0;
    write_file(directory.container(), is_cut ? bytes.substr(0, position) : damaged);
    const Compilation compilation = compilation_of(summand_model(3));
    ASSERT_EQ(build_with_cache(compilation, directory.path(), 1), OH_NN_SUCCESS) << "byte " << position;
    EXPECT_EQ(summand_of(compilation), 3);
    // Constants at the end are only verified when they are read.
    const bool may_stay = !is_cut && position >= bytes.size() - 128;
    const std::string now = contents(directory.container());
    ASSERT_TRUE(now == bytes || (may_stay && now == damaged)) << "byte " << position;
  }
}

namespace {

// Returns the description of a file with these bytes, or the code.
nlohmann::json description_of(const std::string& bytes) {
  const nnrt::test::TemporaryFolder folder;
  const std::string path = folder.file("model.nnrt");
  std::ofstream(path, std::ios::binary) << bytes;
  size_t length = 0;
  const OH_NN_ReturnCode code = OH_NNRt_DescribeOfflineModel(path.c_str(), nullptr, 0, &length);
  if (code != OH_NN_SUCCESS) return code;
  std::string text(length + 1, '?');
  EXPECT_EQ(OH_NNRt_DescribeOfflineModel(path.c_str(), text.data(), text.size() - 1, &length),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_DescribeOfflineModel(path.c_str(), text.data(), text.size(), &length), OH_NN_SUCCESS);
  return nlohmann::json::parse(text.c_str());
}

}  // namespace

TEST(OfflineModelDescription, NamesTargetDevice) {
  const nlohmann::json description = description_of(exported(3));
  EXPECT_EQ(description["device_id"], std::to_string(device_ids().at(0)));
  EXPECT_EQ(description["device"], device_name(0));
  EXPECT_EQ(description["float16"], false);
}

TEST(OfflineModelDescription, DistinguishesForeignFromDamagedFiles) {
  EXPECT_EQ(description_of("a format of a plugin's own"), nlohmann::json::object());
  EXPECT_EQ(description_of(""), nlohmann::json::object());
  const std::string bytes = exported(3);
  EXPECT_EQ(description_of(bytes.substr(0, bytes.size() - 1)), OH_NN_INVALID_FILE);
}

TEST(OfflineModelDescription, RefusesNullAndAMissingFile) {
  size_t length = 0;
  EXPECT_EQ(OH_NNRt_DescribeOfflineModel(nullptr, nullptr, 0, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_DescribeOfflineModel("/nowhere", nullptr, 0, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_DescribeOfflineModel("/nowhere", nullptr, 1, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_DescribeOfflineModel("/nowhere", nullptr, 0, &length), OH_NN_INVALID_FILE);
}

namespace {

std::string exported_with_note(const std::string& note) {
  const Compilation compilation = compilation_of(summand_model(3));
  EXPECT_EQ(OH_NNRt_SetModelNote(compilation.get(), note.data(), note.size()), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
  return exported(compilation);
}

// The note in a file of these bytes, or the code.
std::variant<std::string, OH_NN_ReturnCode> note_in(const std::string& bytes) {
  const nnrt::test::TemporaryFolder folder;
  const std::string path = folder.file("model.nnrt");
  std::ofstream(path, std::ios::binary) << bytes;
  size_t size = 0;
  const OH_NN_ReturnCode code = OH_NNRt_GetModelNote(path.c_str(), nullptr, 0, &size);
  if (code != OH_NN_SUCCESS) return code;
  std::string note(size, '?');
  if (size > 1) {
    EXPECT_EQ(OH_NNRt_GetModelNote(path.c_str(), note.data(), size - 1, &size), OH_NN_INVALID_PARAMETER);
  }
  EXPECT_EQ(OH_NNRt_GetModelNote(path.c_str(), note.data(), note.size(), &size), OH_NN_SUCCESS);
  return note;
}

}  // namespace

TEST(ModelNote, StaysWithAnOfflineModel) {
  const std::string note("one\0two", 7), bytes = exported_with_note(note);
  EXPECT_EQ(std::get<std::string>(note_in(bytes)), note);
  EXPECT_EQ(std::get<std::string>(note_in(exported(3))), "");
  EXPECT_EQ(exported_with_note(""), exported(3));
  EXPECT_EQ(std::get<std::string>(note_in("a format of a plugin's own")), "");
  EXPECT_EQ(build_offline(bytes), OH_NN_SUCCESS);
  const Compilation compilation = importing(bytes);
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  EXPECT_EQ(summand_of(compilation), 3);
  EXPECT_EQ(description_of(bytes)["float16"], false);
}

TEST(ModelNote, RefusesDamage) {
  const std::string plain = exported(3), bytes = exported_with_note("a note");
  for (size_t bit = 8 * plain.size(); bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    ASSERT_EQ(build_offline(damaged), OH_NN_FAILED) << "bit " << bit;
    ASSERT_EQ(std::get<OH_NN_ReturnCode>(note_in(damaged)), OH_NN_INVALID_FILE) << "bit " << bit;
  }
  for (size_t length = plain.size() + 1; length < bytes.size(); ++length)
    ASSERT_EQ(build_offline(bytes.substr(0, length)), OH_NN_FAILED) << length << " bytes";
  EXPECT_EQ(build_offline(bytes + " "), OH_NN_FAILED);
}

TEST(ModelNote, RefusesNull) {
  size_t size = 0;
  char note = 0;
  EXPECT_EQ(OH_NNRt_SetModelNote(nullptr, &note, 1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_SetModelNote(for_cache().get(), nullptr, 1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_SetModelNote(for_cache().get(), nullptr, 0), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNRt_GetModelNote(nullptr, nullptr, 0, &size), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_GetModelNote("/nowhere", nullptr, 0, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_GetModelNote("/nowhere", nullptr, 1, &size), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_GetModelNote("/nowhere", nullptr, 0, &size), OH_NN_INVALID_FILE);
}
