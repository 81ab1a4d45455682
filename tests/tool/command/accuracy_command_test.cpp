#include "tests/tool/digits_samples.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

const std::string kFloat = NNRT_TEST_MODELS "/onnx/digits.onnx",
                  kInt8 = NNRT_TEST_MODELS "/onnx/digits_int8.onnx";

}  // namespace

TEST(ToolAccuracy, ComparesModelsSideBySide) {
  const Folder samples;
  write_digits(samples, 360);
  const auto results = json_of(
      run_nnrt("accuracy " + kFloat + " " + kInt8 + " " + samples.path() + " --mean 0 --json"))["results"];
  ASSERT_EQ(results.size(), 2u);
  for (const auto& result : results) {
    EXPECT_EQ(result["images"], 360);
    EXPECT_DOUBLE_EQ(result["top1"].get<double>(), 359.0 / 360);
    EXPECT_DOUBLE_EQ(result["top5"].get<double>(), 1);
    EXPECT_GT(result["image_ms"].get<double>(), 0);
  }
  EXPECT_EQ(results[1]["model"], kInt8);
  EXPECT_EQ(results[0]["device"], "CPU_NNRt");
}

TEST(ToolAccuracy, CountsExternalData) {
  const Folder samples, models;
  const std::string model = models.file("model.onnx"), weights = models.file("weights.bin");
  write(model, read(NNRT_TEST_DATA "/models/external_product.onnx"));
  write(weights, std::string(48, '\x3f'));
  std::filesystem::create_directory(samples.file("0"));
  write(samples.file("0/x.bin"), std::string(16, '\x3f'));
  const std::string command = "accuracy " + model + " " + samples.path() + " --json";
  for (const std::string& cache : {"", " --cache ", " --cache "}) {
    const std::string folder = cache.empty() ? "" : cache + models.file("cache");
    EXPECT_EQ(json_of(run_nnrt(command + folder))["results"][0]["file_bytes"],
              read(model).size() + read(weights).size());
  }
}

TEST(ToolAccuracy, PrintsATable) {
  const Folder samples;
  write_digits(samples, 20);
  const Outcome outcome = run_nnrt("accuracy " + kFloat + " " + samples.path() + " --mean 0 -d cpu");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "top-1"));
  EXPECT_TRUE(has(outcome.out, "  20  100.00 %  100.00 %"));
}

TEST(ToolAccuracy, WarnsOfLabelsOfOtherClasses) {
  const Folder samples, names;
  write_digits(samples, 4);
  write(names.file("labels.txt"), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n\n");
  const Outcome outcome = run_nnrt("accuracy " + kFloat + " " + kFloat + " " + samples.path() +
                                   " --mean 0 --labels " + names.file("labels.txt"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string warning = " has 11 labels, but output ";
  const size_t first = outcome.err.find(warning);
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_TRUE(has(outcome.err.substr(first), " has 10 classes.\n")) << outcome.err;
}

TEST(ToolAccuracy, KnowsClassesByNamesAndByAList) {
  const Folder samples, names;
  const std::string folder = samples.path();
  write_digits(samples, 40);
  std::filesystem::rename(samples.file("3"), samples.file("three"));
  write(names.file("labels.txt"), "0\n1\n2\nthree\n4\n5\n6\n7\n8\n9\n");
  const Outcome named =
      run_nnrt("accuracy " + kFloat + " " + folder + " --mean 0 --labels " + names.file("labels.txt"));
  EXPECT_TRUE(has(named.out, "  40  100.00 %")) << named.out << named.err;

  // Every sample is labelled 7.
  std::string list;
  size_t sevens = 0, count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    const std::string name = std::filesystem::relative(entry.path(), folder).generic_string();
    list += name + " 7\n";
    sevens += name.starts_with("7/");
    ++count;
  }
  write(names.file("truth.txt"), list);
  const Outcome listed =
      run_nnrt("accuracy " + kFloat + " " + folder + " --mean 0 --json --truth " + names.file("truth.txt"));
  ASSERT_EQ(listed.code, 0) << listed.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(listed.out)["results"][0]["top1"].get<double>(),
                   static_cast<double>(sevens) / static_cast<double>(count));
}

TEST(ToolAccuracy, KnowsSubsetsOfTheClasses) {
  const Folder samples, names;
  write_digits(samples, 40);
  for (int digit = 0; digit < 10; ++digit) {
    if (digit != 3 && digit != 8) std::filesystem::remove_all(samples.file(std::to_string(digit)));
  }
  const std::string command = "accuracy " + kFloat + " " + samples.path() + " --mean 0";
  EXPECT_TRUE(has(run_nnrt(command).out, "  100.00 %")) << run_nnrt(command).err;
  // Names alone don't tell which classes are missing.
  std::filesystem::rename(samples.file("3"), samples.file("three"));
  const Outcome refused = run_nnrt(command);
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(has(refused.err, "has samples in 2 subfolders, but"));
  EXPECT_TRUE(has(refused.err, " has 10 classes."));
  write(names.file("labels.txt"), "0\n1\n2\nthree\n4\n5\n6\n7\n8\n9\n");
  const Outcome named = run_nnrt(command + " --labels " + names.file("labels.txt"));
  EXPECT_TRUE(has(named.out, "  100.00 %")) << named.err;
}

TEST(ToolAccuracy, RejectsInvalidSamples) {
  const Folder samples;
  write_digits(samples, 4);
  const std::string folder = samples.path();
  const auto refusal = [](const std::string& arguments) {
    const Outcome outcome = run_nnrt("accuracy " + arguments);
    EXPECT_NE(outcome.code, 0);
    return outcome.err;
  };
  EXPECT_TRUE(has(refusal(kFloat), "FOLDER is missing after the models."));
  EXPECT_TRUE(has(refusal(kFloat + " " + folder + "/nowhere"), "/nowhere) does not exist."));
  write(samples.file("stray.bmp"), bitmap(8, 8, 0));
  EXPECT_TRUE(has(refusal(kFloat + " " + folder), "Sample (stray.bmp) is not in a class folder"));
  std::filesystem::remove(samples.file("stray.bmp"));
  std::filesystem::create_directory(samples.file("12"));
  write(samples.file("12/x.bmp"), bitmap(8, 8, 0));
  EXPECT_TRUE(has(refusal(kFloat + " " + folder), "Class 12 of a sample is outside [0, 10), "));
  EXPECT_TRUE(has(refusal(golden("net_unet.jsonl") + " " + folder), ".")) << "no classifier";
}
