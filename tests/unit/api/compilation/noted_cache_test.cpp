// The note in a cache directory (OH_NNRt_SetModelNote).
#include "tests/unit/api/compilation/cache_fixture.h"

#include <neural_network_runtime/nnrt_extensions.h>

using namespace api_tests;

namespace {

constexpr uint32_t kVersion = 1;

void set_note(const Compilation& compilation, const std::string& note) {
  ASSERT_EQ(OH_NNRt_SetModelNote(compilation.get(), note.data(), note.size()), OH_NN_SUCCESS);
}

std::string note_of(const std::string& container) {
  size_t size = 0;
  EXPECT_EQ(OH_NNRt_GetModelNote(container.c_str(), nullptr, 0, &size), OH_NN_SUCCESS);
  std::string note(size, '\0');
  if (note.empty()) return note;
  EXPECT_EQ(OH_NNRt_GetModelNote(container.c_str(), note.data(), note.size(), &size), OH_NN_SUCCESS);
  return note;
}

void build_noted(const std::string& directory, float summand, const std::string& note) {
  const Compilation compilation = compilation_of(summand_model(summand));
  set_note(compilation, note);
  EXPECT_EQ(build_with_cache(compilation, directory, kVersion), OH_NN_SUCCESS);
}

OH_NN_ReturnCode restore_noted(const std::string& directory, const std::string& note) {
  const Compilation compilation(OH_NNCompilation_ConstructForCache());
  set_note(compilation, note);
  return build_with_cache(compilation, directory, kVersion);
}

}  // namespace

TEST(NotedCache, IsRestoredWithItsNoteOrWithNone) {
  const TemporaryDirectory directory;
  build_noted(directory.path(), 7, "first");
  EXPECT_EQ(note_of(directory.container()), "first");
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_SUCCESS);
  EXPECT_EQ(restore_noted(directory.path(), ""), OH_NN_SUCCESS);
  EXPECT_EQ(restore_noted(directory.path(), "second"), OH_NN_INVALID_FILE);
  EXPECT_EQ(restore_noted(directory.path(), "firs"), OH_NN_INVALID_FILE);
}

TEST(NotedCache, OfTheSameModelGetsTheNewNote) {
  const TemporaryDirectory directory;
  build_noted(directory.path(), 7, "");
  EXPECT_EQ(note_of(directory.container()), "");
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_INVALID_FILE);
  build_noted(directory.path(), 7, "first");
  EXPECT_EQ(note_of(directory.container()), "first");
  const ino_t saved = number_of(directory.container());
  build_noted(directory.path(), 7, "first");
  build_noted(directory.path(), 7, "");  // keeps the note
  EXPECT_EQ(number_of(directory.container()), saved);
  EXPECT_EQ(note_of(directory.container()), "first");
}

TEST(NotedCache, WithDamagedConstantsIsSavedAgain) {
  const TemporaryDirectory directory;
  build_noted(directory.path(), 7, "first");
  std::string bytes = contents(directory.container());
  const float summand = 7;
  const size_t found = bytes.rfind(std::string(reinterpret_cast<const char*>(&summand), sizeof summand));
  ASSERT_NE(found, std::string::npos);
  bytes[found] = static_cast<char>(bytes[found] ^ 1);
  write_file(directory.container(), bytes);
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_INVALID_FILE);
  build_noted(directory.path(), 7, "first");
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_SUCCESS);
}

TEST(NotedCache, OfAnotherModelLosesIt) {
  const TemporaryDirectory directory;
  build_noted(directory.path(), 7, "first");
  build_noted(directory.path(), 8, "");
  EXPECT_EQ(note_of(directory.container()), "");
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_INVALID_FILE);
}

TEST(NotedCache, WithADamagedNoteIsRebuilt) {
  const TemporaryDirectory directory;
  build_noted(directory.path(), 7, "first");
  std::string bytes = contents(directory.container());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(directory.container(), bytes);
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_INVALID_FILE);
  build_noted(directory.path(), 7, "first");
  EXPECT_EQ(restore_noted(directory.path(), "first"), OH_NN_SUCCESS);
}
