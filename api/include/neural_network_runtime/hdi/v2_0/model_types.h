/**
 * @file model_types.h
 *
 * A model as passed to a driver. OpenHarmony's drivers unmarshal `Node::nodeAttr`; an adapted driver reads
 * `Node::attr` instead: std::get<Conv2DFusion>(node.attr).
 */
#ifndef NNRT_HDI_V2_0_MODEL_TYPES_H
#define NNRT_HDI_V2_0_MODEL_TYPES_H

#include "nnrt_types.h"
#include "node_attr_types.h"

namespace nnrt::hdi::V2_0 {
inline namespace structures {

struct Tensor {
  std::string name;
  DataType dataType = DATA_TYPE_UNKNOWN;
  std::vector<int32_t> dims; /**< -1: known only when it runs */
  Format format = FORMAT_NONE;
  SharedBuffer data;                   /**< set for a constant; valid during the call that brings the model */
  std::vector<QuantParam> quantParams; /**< one for the tensor, or one for each channel */
};

struct Node {
  std::string name;
  NodeType nodeType = NODE_TYPE_NONE;
  std::vector<int8_t> nodeAttr;     /**< filled by IDeviceTraits::WriteNodeAttr alone */
  std::vector<uint32_t> inputIndex; /**< into Model::allTensors */
  std::vector<uint32_t> outputIndex;
  QuantType quantType = QUANT_TYPE_NONE;
  NodeAttr attr; /**< always there; not part of OpenHarmony's interface */
};

struct SubGraph {
  std::string name;
  std::vector<uint32_t> inputIndices;
  std::vector<uint32_t> outputIndices;
  std::vector<uint32_t> nodeIndices;
};

/** The nodes are in execution order. */
struct Model {
  std::string name;
  std::vector<uint32_t> inputIndex;
  std::vector<uint32_t> outputIndex;
  std::vector<Node> nodes;
  std::vector<Tensor> allTensors; /**< tensors of data; attributes of nodes are not among them */
  std::vector<SubGraph> subGraph; /**< one, of all nodes */
};

}  // namespace structures
}  // namespace nnrt::hdi::V2_0

#endif
