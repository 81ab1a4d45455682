#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

const std::string kNamed = NNRT_TEST_DATA "/models/named.onnx";
const std::string kPlugins = "NNRT_PLUGINS=" NNRT_ONES_PLUGIN;

// The table line that begins with `begin`.
std::string line_of(const std::string& table, const std::string& begin) {
  const size_t at = table.find("\n" + begin) + 1;
  return at == 0 ? "" : table.substr(at, table.find('\n', at) - at);
}

}  // namespace

TEST(ToolCompare, ExitsZeroOnAgreement) {
  const Outcome outcome = run_nnrt("compare " + kNamed + " --devices cpu,cpu --layers --tolerance 0");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "CPU_NNRt compared with CPU_NNRt:\noutput  largest"));
  EXPECT_TRUE(has(outcome.out, "\nConv /features/0/conv + Relu "));
  EXPECT_TRUE(has(outcome.out, "\nAdd /features/1/add "));
  EXPECT_FALSE(has(outcome.out, "differs"));
}

// The plugin computes only SOFTMAX wrongly.
TEST(ToolCompare, NamesFirstDifferingLayer) {
  const Outcome outcome = run_nnrt("compare " + kNamed + " --devices Softmax,cpu --layers", kPlugins);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "The first layer that differs is 'Softmax /head/softmax', number 6 of 7."));
  EXPECT_FALSE(has(line_of(outcome.out, "MatMul /head/fc"), "differs")) << outcome.out;
  EXPECT_TRUE(line_of(outcome.out, "Softmax /head/softmax").ends_with("  differs first")) << outcome.out;
  EXPECT_TRUE(line_of(outcome.out, "Mul /head/gain").ends_with("  differs")) << outcome.out;
}

// The plugin is right for a stand-alone SOFTMAX: outputs are not fused.
TEST(ToolCompare, FindsDifferencesOfFusedLayers) {
  const Outcome outcome = run_nnrt("compare " + kNamed + " --devices Inner,cpu --layers", kPlugins);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "No layer differs when computed separately;"));
  EXPECT_TRUE(
      has(outcome.err,
          "When computed together with all preceding layers, 'Mul /head/gain' is the first layer that "
          "differs."));
  const size_t cuts = outcome.out.find("the model up to a layer");
  ASSERT_NE(cuts, std::string::npos) << outcome.out;
  const std::string table = outcome.out.substr(cuts);
  EXPECT_TRUE(line_of(table, "Mul /head/gain").ends_with("  differs first")) << table;
  EXPECT_FALSE(has(line_of(table, "Softmax /head/softmax"), "differs")) << table;
}

TEST(ToolCompare, JsonIsOneDocument) {
  const Outcome outcome = run_nnrt("compare --json " + kNamed + " --devices Inner,cpu --layers", kPlugins);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "No layer differs when computed separately;"));
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["model"], kNamed);
  EXPECT_EQ(json["other"], "CPU_NNRt");
  EXPECT_EQ(json["differs"], true);
  EXPECT_EQ(json["outputs"][0]["name"], "y");
  EXPECT_EQ(json["outputs"][0]["differs"], true);
  EXPECT_EQ(json["layers"].size(), 7u);
  for (const auto& layer : json["layers"]) EXPECT_EQ(layer["differs"], false) << layer;
  const auto first =
      std::ranges::find_if(json["cuts"], [](const auto& cut) { return cut["differs"] == true; });
  ASSERT_NE(first, json["cuts"].end());
  EXPECT_EQ((*first)["name"], "Mul /head/gain");
}

TEST(ToolCompare, JsonOfAgreement) {
  const auto json = json_of(run_nnrt("compare --json " + kNamed + " --devices cpu,cpu"));
  EXPECT_EQ(json["differs"], false);
  EXPECT_FALSE(json.contains("layers"));
}

TEST(ToolCompare, CutsTheModelNowhereIfItsOutputsAgree) {
  const Outcome outcome = run_nnrt("compare " + kNamed + " --devices cpu,cpu --layers");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(has(outcome.out, "up to a layer"));
}

TEST(ToolCompare, WithoutLayersComparesTheOutputsAlone) {
  const Outcome outcome = run_nnrt("compare " + kNamed + " --devices Softmax,cpu", kPlugins);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "The results differ in 1 of 1 output, most in 'y'"));
  EXPECT_FALSE(has(outcome.out, "layer"));
  EXPECT_EQ(run_nnrt("compare " + kNamed + " --devices Softmax,cpu --tolerance 100", kPlugins).code, 0);
}

TEST(ToolCompare, FailedRunsPointToIt) {
  const Outcome outcome = run_nnrt("run " + kNamed + " --device Softmax --compare cpu", kPlugins);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "`nnrt compare --layers` finds the first layer that differs.\n"));
}

TEST(ToolCompare, QuantizedLayersAreComparedToo) {
  EXPECT_TRUE(prints(run_nnrt("compare " + std::string(NNRT_TEST_MODELS) +
                              "/onnx/digits_int8.onnx --devices cpu,cpu --layers"),
                     "Conv "));
}

TEST(ToolCompare, DynamicInputsTakeTheShapeGiven) {
  for (const std::string& model :
       {kNamed + " --shape x=3,3,4,4", golden("net_dynamic_cnn.jsonl") + " --shape image=2,13,11,3"}) {
    EXPECT_TRUE(prints(run_nnrt("compare " + model + " --devices cpu,cpu --layers"),
                       "layers, each computed separately:\n"));
  }
}

TEST(ToolCompare, LayersWithoutNamesAreTheOperations) {
  const Outcome outcome = run_nnrt("compare " + golden("net_lenet.jsonl") + " --devices cpu,cpu --layers");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // The middle of a long name gives way to the width of the table.
  EXPECT_TRUE(has(outcome.out, "\nOH_NN_OPS_CONV") && has(outcome.out, "(operator 0) ")) << outcome.out;
}

TEST(ToolCompare, OfflineModelsAreRefused) {
  const Folder folder;
  ASSERT_EQ(run_nnrt("compile " + golden("net_lenet.jsonl") + " -d cpu -o " + folder.file("x.nnrt")).code, 0);
  EXPECT_TRUE(fails(run_nnrt("compare " + folder.file("x.nnrt") + " --devices cpu,cpu"), 1,
                    "compare the original model instead."));
}

TEST(ToolCompare, TakesTwoDevices) {
  EXPECT_TRUE(
      fails(run_nnrt("compare " + kNamed + " --devices cpu"), 2,
            "Option --devices takes two devices, as in gpu,cpu, or one and a reference, as in gpu,y.npz."));
}

// References are also compared by `nnrt run`.
TEST(ToolCompare, TakesExpectedOutputsInFiles) {
  const Folder folder;
  const std::string archive = folder.file("y.npz"), array = folder.file("0_y.npy");
  ASSERT_EQ(run_nnrt("run " + kNamed + " -d cpu -i random:3 -o " + archive).code, 0);
  ASSERT_EQ(run_nnrt("run " + kNamed + " -d cpu -i random:3 -o " + folder.path()).code, 0);
  for (const std::string& reference : {archive, folder.path(), "y=" + array, array}) {
    for (const std::string& command : {"compare " + kNamed + " --devices cpu," + reference,
                                       "run " + kNamed + " -d cpu --compare " + reference}) {
      const Outcome agree = run_nnrt(command + " -i random:3");
      EXPECT_EQ(agree.code, 0) << command << agree.err;
      EXPECT_TRUE(has(agree.out, "compared with " + reference + ":\n"));
      EXPECT_TRUE(has(line_of(agree.out, "y "), " 1.000000 ")) << agree.out;
      EXPECT_TRUE(fails(run_nnrt(command + " -i random:4"), 1, " in the reference at ["));
    }
  }
  const auto document =
      json_of(run_nnrt("compare " + kNamed + " --json --devices " + archive + " -i random:3"));
  EXPECT_EQ(document["other"], archive);
  EXPECT_FALSE(document.contains("other_id"));
  EXPECT_DOUBLE_EQ(document["outputs"][0]["cosine"].get<double>(), 1);
}

TEST(ToolCompare, RefusesReferencesWhereDevicesAreNeeded) {
  const Folder folder;
  ASSERT_EQ(run_nnrt("run " + kNamed + " -d cpu -o " + folder.file("y.npz")).code, 0);
  const Outcome layers = run_nnrt("compare " + kNamed + " --layers --devices cpu," + folder.file("y.npz"));
  EXPECT_TRUE(has(layers.err, "Option --layers compares two devices, not a reference."));
  const Outcome both = run_nnrt("run " + kNamed + " --compare cpu --compare " + folder.file("y.npz"));
  EXPECT_TRUE(has(both.err, "Option --compare takes one device, or files."));
}
