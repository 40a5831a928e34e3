#!/usr/bin/env python3
"""import_onnx.py ENCODER.onnx --decoder FOLDER -o DIR: a HuggingFace folder for `whisper-npu --model DIR`, whose encoder
comes from an ONNX graph of Whisper's encoder, and all else from FOLDER, which `whisper-npu models export --onnx` made.

The graph is read backwards from its first output. Operations are recognised by operators and constants, never by names:
exporters call weights onnx::MatMul_123, exchange their extents, take LayerNorm and GELU apart, and spread the scale of
attention over queries, keys and scores. A graph that computes anything else is refused at the node where it differs; how
Reshape and Transpose arrange heads is not looked at. Tensors keep their bits (fp32, fp16, bf16).

Needs Python 3.9 and the packages onnx and numpy. Exit code 2: usage, 3: a model, 6: the output."""
import argparse
import json
import math
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper, numpy_helper

EPSILON = 1e-5  # of LayerNorm
FLOATS = {TensorProto.FLOAT: "F32", TensorProto.FLOAT16: "F16", TensorProto.BFLOAT16: "BF16"}
TYPE_NAMES = {helper.tensor_dtype_to_np_dtype(element): name for element, name in FLOATS.items()}
KEEP_ORDER = ("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten")
SETTINGS = ("config.json", "generation_config.json", "vocab.json")


class ModelError(Exception):
    pass


def is_near(a, b):
    """Whether two numbers are the same, but for what fp16 makes of them."""
    return isinstance(a, (int, float)) and abs(a - b) <= 2e-3 * abs(b)


class Graph:
    """Nodes and constants of a file that nobody has checked yet; values are known by their names."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            graph = onnx.load(str(path), load_external_data=False).graph
        except (OSError, DecodeError) as error:
            raise ModelError(f"{path}: expected an ONNX model, found {error}") from error
        self.makers = {}  # by value: the node, or None for inputs and constants
        self.constants = {}
        for tensor in graph.initializer:
            self.add_constant(tensor.name, tensor)
        # Files before IR version 4 list constants among the inputs too.
        self.inputs = [value.name for value in graph.input if value.name not in self.constants]
        self.outputs = [value.name for value in graph.output]
        for name in self.inputs:
            self.add(name, None)
        for node in graph.node:
            self.add_node(node)
        if not self.inputs or not self.outputs:
            raise ModelError(f"{path}: expected a graph with an input and an output, found none")

    def add(self, name, node):
        if name in self.makers:
            raise ModelError(f"{self.path}: {name}: expected each value once, found two of its name")
        self.makers[name] = node

    def add_constant(self, name, tensor):
        self.add(name, None)
        self.constants[name] = tensor

    def add_node(self, node):
        """A node reads only what stands before it, so that every walk through the graph ends."""
        for name in node.input:
            if name and name not in self.makers:
                raise ModelError(f"{self.path}: {node.name}: expected nodes behind what they read, found one that reads {name}")
        value = attribute(node, "value") if node.op_type == "Constant" else None
        for name in filter(None, node.output):
            if value is not None:
                self.add_constant(name, value)
            else:
                self.add(name, node)

    def values(self, name):
        """The array of a constant of any type; None for other values."""
        tensor = self.constants.get(name)
        if tensor is None:
            return None
        try:
            if tensor.data_location == TensorProto.EXTERNAL:
                return self.external_values(tensor)
            return numpy_helper.to_array(tensor)
        except (ArithmeticError, LookupError, MemoryError, OSError, TypeError, ValueError) as error:
            raise ModelError(f"{self.path}: {name}: {error}") from error

    def external_values(self, tensor):
        """Values in a file beside the graph: in its folder by name and by links, which a hub's cache is made of."""
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = entries.get("location", "")
        if location in ("", ".", "..") or "/" in location or "\0" in location:
            raise ValueError(f"expected a file in the model's folder, found {location!r}")
        file = (self.path.parent / location).resolve(strict=True)
        if file.parent not in (self.path.parent.resolve(), self.path.resolve().parent):
            raise ValueError("expected a file in the model's folder, found a link out of it")
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
        offset, size = int(entries.get("offset", 0)), math.prod(tensor.dims) * dtype.itemsize
        if int(entries.get("length", size)) != size or not 0 <= offset <= file.stat().st_size - size:
            raise ValueError(f"expected {size} bytes at {offset} within {location}, found {file.stat().st_size} bytes")
        return np.memmap(file, dtype, "r", offset, tuple(tensor.dims)) if size else np.zeros(tuple(tensor.dims), dtype)

    def fail(self, value, expected, found=None):
        node = self.makers.get(value)
        if found is None:
            found = "an input or a constant" if node is None else f"{node.domain}{'::' if node.domain else ''}{node.op_type}"
        where = value if node is None else node.name or value
        raise ModelError(f"{self.path}: {where[:100]}: expected {expected}, found {found}")


def attribute(node, name, otherwise=None):
    """Value of a node's attribute; None where it has a type that nobody knows."""
    found = [each for each in node.attribute if each.name == name]
    try:
        return helper.get_attribute_value(found[0]) if found else otherwise
    except ValueError:
        return None


class Patterns:
    """Operations of Whisper, found backwards from their results. `head_size` is what a Shape's extent stands for."""

    def __init__(self, graph, head_size):
        self.graph, self.head_size = graph, head_size

    def find(self, value, *operators):
        """The node of one of these operators that makes a value; None where there is none."""
        node = self.graph.makers.get(value)
        return node if node is not None and node.op_type in operators and not node.domain else None

    def plain(self, value, skipped=KEEP_ORDER):
        """Source of a value behind nodes that keep its values in their order."""
        while (node := self.find(value, *skipped)) is not None and node.input:
            value = node.input[0]
        return value

    def any_order(self, value):
        return self.plain(value, (*KEEP_ORDER, "Transpose"))

    def node(self, value, operator, what):
        value = self.plain(value)
        return self.find(value, operator) or self.graph.fail(value, f"{operator} ({what})")

    def operand(self, node, i):
        if i >= len(node.input):
            self.graph.fail(node.output[0], f"{i + 1} inputs", str(len(node.input)))
        return node.input[i]

    def takes_all_rows(self, gather):
        """Rows 0, 1, ... of a constant up to its last one: how torch.export looks positions up."""
        if len(gather.input) != 2 or attribute(gather, "axis", 0) != 0:
            return False
        table, rows = map(self.graph.values, gather.input)
        return table is not None and rows is not None and np.array_equal(rows.ravel(), np.arange(len(table)))

    def constant(self, value):
        """The array of fp32, fp16 or bf16 that a value is, transposed where it is; None where it is none."""
        is_exchanged = False
        while (array := self.graph.values(value)) is None:
            node = self.find(value, "Identity", "Cast", "Transpose", "Gather")
            if node is None or not node.input:
                return None
            is_kept = (node.op_type == "Identity"
                       or node.op_type == "Cast" and attribute(node, "to") == TensorProto.FLOAT
                       or node.op_type == "Transpose" and attribute(node, "perm", [1, 0]) == [1, 0]
                       or node.op_type == "Gather" and self.takes_all_rows(node))
            if not is_kept:
                return None
            is_exchanged ^= node.op_type == "Transpose"
            value = node.input[0]
        if array.dtype not in TYPE_NAMES:
            return None
        return array.T if is_exchanged else array

    def number(self, value, depth=0):
        """A number that the graph has, or computes of numbers and of the size of a head."""
        array = self.constant(value)
        if array is not None:
            return float(array.ravel()[0]) if array.size == 1 else None
        node = self.find(value, "Shape", "Cast", "Slice", "Gather", "Squeeze", "Identity", "Sqrt", "Mul", "Div")
        if node is None or not node.input or depth == 12:
            return None
        if node.op_type == "Shape":
            return self.head_size
        numbers = [self.number(each, depth + 1) for each in node.input[:2 if node.op_type in ("Mul", "Div") else 1]]
        if None in numbers:
            return None
        if node.op_type == "Sqrt":
            return math.sqrt(numbers[0]) if numbers[0] >= 0 else None
        if node.op_type == "Mul":
            return math.prod(numbers)
        if node.op_type == "Div":
            return numbers[0] / numbers[1] if len(numbers) == 2 and numbers[1] else None
        return numbers[0]

    def sides(self, node, known):
        """(what `known` finds of an input, the other input) of a node of two inputs; None where it finds nothing."""
        if len(node.input) != 2:
            return None
        for side in (1, 0) if node.op_type != "Div" else (1,):
            found = known(node.input[side])
            if found is not None:
                return found, node.input[1 - side]
        return None

    def unscaled(self, value):
        """A value without the numbers that it is multiplied with, and their product."""
        value, factor = self.any_order(value), 1.0
        while (node := self.find(value, "Mul", "Div")) is not None and (sides := self.sides(node, self.number)):
            if node.op_type == "Div" and not sides[0]:
                break
            factor *= sides[0] if node.op_type == "Mul" else 1 / sides[0]
            value = self.any_order(sides[1])
        return value, factor

    def find_linear(self, value):
        """(input, weight [out, in], bias or None); None where a value is no linear layer with a constant."""
        node = self.find(self.plain(value), "Gemm", "Add", "MatMul")
        if node is None:
            return None
        if node.op_type == "Gemm":
            is_ours = attribute(node, "transA", 0) == 0 and attribute(node, "alpha", 1.0) == attribute(node, "beta", 1.0) == 1
            weight = self.constant(node.input[1]) if is_ours and len(node.input) > 1 else None
            if weight is None:
                return None
            bias = self.constant(node.input[2]) if len(node.input) > 2 else None
            return node.input[0], weight if attribute(node, "transB", 0) else weight.T, bias
        bias = None
        if node.op_type == "Add":
            sides = self.sides(node, self.constant)
            if sides is None:
                return None
            bias, product = sides
            node = self.find(self.plain(product), "MatMul")
        weight = self.constant(node.input[1]) if node is not None and len(node.input) == 2 else None
        return None if weight is None else (node.input[0], weight.T, bias)

    def linear(self, value, what):
        return self.find_linear(value) or self.graph.fail(
            self.plain(value), f"{what} (MatMul or Gemm with a constant, Add)")

    def residual(self, value, what):
        """The linear layer of a sum, and the sum's other side."""
        total = self.node(value, "Add", what)
        return self.sides(total, self.find_linear) or self.graph.fail(
            self.plain(value), f"{what}: a sum with a linear layer", "another sum")

    def with_constant(self, value, operator, what):
        """The constant of a sum or a product, and its other side."""
        return self.sides(self.node(value, operator, what), self.constant) or self.graph.fail(
            self.plain(value), f"{what}: {operator} with a constant", "another")

    def layer_norm(self, value, what):
        """(input, gain, bias)"""
        value = self.plain(value)
        node = self.find(value, "LayerNormalization")
        if node is None:
            return self.decomposed_layer_norm(value, what)
        if (len(node.input) != 3 or attribute(node, "axis", -1) not in (-1, 2)
                or not is_near(attribute(node, "epsilon", EPSILON), EPSILON)):
            self.graph.fail(value, f"{what}: 3 inputs, the last axis, epsilon 1e-5", "others")
        gain, bias = map(self.constant, node.input[1:])
        if gain is None or bias is None:
            self.graph.fail(value, f"{what}: constant weights", "others")
        return node.input[0], gain, bias

    def decomposed_layer_norm(self, value, what):
        """(x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * gain + bias"""
        bias, scaled = self.with_constant(value, "Add", what)
        gain, quotient = self.with_constant(scaled, "Mul", what)
        quotient = self.node(quotient, "Div", what)
        difference = self.node(self.operand(quotient, 0), "Sub", what)
        mean = self.node(self.operand(difference, 1), "ReduceMean", what)
        source = self.operand(difference, 0)
        if self.plain(self.operand(mean, 0)) != self.plain(source):
            self.graph.fail(value, f"{what}: the mean of what it is taken from", "another's")
        self.require_deviation(self.operand(quotient, 1), self.plain(self.operand(quotient, 0)), what)
        return source, gain, bias

    def require_deviation(self, deviation, centred, what):
        total = self.operand(self.node(deviation, "Sqrt", what), 0)
        sides = self.sides(self.node(total, "Add", what), self.number)
        if sides is None or not is_near(sides[0], EPSILON):
            self.graph.fail(self.plain(total), f"{what}: epsilon 1e-5", "another")
        mean = self.node(sides[1], "ReduceMean", what)
        square = self.find(self.plain(self.operand(mean, 0)), "Pow", "Mul")
        is_square = (square is not None and len(square.input) == 2 and self.plain(square.input[0]) == centred
                     and (self.number(square.input[1]) == 2 if square.op_type == "Pow"
                          else self.plain(square.input[1]) == centred))
        if not is_square:
            self.graph.fail(self.plain(deviation), f"{what}: the variance", "another")

    def is_erf_sum(self, value, source):
        """1 + erf(source / sqrt 2)"""
        total = self.find(self.plain(value), "Add")
        sides = self.sides(total, self.number) if total is not None else None
        erf = self.find(self.plain(sides[1]), "Erf") if sides and is_near(sides[0], 1) else None
        if erf is None or not erf.input:
            return False
        found, factor = self.unscaled(erf.input[0])
        return is_near(factor, math.sqrt(0.5)) and found == self.any_order(source)

    def gelu(self, value, what):
        """Input of a GELU, one node or x (1 + erf(x / sqrt 2)) / 2 in any order of the factors."""
        value = self.plain(value)
        node = self.find(value, "Gelu")
        if node is not None and len(node.input) == 1:
            if attribute(node, "approximate", b"none") == b"none":
                return node.input[0]
            self.graph.fail(value, f"{what}: GELU by erf", "an approximation")
        unread, factors, scale = [value], [], 1.0
        while unread and len(factors) + len(unread) < 6:
            each = self.plain(unread.pop())
            product, known = self.find(each, "Mul"), self.number(each)
            if known is not None:
                scale *= known
            elif product is not None and len(product.input) == 2:
                unread += product.input
            else:
                factors.append(each)
        if not unread and len(factors) == 2 and is_near(scale, 0.5):
            for a, b in (factors, factors[::-1]):
                if self.is_erf_sum(a, b):
                    return b
        self.graph.fail(value, f"{what}: GELU, x (1 + erf(x / sqrt 2)) / 2")

    def convolution(self, value, stride, what):
        """(input, weight, bias) of a convolution of 3 frames"""
        node = self.node(value, "Conv", what)
        is_ours = (len(node.input) == 3 and attribute(node, "strides", [1]) == [stride] and attribute(node, "pads") == [1, 1]
                   and attribute(node, "dilations", [1]) == [1] and attribute(node, "group", 1) == 1)
        weight, bias = map(self.constant, node.input[1:3]) if is_ours else (None, None)
        if weight is None or bias is None:
            self.graph.fail(self.plain(value), f"{what}: stride {stride}, pads 1, constant weights and a bias", "others")
        return node.input[0], weight, bias


class Encoder:
    """Tensors of Whisper's encoder in a graph, by HuggingFace's names and in its shapes."""

    def __init__(self, graph, config):
        self.graph, self.config = graph, config
        self.width, self.n_heads = config["d_model"], config["encoder_attention_heads"]
        self.patterns = Patterns(graph, self.width / self.n_heads)
        self.tensors = {}
        states = self.layer_norm(graph.outputs[0], "model.encoder.layer_norm")
        for i in reversed(range(config["encoder_layers"])):
            states = self.layer(states, f"model.encoder.layers.{i}")
        self.stem(states)

    def take(self, where, name, array, shape):
        while array is not None and array.ndim > len(shape) and array.shape[0] == 1:
            array = array[0]
        if array is None or list(array.shape) != shape:
            self.graph.fail(where, f"{name} {shape}", "none" if array is None else str(list(array.shape)))
        self.tensors[name] = array

    def take_linear(self, linear, name, n_out, n_in):
        source, weight, bias = linear
        self.take(source, f"{name}.weight", weight, [n_out, n_in])
        self.take(source, f"{name}.bias", bias, [n_out])
        return source

    def layer_norm(self, value, name):
        source, gain, bias = self.patterns.layer_norm(value, name)
        self.take(value, f"{name}.weight", gain, [self.width])
        self.take(value, f"{name}.bias", bias, [self.width])
        return source

    def require_same(self, a, b, what):
        a, b = self.patterns.plain(a), self.patterns.plain(b)
        if a != b:
            self.graph.fail(a, f"{what} of {b}", "of another value")

    def layer(self, value, block):
        """Takes the weights of a transformer layer, from its output backwards, and returns its input."""
        width = self.width
        second, attended = self.patterns.residual(value, f"{block}.fc2")
        hidden = self.patterns.gelu(self.take_linear(second, f"{block}.fc2", width, 4 * width), f"{block}.fc1")
        first = self.patterns.linear(hidden, f"{block}.fc1")
        normed = self.take_linear(first, f"{block}.fc1", 4 * width, width)
        self.require_same(self.layer_norm(normed, f"{block}.final_layer_norm"), attended, f"{block}.final_layer_norm")
        out, states = self.patterns.residual(attended, f"{block}.self_attn.out_proj")
        context = self.take_linear(out, f"{block}.self_attn.out_proj", width, width)
        normed = self.attention(context, f"{block}.self_attn")
        name = f"{block}.self_attn_layer_norm"
        self.require_same(self.layer_norm(normed, name), states, name)
        return states

    def attention(self, value, name):
        patterns, width = self.patterns, self.width
        total = patterns.node(patterns.any_order(value), "MatMul", name)
        softmax = patterns.node(patterns.operand(total, 0), "Softmax", name)
        if attribute(softmax, "axis", -1) not in (-1, 2, 3):  # the last of three or four extents
            self.graph.fail(softmax.output[0], f"{name}: Softmax over the last axis", str(attribute(softmax, "axis")))
        scores, factor = patterns.unscaled(patterns.operand(softmax, 0))
        product = patterns.node(scores, "MatMul", f"{name}: scores")
        query, query_factor = patterns.unscaled(patterns.operand(product, 0))
        key, key_factor = patterns.unscaled(patterns.operand(product, 1))
        self.require_scale(factor * query_factor * key_factor, product, name)
        source = self.take_linear(patterns.linear(query, f"{name}.q_proj"), f"{name}.q_proj", width, width)
        key_source, weight, bias = patterns.linear(key, f"{name}.k_proj")
        self.take(key_source, f"{name}.k_proj.weight", weight, [width, width])
        if bias is not None and np.any(bias):
            self.graph.fail(key_source, f"{name}.k_proj without a bias", "one that is not zero")
        read = patterns.linear(patterns.any_order(patterns.operand(total, 1)), f"{name}.v_proj")
        self.require_same(key_source, source, f"{name}.k_proj")
        self.require_same(self.take_linear(read, f"{name}.v_proj", width, width), source, f"{name}.v_proj")
        return source

    def require_scale(self, scale, product, name):
        expected = math.sqrt(self.n_heads / self.width)
        if not is_near(scale, expected):
            self.graph.fail(product.output[0], f"{name}: scores times {expected:.6f} ({self.n_heads} heads)", f"times {scale:.6f}")

    def stem(self, value):
        positions = "model.encoder.embed_positions.weight"
        rows, states = self.patterns.with_constant(value, "Add", positions)
        self.take(value, positions, rows, [self.config["max_source_positions"], self.width])
        value = self.convolution(self.patterns.any_order(states), "model.encoder.conv2", self.width, 2)
        value = self.convolution(value, "model.encoder.conv1", self.config["num_mel_bins"], 1)
        self.require_same(value, self.graph.inputs[0], "model.encoder.conv1")

    def convolution(self, value, name, n_in, stride):
        source, weight, bias = self.patterns.convolution(self.patterns.gelu(value, name), stride, name)
        self.take(value, f"{name}.weight", weight, [self.width, n_in, 3])
        self.take(value, f"{name}.bias", bias, [self.width])
        return source


def read_config(folder):
    """Sizes of a folder that `whisper-npu models export --onnx` has made."""
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text("utf-8"))
        for key in ("d_model", "encoder_attention_heads", "encoder_layers", "max_source_positions", "num_mel_bins"):
            if not isinstance(config[key], int) or config[key] < 1:
                raise ModelError(f"{path}: {key}: expected a number, found {config[key]}")
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ModelError(f"{path}: expected the configuration of a Whisper model, found {error!r}") from error
    return config


def decoder_tensors(folder):
    """The export's names are HuggingFace's; matrices that states are multiplied with lie there as [in, out]."""
    graph = Graph(folder / "decoder_model.onnx")
    names = [name for name in graph.constants if str(name).startswith("model.decoder.")]
    if not names:
        raise ModelError(f"{graph.path}: expected tensors named model.decoder.*, found none; "
                         "make it by `whisper-npu models export --onnx`")
    is_exchanged = re.compile(r"(_proj|\.fc[12])\.weight$")
    return {name: graph.values(name).T if is_exchanged.search(name) else graph.values(name) for name in names}


def write_safetensors(path, tensors):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": TYPE_NAMES[array.dtype], "shape": array.shape, "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # so that the values are aligned
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array).tobytes())


def write_model(output, decoder, tensors):
    """The folder appears under its name when all of it is written."""
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as temporary:
        folder = Path(temporary) / "model"
        folder.mkdir()
        for name in SETTINGS:
            if (decoder / name).exists():
                shutil.copyfile(decoder / name, folder / name)
        write_safetensors(folder / "model.safetensors", tensors)
        folder.rename(output)
    for path in sorted(output.iterdir()):
        print(f"{path}: {path.stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description="Makes a model of an ONNX encoder and the decoder of another model.")
    parser.add_argument("encoder", type=Path, help="ONNX file of a Whisper encoder")
    parser.add_argument("--decoder", type=Path, required=True,
                        help="folder of `whisper-npu models export --onnx`, for decoder, vocabulary and number of heads")
    parser.add_argument("-o", "--output-dir", type=Path, required=True, help="HuggingFace folder to make, for --model")
    order = parser.parse_args()
    try:
        if order.output_dir.exists():
            raise FileExistsError(f"{order.output_dir}: is there")
        encoder = Encoder(Graph(order.encoder), read_config(order.decoder))
        write_model(order.output_dir, order.decoder, {**encoder.tensors, **decoder_tensors(order.decoder)})
    except ModelError as error:
        print(f"import_onnx.py: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"import_onnx.py: {error}", file=sys.stderr)
        return 6
    return 0


if __name__ == "__main__":
    sys.exit(main())
