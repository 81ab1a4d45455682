"""Builds ONNX models call by call."""

import numpy
import onnx
from onnx import helper, numpy_helper


def _element_type(dtype):
    name = str(dtype)
    return onnx.TensorProto.DataType.Value({"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper()))


def _value(name, shape, dtype):
    return helper.make_tensor_value_info(name, _element_type(dtype), ["n" if size is None else size for size in shape])


class OnnxModel:
    """Nodes are in the order of the calls. `model` is the message."""

    def __init__(self, opset=13):
        self.model = onnx.ModelProto(ir_version=8)
        self.model.opset_import.add(version=opset)
        self.graph = self.model.graph
        self.graph.name = "graph"  # ONNX Runtime requires that bodies have one

    def node(self, op, inputs, outputs, name="", domain="", **attributes):
        """An attribute that is a model becomes a body."""
        attributes = {key: value.graph if isinstance(value, OnnxModel) else value for key, value in attributes.items()}
        self.graph.node.append(helper.make_node(op, inputs, outputs, name, domain=domain, **attributes))
        if domain and all(known.domain != domain for known in self.model.opset_import):
            self.model.opset_import.add(domain=domain, version=1)
        return self

    def constant(self, name, array):
        self.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array, order="C"), name))
        return self

    def external(self, name, dtype, shape, location, offset=None, length=None):
        """A constant in another file."""
        made = self.graph.initializer.add(name=name, data_type=_element_type(dtype), dims=shape, data_location=onnx.TensorProto.EXTERNAL)
        for key, value in (("location", location), ("offset", offset), ("length", length)):
            if value is not None:
                made.external_data.add(key=key, value=str(value))
        return self

    def input(self, name, shape, dtype="float32"):
        self.graph.input.append(_value(name, shape, dtype))
        return self

    def output(self, name, shape, dtype="float32"):
        self.graph.output.append(_value(name, shape, dtype))
        return self

    def bytes(self):
        return self.model.SerializeToString()
