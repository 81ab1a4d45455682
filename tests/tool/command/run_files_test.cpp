// Files of `nnrt run`: input arrays, external model data, outputs.
#include "tests/tool/run_tool.h"
#include "tools/nnrt/data/npy.h"
#include "tools/nnrt/data/npz.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace tool_tests;
using nnrt::tool::make_array;

namespace {

const std::string kModels = NNRT_TEST_DATA "/models/";

void write_zeros(const std::string& path, nnrt::tool::Shape shape) {
  ASSERT_TRUE(nnrt::tool::write_npy(path, make_array(OH_NN_FLOAT32, std::move(shape)).value()).ok());
}

}  // namespace

// The model returns the row count of its only input, named "x=1".
TEST(ToolRunFiles, OpenDimensionsAreThoseOfTheArray) {
  const Folder folder;
  write_zeros(folder.file("in.npy"), {5, 3});
  EXPECT_TRUE(prints(run_nnrt("run " + kModels + "open_shape.onnx --input " + folder.file("in.npy")),
                     "r: INT64 [5]\n"));
}

TEST(ToolRunFiles, NamesAndPathsMayContainEqualsSigns) {
  const Folder folder;
  write_zeros(folder.file("a=b.npy"), {4, 3});
  const std::string run = "run " + kModels + "open_shape.onnx ";
  const Outcome array = run_nnrt(run + "--input x=1=" + folder.file("a=b.npy"));
  EXPECT_TRUE(has(array.out, "r: INT64 [4]\n")) << array.out << array.err;
  const Outcome shape = run_nnrt(run + "--shape x=1=6,3");
  EXPECT_TRUE(has(shape.out, "r: INT64 [6]\n")) << shape.out << shape.err;
  const Outcome unknown = run_nnrt(run + "--input x=ones");
  EXPECT_TRUE(has(unknown.err, "Input (x) is not an input of the model: x=1."));
}

// Only dynamic dimensions follow the array.
TEST(ToolRunFiles, RefusesMismatchedShapes) {
  const Folder folder;
  write_zeros(folder.file("in.npy"), {5, 4});
  EXPECT_TRUE(fails(run_nnrt("run " + kModels + "open_shape.onnx --input " + folder.file("in.npy")), 2,
                    "in.npy is FLOAT32 [5, 4], but input x=1 is FLOAT32 [5, 3]."));
}

TEST(ToolRunFiles, ShortensLongOutputNames) {
  const Folder folder;
  const std::string run = "run " + kModels + "long_output_name.onnx --input ones --output ";
  const Outcome files = run_nnrt(run + folder.file("out"));
  EXPECT_EQ(files.code, 0) << files.err;
  const std::filesystem::directory_iterator written(folder.file("out"));
  ASSERT_NE(written, std::filesystem::directory_iterator());
  EXPECT_TRUE(nnrt::tool::read_npy(written->path()).ok());
  const Outcome archive = run_nnrt(run + folder.file("out.npz"));
  EXPECT_EQ(archive.code, 0) << archive.err;
  EXPECT_GT(nnrt::tool::NpzFiles().names(folder.file("out.npz")).value().at(0).size(), 255u);
}

namespace {

// The layout of download caches: content-addressed "blobs" and links to them.
class ExternalDataInACache : public testing::Test {
 protected:
  void SetUp() override {
    namespace fs = std::filesystem;
    for (const char* name : {"blobs", "snapshot", "elsewhere"}) fs::create_directories(folder_.file(name));
    fs::copy_file(kModels + "external_data.onnx", folder_.file("blobs/1a2b"));
    write(folder_.file("blobs/3c4d"), std::string(8, '\0'));
    write(folder_.file("elsewhere/data"), std::string(8, '\0'));
    fs::create_symlink("../blobs/1a2b", folder_.file("snapshot/model.onnx"));
  }

  Outcome run(const std::string& target, const std::string& options = "") {
    const std::string link = folder_.file("snapshot/weights.bin");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    return run_nnrt("run " + folder_.file("snapshot/model.onnx") + " --input ones" + options);
  }

  const Folder folder_;
};

}  // namespace

TEST_F(ExternalDataInACache, ResolvesLinkToTheModel) {
  const Outcome outcome = run("../blobs/3c4d");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ExternalDataInACache, NeedsOptionForOtherFolders) {
  EXPECT_TRUE(fails(run("../elsewhere/data"), 1, "weights.bin) is not inside the model's folder."));
  EXPECT_EQ(run("../elsewhere/data", " --allow-external " + folder_.file("elsewhere")).code, 0);
  EXPECT_EQ(run("../elsewhere/data", " --allow-external " + folder_.file("blobs")).code, 1);
}
