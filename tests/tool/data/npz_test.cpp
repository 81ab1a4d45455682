#include "tools/nnrt/data/npz.h"

#include "tests/tool/run_tool.h"
#include "tools/nnrt/base/zip_writer.h"
#include "tools/nnrt/data/npy.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace tool_tests;
using namespace nnrt::tool;

namespace {

// Written by NumPy (savez, savez_compressed): a [2, 3, 4] and b [4, 6], small integers as FLOAT32.
const std::string kArrays = NNRT_TEST_DATA "/arrays/";
const std::string kModel = "run " + golden("net_identity.jsonl");

std::vector<std::string> names_in(const std::string& path) { return NpzFiles().names(path).value(); }

Array array_in(const std::string& path, const std::string& name) {
  NpzFiles files;
  return *files.array(path, name).value();
}

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

// The error of a failed read.
std::string refusal(const std::string& file, const std::string& name = "a") {
  const auto array = parse_npz(view(file), name);
  return array.ok() ? "" : array.error().message;
}

// The file with the bytes at `at` replaced.
std::string patched(std::string file, size_t at, const std::string& bytes) {
  return file.replace(at, bytes.size(), bytes);
}

}  // namespace

TEST(Npz, ReadsNumPyFiles) {
  for (const char* file : {"two.npz", "stored.npz"}) {
    EXPECT_EQ(names_in(kArrays + file), (std::vector<std::string>{"a", "b"}));
    const Array a = array_in(kArrays + file, "a");
    EXPECT_EQ(a.shape, (Shape{2, 3, 4}));
    for (size_t i = 0; i < a.count(); ++i) EXPECT_EQ(a[i], double(i % 5) - 2) << file << i;
    EXPECT_EQ(array_in(kArrays + file, "b").shape, (Shape{4, 6}));
  }
}

TEST(Npz, RoundTrips) {
  const Folder folder;
  const Array one = array_in(kArrays + "one.npz", "");
  const Array a = array_in(kArrays + "two.npz", "a");
  const std::vector<NamedArray> arrays{{"x/y", &one}, {"", &a}, {"x/y", &a}, {"../x", &a}};
  ASSERT_TRUE(write_npz(folder.file("x.npz"), arrays).ok());
  EXPECT_EQ(names_in(folder.file("x.npz")),
            (std::vector<std::string>{"x/y", "output_1", "output_2", "output_3"}));
  EXPECT_EQ(array_in(folder.file("x.npz"), "x/y").bytes, one.bytes);
  EXPECT_EQ(array_in(folder.file("x.npz"), "output_2").bytes, a.bytes);
}

TEST(Npz, NamesAreUnique) {
  const Folder folder;
  const Array one = array_in(kArrays + "one.npz", "");
  const std::vector<NamedArray> arrays{{"output_1", &one}, {"", &one}};
  ASSERT_TRUE(write_npz(folder.file("x.npz"), arrays).ok());
  EXPECT_EQ(names_in(folder.file("x.npz")), (std::vector<std::string>{"output_1", "output_1_"}));
}

TEST(Npz, ArchivesAreReadOnce) {
  const Folder folder;
  std::filesystem::copy(kArrays + "two.npz", folder.file("two.npz"));
  std::filesystem::copy(kArrays + "one.npz", folder.file("one.npz"));
  NpzFiles files;
  const Array* const a = files.array(folder.file("two.npz"), "a").value();
  const Array* const one = files.array(folder.file("one.npz"), "x").value();
  std::filesystem::remove(folder.file("two.npz"));
  std::filesystem::remove(folder.file("one.npz"));
  EXPECT_EQ(files.array(folder.file("two.npz"), "a").value(), a);
  EXPECT_EQ(files.array(folder.file("one.npz"), "y").value(), one);
  EXPECT_EQ(files.array(folder.file("two.npz"), "b").value()->shape, (Shape{4, 6}));
  EXPECT_EQ(files.names(folder.file("two.npz")).value().size(), 2u);
}

TEST(Npz, AnArchiveWithoutArraysIsNoInput) {
  const Folder folder;
  ASSERT_TRUE(write_npz(folder.file("x.npz"), {}).ok());
  EXPECT_TRUE(fails(run_nnrt(kModel + " --input " + folder.file("x.npz")), 1, "x.npz) has no array (.npy)."));
}

TEST(Npz, DamagedArchivesAreRefusedInASentence) {
  const std::string good = read(kArrays + "two.npz"), stored = read(kArrays + "stored.npz");
  EXPECT_EQ(refusal(good), "");
  EXPECT_TRUE(has(refusal(""), "is not a zip archive or is truncated"));
  for (size_t size = 0; size < good.size(); ++size) EXPECT_NE(refusal(good.substr(0, size)), "") << size;
  const size_t data = stored.find("NUMPY") + 200;  // inside the first array's data
  EXPECT_EQ(refusal(patched(stored, data, "?")), "Entry a.npy is damaged.");
  EXPECT_EQ(refusal(patched(good, 60, "????")), "Entry a.npy is damaged.");
  const size_t entry = good.find("PK\x01\x02");
  EXPECT_EQ(refusal(patched(good, entry + 8, "\x01")), "Entry a.npy is encrypted.");
  EXPECT_EQ(refusal(patched(good, entry + 10, "\x0c")),
            "Entry a.npy is compressed with method 12, which is not deflate.");
  EXPECT_EQ(refusal(patched(good, entry + 24, "\xff\xff\xff\xf0")),
            "Entry a.npy has 4043309055 bytes, more than 1073807360.");
  EXPECT_EQ(refusal(patched(good, entry + 42, "\xff\xff\xff\xf0")),
            "Entry a.npy is not at the offset given in the archive's directory.");
}

TEST(Npz, ArchivesWithoutTheArrayAreRefused) {
  EXPECT_EQ(refusal(read(kArrays + "two.npz"), "c"), "The archive has no array named c; it has: a, b.");
  ZipWriter writer;
  writer.add("readme.txt", "no array");
  EXPECT_EQ(refusal(writer.finish().value()), "The archive has no array (.npy).");
}

TEST(ToolNpz, ArraysGoToTheInputsOfTheirNames) {
  const Outcome outcome = run_nnrt(kModel + " --input " + kArrays + "two.npz");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "input a: FLOAT32 [2, 3, 4], " + kArrays + "two.npz\n"));
  EXPECT_TRUE(has(outcome.out, "input b: FLOAT32 [4, 6], " + kArrays + "two.npz\n"));
  const Outcome one = run_nnrt(kModel + " --input b=" + kArrays + "two.npz");
  EXPECT_TRUE(has(one.out, "input a: FLOAT32 [2, 3, 4], random"));
  EXPECT_TRUE(has(one.out, "input b: FLOAT32 [4, 6], " + kArrays));
}

TEST(ToolNpz, RejectsUnmatchedArrays) {
  EXPECT_TRUE(
      fails(run_nnrt(kModel + " --input " + kArrays + "other_name.npz"), 2,
            "Array q of archive " + kArrays + "other_name.npz is not an input of the model: a, b.\n"));
  EXPECT_TRUE(fails(run_nnrt(kModel + " --input a=" + kArrays + "one.npz"), 2,
                    "is INT32 [3], but input a is FLOAT32 [2, 3, 4]."));
}

TEST(ToolNpz, OutputsInAnArchiveAreInputsAgain) {
  const Folder folder;
  const std::string archive = folder.file("out.npz");
  EXPECT_TRUE(prints(run_nnrt(kModel + " --output " + archive), "wrote " + archive + "\n"));
  const auto names = names_in(archive);
  ASSERT_EQ(names.size(), 3u);
  const Folder single;
  ASSERT_EQ(run_nnrt(kModel + " --output " + single.file("out")).code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(single.file("out"))) {
    const std::string file = entry.path().filename().string();
    const size_t index = size_t(file[0] - '0');
    EXPECT_EQ(array_in(archive, names[index]).bytes, read_npy(entry.path()).value().bytes);
  }
}
