// transcribe MODEL RECORDING SAMPLES: a file, samples from memory, and a file that is left in the
// middle. SAMPLES are 16 bit, mono, 16 kHz, without a header, as a microphone gives them.
#include <stdint.h>
#include <stdio.h>
#include <whisper_npu.h>

enum { MOST_SAMPLES = 60 * 16000 };
static float samples[MOST_SAMPLES];

static uint64_t read_samples(const char *path) {
  FILE *file = fopen(path, "rb");
  uint64_t n = 0;
  int16_t sample;
  while (file && n < MOST_SAMPLES && fread(&sample, sizeof sample, 1, file) == 1)
    samples[n++] = (float)sample / 32768.0F;
  if (file) fclose(file);
  return n;
}

static int is_enough(void *user, double done_s, double total_s) {
  (void)user, (void)total_s;
  return done_s > 0;
}

static int print(const char *title, whisper_npu_session *session, const whisper_npu_audio *audio,
                 const whisper_npu_callbacks *callbacks) {
  whisper_npu_transcript *t;
  if (whisper_npu_transcribe(session, audio, NULL, callbacks, &t) != WHISPER_NPU_OK) return 0;
  printf("%s%s:", title, whisper_npu_transcript_is_truncated(t) ? " (truncated)" : "");
  for (uint64_t i = 0; i < whisper_npu_transcript_n_segments(t); i++)
    printf("%s", whisper_npu_transcript_segment(t, i)->text);
  printf("\n");
  whisper_npu_transcript_free(t);
  return 1;
}

int main(int argc, char **argv) {
  whisper_npu_model *model = NULL;
  whisper_npu_session *session = NULL;
  whisper_npu_audio recording, memory;
  whisper_npu_callbacks stopping;
  if (argc != 4) return 2;
  whisper_npu_audio_init(&recording, sizeof recording);
  recording.path = argv[2];
  whisper_npu_audio_init(&memory, sizeof memory);
  memory.samples = samples;
  memory.n_samples = read_samples(argv[3]);
  whisper_npu_callbacks_init(&stopping, sizeof stopping);
  stopping.on_progress = is_enough;
  int is_done = whisper_npu_model_open(argv[1], NULL, &model) == WHISPER_NPU_OK &&
                whisper_npu_session_open(model, 0, &session) == WHISPER_NPU_OK &&
                print("file", session, &recording, NULL) &&
                print("samples", session, &memory, NULL) &&
                print("stopped", session, &recording, &stopping);
  if (!is_done) fprintf(stderr, "transcribe: %s\n", whisper_npu_error_text());
  whisper_npu_session_free(session);
  whisper_npu_model_free(model);
  return is_done ? 0 : 1;
}
