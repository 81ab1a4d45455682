#include "tools/nnrt/data/results.h"

#include <gtest/gtest.h>

#include <list>

namespace nnrt::tool {
namespace {

class Outputs {
 public:
  void add(const char* name, Shape shape) {
    import::Tensor& tensor = tensors_.emplace_back();
    tensor.name = name;
    outputs_.push_back({tensor, arrays_.emplace_back(make_array(OH_NN_FLOAT32, std::move(shape)).value())});
  }
  bool is_classifier(size_t index) const { return tool::is_classifier(outputs_, index); }

 private:
  std::list<import::Tensor> tensors_;
  std::list<Array> arrays_;
  std::vector<Output> outputs_;
};

TEST(IsClassifier, OneDimensionCountsTheClasses) {
  Outputs outputs;
  outputs.add("scores", {1, 10});
  outputs.add("scores", {1, 10, 1, 1});
  outputs.add("features", {2, 10});
  outputs.add("value", {1, 1});
  EXPECT_TRUE(outputs.is_classifier(0) && outputs.is_classifier(1));
  EXPECT_FALSE(outputs.is_classifier(2) || outputs.is_classifier(3));
}

TEST(IsClassifier, BoxesHaveNoClasses) {
  Outputs outputs;
  outputs.add("bbox", {1, 4});
  outputs.add("location", {1, 100, 4});
  outputs.add("scores_of_the_boxes", {1, 100});
  outputs.add("classes", {1, 91});
  for (const size_t i : {0, 1, 2}) EXPECT_FALSE(outputs.is_classifier(i)) << i;
  EXPECT_TRUE(outputs.is_classifier(3));
}

}  // namespace
}  // namespace nnrt::tool
