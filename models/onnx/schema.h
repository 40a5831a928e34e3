// Numbers of fields and of element types: onnx/onnx.proto of github.com/onnx/onnx.
#pragma once

#include <cstdint>

namespace wnpu::models::onnx {

enum ModelField : std::uint32_t {
  kIrVersion = 1,
  kProducerName = 2,
  kModelDoc = 6,
  kGraph = 7,
  kOpsetImport = 8,
  kMetadata = 14,
};
enum OpsetField : std::uint32_t { kOpsetDomain = 1, kOpsetVersion = 2 };
enum EntryField : std::uint32_t { kEntryKey = 1, kEntryValue = 2 };
enum GraphField : std::uint32_t {
  kNode = 1,
  kGraphName = 2,
  kInitializer = 5,
  kGraphDoc = 10,
  kInput = 11,
  kOutput = 12,
};
enum NodeField : std::uint32_t {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kOpType = 4,
  kAttribute = 5,
  kNodeDomain = 7,
};
enum AttributeField : std::uint32_t {
  kAttributeName = 1,
  kReal = 2,
  kInteger = 3,
  kIntegers = 8,
  kAttributeType = 20,
};
enum AttributeType : std::uint32_t { kIsReal = 1, kIsInteger = 2, kIsIntegers = 7 };
enum TensorField : std::uint32_t {
  kDims = 1,
  kElementType = 2,
  kTensorName = 8,
  kRawData = 9,
  kExternalData = 13,
  kDataLocation = 14,
};
enum ValueField : std::uint32_t { kValueName = 1, kValueType = 2 };
enum TypeField : std::uint32_t { kTensorType = 1 };
enum TensorTypeField : std::uint32_t { kTensorElement = 1, kTensorShape = 2 };
enum ShapeField : std::uint32_t { kDim = 1 };
enum DimField : std::uint32_t { kDimValue = 1, kDimParam = 2 };

enum class Element : std::uint32_t { f32 = 1, i64 = 7, f16 = 10 };

inline constexpr std::uint64_t kExternal = 1;  // data_location: the values are in another file

}  // namespace wnpu::models::onnx
