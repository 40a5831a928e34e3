// An operator of one's own for whisper-npu: what a shared library shows of it, in C.
// npu/ops/README.md says how to make one, and `whisper-npu npu op validate NAME --operator PATH`
// what is wrong with it.
//
// A library has one function, whisper_npu_operator_entry(), which gives a struct that stays where
// it is for as long as the library is loaded. The operator is said three times: in double (what is
// right), in float (what a CPU runs), and as a tile kernel on the buffers of one core, in their own
// types and layouts, which may be missing. All three do one tile; sizes are those of the tile.
//
// Version and sizes. The program says which version it knows, and a library gives NULL for one that
// it does not. `size` is the struct's, as the library was compiled with it: later versions have
// more fields at the end. Flags are 0 or not 0; what is not set is 0.
//
// Functions return 0, or something else where they cannot do what is asked. No exception may leave
// one. They keep nothing of what they are given, and may be called from several threads at once.
#ifndef WHISPER_NPU_OPERATOR_H
#define WHISPER_NPU_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

// NOLINTBEGIN(readability-identifier-naming,modernize-*): C
#ifdef __cplusplus
extern "C" {
#endif

#define WHISPER_NPU_OPERATOR_VERSION 1

// Types of the elements in a tile kernel's buffers.
enum {
  WHISPER_NPU_FLOAT32 = 0,
  WHISPER_NPU_BFLOAT16 = 1,
  WHISPER_NPU_INT8 = 2,
  WHISPER_NPU_INT32 = 3
};

// Provenance of a number of cycles.
enum {
  WHISPER_NPU_CYCLES_NONE = 0,
  WHISPER_NPU_CYCLES_MEASURED = 1,  // on silicon
  WHISPER_NPU_CYCLES_COUNTED = 2,   // from instructions or the hardware's limits
  WHISPER_NPU_CYCLES_ASSUMED = 3    // a guess
};

// One number that a tile's shape is made of: a multiple of `multiple`, from it to `most`.
typedef struct whisper_npu_operator_size {
  const char *name;
  uint64_t multiple;
  uint64_t most;
} whisper_npu_operator_size;

typedef struct whisper_npu_operator_attribute {
  const char *name;
  double value;  // that it has where nothing else is said
  const char *meaning;
} whisper_npu_operator_attribute;

// One array that is read or written: [sizes[rows], sizes[columns]], or [sizes[rows]] where columns
// is -1. In a tile kernel it lies in tiles of tile_rows x tile_columns, each whole, in row-major
// order; 1 x 1 and 0 x 0 are row-major. double and float are always row-major.
typedef struct whisper_npu_operand {
  const char *name;
  uint64_t type;
  int64_t rows;
  int64_t columns;
  uint64_t tile_rows;
  uint64_t tile_columns;
  // Error bound of a result: absolute + relative * magnitude, half a step of its type aside. The
  // magnitude is that of the exact value, or what `exact` says where that is more.
  double absolute;
  double relative;
} whisper_npu_operand;

// One tile. Arrays in the order of the operator's operands.
typedef struct whisper_npu_operator_call {
  size_t size;
  const uint64_t *sizes;
  const double *attributes;
  const void *const *inputs;
  void *const *outputs;
  // NULL but for `exact`: an array a result, of 0, for the magnitude of what it is a sum of.
  double *const *magnitudes;
} whisper_npu_operator_call;

typedef int (*whisper_npu_operator_function)(const whisper_npu_operator_call *call);

typedef struct whisper_npu_operator {
  size_t size;
  uint64_t version;  // WHISPER_NPU_OPERATOR_VERSION
  const char *name;  // letters, digits, _
  const char *summary;
  const whisper_npu_operator_size *sizes;
  uint64_t n_sizes;
  const whisper_npu_operator_attribute *attributes;
  uint64_t n_attributes;
  const whisper_npu_operand *inputs;
  uint64_t n_inputs;
  const whisper_npu_operand *outputs;
  uint64_t n_outputs;
  // The bounds hold for values up to this magnitude; 0: for all.
  double largest;
  // NaN and infinities come out where `exact` has them.
  uint64_t keeps_nan;
  whisper_npu_operator_function exact;      // all arrays double
  whisper_npu_operator_function reference;  // all arrays float
  whisper_npu_operator_function tile;       // or NULL
  // Cycles of the tile kernel on one core, or NULL; with their provenance and source.
  double (*cycles)(const uint64_t *sizes, const double *attributes);
  uint64_t cycles_provenance;
  const char *cycles_source;
} whisper_npu_operator;

#define WHISPER_NPU_OPERATOR_ENTRY "whisper_npu_operator_entry"

// Entry point of the library. `version` is the program's WHISPER_NPU_OPERATOR_VERSION.
__attribute__((visibility("default"))) const whisper_npu_operator *whisper_npu_operator_entry(
    uint64_t version);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming,modernize-*)

#endif
