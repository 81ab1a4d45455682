"""An ONNX file as nodes and arrays."""
import dataclasses

import onnx
from onnx import helper, numpy_helper


@dataclasses.dataclass
class Node:
    kind: str
    inputs: list
    outputs: list
    attributes: dict


class Model:
    def __init__(self, path):
        graph = onnx.load(path).graph
        self.nodes = [Node(node.op_type, list(node.input), list(node.output),
                           {it.name: helper.get_attribute_value(it) for it in node.attribute}) for node in graph.node]
        self.constants = {it.name: numpy_helper.to_array(it) for it in graph.initializer}
        self.inputs, self.outputs = ({it.name: [size.dim_value for size in it.type.tensor_type.shape.dim] for it in values}
                                     for values in (graph.input, graph.output))
