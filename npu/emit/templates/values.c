/* Values of the layer's arguments from the file LAYER_IN, one behind the other, and of its result to
   LAYER_OUT: fp32 as they are in memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A memref of unknown rank, as MLIR hands it to C: its rank, and allocated and aligned pointer,
   offset, extents and strides. */
struct any {
  int64_t rank;
  struct {
    float* allocated;
    float* aligned;
    int64_t offset;
    int64_t numbers[];
  }* memory;
};

static FILE* in;

static size_t size_of(const struct any* value) {
  size_t size = 1;
  for (int64_t i = 0; i < value->rank; ++i) size *= (size_t)value->memory->numbers[i];
  return size;
}

static void need(int is_good, const char* what) {
  if (is_good) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

void _mlir_ciface_read_values(struct any* value) {
  if (in == NULL) in = fopen(getenv("LAYER_IN"), "rb");
  need(in != NULL, "LAYER_IN: cannot be opened");
  need(fread(value->memory->aligned, sizeof(float), size_of(value), in) == size_of(value),
       "LAYER_IN: too short");
}

void _mlir_ciface_write_values(struct any* value) {
  need(fgetc(in) == EOF, "LAYER_IN: too long");
  FILE* out = fopen(getenv("LAYER_OUT"), "wb");
  need(out != NULL, "LAYER_OUT: cannot be opened");
  const float* first = value->memory->aligned + value->memory->offset;
  need(fwrite(first, sizeof(float), size_of(value), out) == size_of(value) && fclose(out) == 0,
       "LAYER_OUT: cannot be written");
}
