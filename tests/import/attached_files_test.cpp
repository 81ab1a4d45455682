#include "tools/import/attached_files.h"

#include "tests/import/stored_zip.h"
#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace nnrt::test {
namespace {

Bytes model_with(const std::string& archive) {
  Bytes file = one_operator(BuiltinOperator::ABS, {}, {floats({2}, {})}, {floats({2}, {})});
  const auto bytes = std::as_bytes(std::span(archive));
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

std::string text(const import::AttachedFile& file) {
  return {reinterpret_cast<const char*>(file.data.data()), file.data.size()};
}

}  // namespace

TEST(AttachedFiles, AreThoseOfTheArchiveBehindTheModel) {
  for (const char* comment : {"", "made by hand"}) {
    const auto files = import::attached_files(
        model_with(zip({{"labels.txt", "cat\ndog\n"}, {"empty", ""}, {"more", "1"}}, comment)));
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].name, "labels.txt");
    EXPECT_EQ(text(files[0]), "cat\ndog\n");
    EXPECT_EQ(files[1].name, "empty");
    EXPECT_EQ(text(files[1]), "");
    EXPECT_EQ(text(files[2]), "1");
  }
}

TEST(AttachedFiles, MayBeCompressed) {
  const auto files = import::attached_files(model_with(zip({{"labels.txt", "cat\ndog\n", 8}, {"b", "1"}})));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(text(files[0]), "cat\ndog\n");
  EXPECT_EQ(text(files[1]), "1");
}

// NumPy archives contain compressed and stored arrays, as written by Python's zipfile.
TEST(AttachedFiles, AreTheSameCompressedAndStored) {
  std::vector<std::vector<import::AttachedFile>> read;
  for (const char* name : {"/arrays/two.npz", "/arrays/stored.npz"}) {
    std::ifstream stream(NNRT_TEST_DATA + std::string(name), std::ios::binary);
    read.push_back(import::attached_files(
        model_with({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()})));
    ASSERT_EQ(read.back().size(), 2u) << name;
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[0][i].name, read[1][i].name);
    EXPECT_EQ(read[0][i].data, read[1][i].data);
    EXPECT_GT(read[0][i].data.size(), 100u);
  }
}

TEST(AttachedFiles, SkipDamagedAndUnsupportedEntries) {
  std::string archive = zip({{"a", "xyz", 12}, {"b", "damage"}, {"c", "1"}});
  archive[archive.find("damage")] = 'D';
  const auto files = import::attached_files(model_with(archive));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "c");
}

// A megabyte of zeros in a few bytes, many times over.
TEST(AttachedFiles, AreBoundedInTotal) {
  constexpr size_t kMegabyte = size_t{1} << 20;
  const std::vector<ZipEntry> many(66, {"zeros", std::string(kMegabyte, '\0')});
  const Bytes model = model_with(zip(many));
  EXPECT_EQ(import::attached_files(model).size(), 64u);
  std::string lie = zip({{"a", "xyz", 8}, {"b", "1"}});
  lie.replace(lie.find("PK\x01\x02") + 24, 4, "\xff\xff\xff\x7f");  // claims to inflate to 2 GiB
  ASSERT_EQ(import::attached_files(model_with(lie)).size(), 1u);
}

TEST(AttachedFiles, AreNoneWithoutAnArchiveOrAModel) {
  EXPECT_TRUE(import::attached_files(model_with("")).empty());
  const std::string archive = zip({{"a", "1"}});
  EXPECT_TRUE(import::attached_files(std::as_bytes(std::span(archive))).empty());
  EXPECT_TRUE(import::attached_files(std::span<const std::byte>()).empty());
}

// Under sanitizers, detects any read beyond the file.
TEST(AttachedFiles, AreReadFromDamagedArchives) {
  const Bytes good = model_with(zip({{"labels.txt", "cat\ndog\n"}, {"b", "1234"}}, "comment"));
  const size_t model = model_with("").size();
  for (size_t size = model; size < good.size(); ++size)
    EXPECT_LE(import::attached_files(Bytes(good.begin(), good.begin() + static_cast<ptrdiff_t>(size))).size(),
              2u);
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Bytes bad = good;
    for (int flips = 0; flips < 3; ++flips)
      bad[model + random() % (bad.size() - model)] = static_cast<std::byte>(random());
    size_t total = 0;
    for (const import::AttachedFile& file : import::attached_files(bad)) total += file.data.size();
    EXPECT_LE(total, bad.size());
  }
}

}  // namespace nnrt::test
