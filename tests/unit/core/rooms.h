// The rooms of the tree, and what each of them may include.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nnrt::test {

struct Room {
  std::string name;           // the path below the area; "." is the area itself. Subfolders belong to it.
  std::string_view includes;  // other rooms of the area whose files it may include
};

struct Area {
  std::string folder;
  std::vector<Room> rooms;  // each behind those that it includes
};

inline const std::vector<Area>& areas() {
  static const std::vector<Area> all{
      {"api",
       {{"include", ""},
        {"base", ""},
        {"tensor", "base"},
        {"model", "base tensor"},
        {"compilation", "base"},
        {"execution", "base tensor"},
        {".", "base model execution"}}},
      {"backends/cpu",
       {{"simd", ""},
        {"base", "simd"},
        {"gemm", "simd base"},
        {"conv", "simd base gemm"},
        {"kernels/reduction", "simd base"},
        {"kernels/elementwise", "simd base"},
        {"kernels/data_movement", "base kernels/reduction"},
        {"kernels/sampling", "simd base"},
        {"kernels/boxes", "base"},
        {"kernels/lookup", "base"},
        {"kernels/quantized_lstm", "base"},
        {"kernels", "simd base gemm conv"},
        {"engine", "simd base gemm"}}},
      {"backends/host", {{"transport", ""}, {"server", "transport"}, {"client", "transport server"}}},
      {"backends/vulkan",
       {{"device", ""},
        {"pipeline", "device"},
        {"memory", "device pipeline"},
        {"lower/common", "device pipeline"},
        {"lower/data_movement", "device pipeline lower/common"},
        {"lower/elementwise", "pipeline lower/common lower/data_movement"},
        {"lower/reduction", "lower/common lower/data_movement lower/elementwise"},
        {"lower/gemm", "device lower/common lower/data_movement lower/elementwise"},
        {"lower/int8", "lower/common lower/elementwise lower/gemm"},
        {"lower/attention", "lower/common lower/elementwise"},
        {"lower/recurrent", "lower/common lower/elementwise lower/gemm"},
        {"lower/conv",
         "device pipeline memory lower/common lower/elementwise lower/reduction lower/gemm lower/int8"},
        {"lower/sampling", "lower/common lower/elementwise lower/reduction"},
        {"passes",
         "device lower/common lower/data_movement lower/elementwise lower/gemm lower/attention lower/conv"},
        {"program", "device pipeline memory lower/common passes"},
        {"program/build", "device pipeline memory lower/common lower/data_movement passes program"},
        {"tuning", "device pipeline memory lower/gemm program"},
        {"runtime",
         "device pipeline memory lower/common lower/data_movement lower/reduction lower/gemm lower/int8 "
         "lower/attention lower/recurrent lower/conv program tuning"}}},
      {"core",
       {{"base", ""},
        {"platform", "base"},
        {"graph", "base"},
        {"schema", "base platform graph"},
        {"schema/data_movement", "base schema"},
        {"schema/boxes", "base schema"},
        {"schema/operators", "base schema schema/data_movement schema/boxes"},
        {"passes/layout", "base graph schema"},
        {"passes/simplify", "base graph schema"},
        {"passes", "base platform graph schema passes/layout passes/simplify"},
        {"device", "base platform graph schema passes"},
        {"placement", "base platform graph schema device"},
        {"runtime", "base platform graph schema passes device placement"},
        {"cache", "base platform graph schema passes device runtime"}}},
      {"nnapi",
       {{"include", ""},
        {"base", ""},
        {"model", "base"},
        {"operations", "base model"},
        {"lower", "model"},
        {"lower/families", "lower"},
        {"plan", "model operations lower"},
        {"device", "base"},
        {"memory", "base model"},
        {"builder", "base model operations memory"},
        {"compilation", "base model plan device memory builder"},
        {"execution", "base model memory compilation"}}},
      {"shaders",
       {{"include/base", ""},
        {"include/elementwise", "include/base"},
        {"include/gemm", "include/base include/elementwise"},
        {"include/conv", "include/gemm"},
        {".", "include/base include/elementwise include/gemm include/conv"}}},
      {"tools/import",
       {{"include", ""},
        {"network", ""},
        {"quantizer", ""},
        {"onnx", "network"},
        {"onnx/quantized", "network onnx"},
        {"onnx/quantizer", "network quantizer onnx"},
        {"onnx/operators", "onnx onnx/quantized"},
        {"onnx/formulas", "onnx"},
        {"onnx/contrib", "network onnx onnx/quantized"},
        {"tflite", "network"},
        {"tflite/formulas", "network tflite"},
        {"tflite/quantizer", "network quantizer tflite"},
        {"nnapi", "network"},
        {".", "network quantizer onnx onnx/quantizer tflite tflite/quantizer"},
        {"library", "network ."}}},
      {"tools/nnrt",
       {{"base", ""},
        {"image", "base"},
        {"data", "base image"},
        {"session", "base data"},
        {"generate", "base session"},
        {"plan", "base session"},
        {"quantize", "base data session"},
        {"command", "base data session generate plan quantize"},
        {".", "base session command"}}},
  };
  return all;
}

}  // namespace nnrt::test
