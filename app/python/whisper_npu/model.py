"""faster-whisper's WhisperModel over the engine."""

import importlib.util
import logging
import os
import weakref
from typing import Any, BinaryIO, Dict, Iterable, List, Optional, Tuple, Union

import numpy as np

from whisper_npu import _engine
from whisper_npu.arguments import (FASTER_WHISPER_NAMES, LANGUAGES, clips_of, engine_options, engine_vad,
                                   refuse_unless, said_options, set_option, vad_of)
from whisper_npu.errors import UnsupportedError
from whisper_npu.hub import find_model
from whisper_npu.results import Segment, TranscriptionInfo, VadOptions, segment_of
from whisper_npu.run import Run

# CTranslate2's names of what the CPU computes in, those that a CPU has.
_PRECISIONS = {"default": "auto", "auto": "auto", "int8": "int8", "int8_float32": "int8", "int16": "int16",
               "float32": "fp32"}
# Those that it has not, and what is computed in their place: no number of theirs is lost.
_IN_PLACE = {"float16": "float32", "bfloat16": "float32", "int8_float16": "int8", "int8_bfloat16": "int8"}


def _in_package(package: str, name: str) -> str:
    """A file or folder of a package that is installed, without importing it; else empty."""
    found = importlib.util.find_spec(package)
    for folder in (found.submodule_search_locations or []) if found else []:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return ""


def _openvino_plugin(device: str) -> List[str]:
    plugin = _in_package("onnxruntime_ep_openvino", "libonnxruntime_providers_openvino_plugin.so")
    return [plugin] if plugin and "openvino" in device else []


_models: "weakref.WeakSet[WhisperModel]" = weakref.WeakSet()


class WhisperModel:
    """A model's weights. Any number of threads may transcribe with it, and iterate at the same time."""

    def __init__(
        self,
        model_size_or_path: str,
        device: str = "auto",
        device_index: Union[int, List[int]] = 0,
        compute_type: str = "default",
        cpu_threads: int = 0,
        num_workers: int = 1,
        download_root: Optional[str] = None,
        local_files_only: bool = False,
        files: Optional[dict] = None,
        revision: Optional[str] = None,
        use_auth_token: Optional[Union[str, bool]] = None,
        **model_kwargs: Any,
    ):
        """Loads a model.

        model_size_or_path: a file or folder of a model, a name as the program's --model takes it, or an id of the
          Hugging Face Hub. A name that is published and not here is downloaded, as `whisper-npu models pull` does.
        device: "auto", "cpu", "npu", "sim" (a simulated NPU), "ort:PROVIDER" (ONNX Runtime), and all that the
          program's --device takes.
        device_index: of NPUs, with device "npu"; a list for several.
        compute_type: what the CPU computes in: "default", "int8", "int8_float32", "int16" or "float32". "float16",
          "bfloat16", "int8_float16" and "int8_bfloat16" are computed in float32 or int8, which the logger tells.
        cpu_threads: of one transcription; 0: as many as this process has CPUs.
        num_workers: transcriptions whose working memory is kept for the next; more may be at work.
        download_root: the folder where names are looked for and downloaded to; None: ~/.cache/whisper-npu.
        local_files_only: nothing is downloaded: ModelError where the model is not here.
        files: refused: a model is read from its folder.
        revision: a commit or branch on the Hub, and
        use_auth_token: the Hub's token: by the package huggingface_hub (`pip install whisper-npu[hub]`), as ids that
          `whisper-npu models list` does not have.
        model_kwargs: `ort_library`, `ort_plugins`: ONNX Runtime's library and those of further providers; without them
          those of the packages onnxruntime and onnxruntime_ep_openvino, where they are installed. `ort_options`: of
          the provider, a dict. CTranslate2's other options: refused.
        """
        self.logger = logging.getLogger("whisper_npu")
        refuse_unless(not files, "files", "None: a model is read from its folder", "files in memory")
        ort = {name: model_kwargs.pop(name, None) for name in ("ort_library", "ort_plugins", "ort_options")}
        for name, value in model_kwargs.items():
            refuse_unless(False, name, "no option of CTranslate2's models", value)
        if compute_type in _IN_PLACE:
            found, compute_type = compute_type, _IN_PLACE[compute_type]
            self.logger.warning("compute_type: the CPU has no %s: computed in %s", found, compute_type)
        refuse_unless(compute_type in _PRECISIONS, "compute_type", " or ".join((*_PRECISIONS, *_IN_PLACE)),
                      compute_type)
        options = _engine.DeviceOptions()
        set_option(options, "requested", _device(device, device_index), "device")
        options.cpu_precision = _PRECISIONS[compute_type]
        if "ort" in options.requested:
            options.ort.library = os.fspath(ort["ort_library"] or _in_package("onnxruntime", "capi"))
            options.ort.plugins = ([os.fspath(plugin) for plugin in ort["ort_plugins"] or ()]
                                   or _openvino_plugin(options.requested))
            options.ort.options = [f"{key}={value}" for key, value in (ort["ort_options"] or {}).items()]
        path = find_model(os.fspath(model_size_or_path), download_root, local_files_only, revision,
                          use_auth_token)
        self._engine = _engine.Model(path, download_root or "", options, cpu_threads, num_workers)
        _models.add(self)

    @property
    def supported_languages(self) -> List[str]:
        """Codes of the languages that the model knows."""
        return list(LANGUAGES) if self._engine.is_multilingual else ["en"]

    def transcribe(
        self,
        audio: Union[str, BinaryIO, np.ndarray],
        language: Optional[str] = None,
        task: str = "transcribe",
        log_progress: bool = False,
        beam_size: int = 5,
        best_of: int = 5,
        patience: float = 1,
        length_penalty: float = 1,
        repetition_penalty: float = 1,
        no_repeat_ngram_size: int = 0,
        temperature: Union[float, List[float], Tuple[float, ...]] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
        compression_ratio_threshold: Optional[float] = 2.4,
        log_prob_threshold: Optional[float] = -1.0,
        no_speech_threshold: Optional[float] = 0.6,
        condition_on_previous_text: bool = True,
        prompt_reset_on_temperature: float = 0.5,
        initial_prompt: Optional[Union[str, Iterable[int]]] = None,
        prefix: Optional[str] = None,
        suppress_blank: bool = True,
        suppress_tokens: Optional[List[int]] = [-1],
        without_timestamps: bool = False,
        max_initial_timestamp: float = 1.0,
        word_timestamps: bool = False,
        prepend_punctuations: str = "\"'“¿([{-",
        append_punctuations: str = "\"'.。,，!！?？:：”)]}、",
        multilingual: bool = False,
        vad_filter: bool = False,
        vad_parameters: Optional[Union[dict, VadOptions]] = None,
        max_new_tokens: Optional[int] = None,
        chunk_length: Optional[int] = None,
        clip_timestamps: Union[str, List[float]] = "0",
        hallucination_silence_threshold: Optional[float] = None,
        hotwords: Optional[str] = None,
        language_detection_threshold: Optional[float] = 0.5,
        language_detection_segments: int = 1,
        *,
        channels: str = "mix",
        speakers: Optional[Union[str, int, Tuple[int, int]]] = None,
        speaker_names: Optional[Dict[str, str]] = None,
    ) -> Tuple[Iterable[Segment], TranscriptionInfo]:
        """Reads the audio and settles the language; segments are decoded as they are asked for.

        audio: a path, a binary file, or samples: mono, 16 kHz, float32 or int16, which are not copied and
          must not be changed meanwhile.
        language: a code ("en"); None: it is detected.
        task: "transcribe", or "translate": to English.
        log_progress: True for a bar of tqdm, or a function of the seconds that are done and all there are.
        beam_size: beams of the search at temperature 0.
        best_of: candidates that are drawn at other temperatures.
        patience: the search ends with beam_size * patience candidates.
        length_penalty: 1 (the mean of the tokens) or 0 (their sum).
        repetition_penalty: above 1 tokens that came already become less likely.
        no_repeat_ngram_size: no sequence of so many tokens twice; 0: off.
        temperature: the first, and those that are tried where the thresholds below are missed.
        compression_ratio_threshold: a text that zlib makes smaller than 1 / this is a loop; None: never.
        log_prob_threshold: a mean log-probability below this has failed; None: never.
        no_speech_threshold: a window that failed so, and is silence with more than this probability, is left out.
        condition_on_previous_text: the text of a window is the prompt of the next.
        prompt_reset_on_temperature: 0.5 alone: above it that prompt is left out.
        initial_prompt: a text as if said before; tokens are refused.
        prefix: what the first window's text begins with.
        suppress_blank: no text begins with a blank.
        suppress_tokens: tokens that never come; -1: those that are no speech.
        without_timestamps: text alone, one segment a window.
        max_initial_timestamp: of a window's first segment, in seconds.
        word_timestamps: with start, end and probability of each word.
        prepend_punctuations: marks that go with the word after them, and
        append_punctuations: with the word before.
        multilingual: several languages in one recording: each window is heard in its own, and ends where
          another begins; `language`, or the one that is detected, is the first.
        vad_filter: what the speech detector finds is decoded alone.
        vad_parameters: VadOptions, or a dictionary of its fields.
        max_new_tokens: of a window; None: 224, which is the most.
        chunk_length: 30 s, the model's window; in batches less as well: no clip is longer.
        clip_timestamps: "start,end,start,end,...", or such numbers, in seconds; the detector is then not asked.
        hallucination_silence_threshold: with words: text beside a longer silence that is hardly heard is left out.
        hotwords: words that are likely, where there is no prefix.
        language_detection_threshold: a language that is surer than this is taken at once, else that of most of
        language_detection_segments: windows that hold speech.
        channels: "separate": each channel of the file is heard by itself, as one speaker, "left" and "right".
        speakers: "auto", a number, or the least and the most: speakers are told apart by their voices, and segments
          end where they change; `whisper-npu models pull speakers` fetches the networks.
        speaker_names: by "left" and "right", or by 1, 2, ... in the order in which speakers begin.

        Returns a generator of segments, and information. Closing the generator stops the work.
        """
        arguments = self.settled({name: value for name, value in locals().items() if name != "self"})
        options = engine_options(arguments)
        vad = vad_parameters
        if vad_filter and clip_timestamps == "0":
            vad = vad_of(vad_parameters)
            options.vad = engine_vad(vad)
        else:
            set_option(options, "clip_timestamps", clips_of(clip_timestamps))
        run = Run(self._engine, audio, options, log_progress, FASTER_WHISPER_NAMES)
        return self.begun(run, word_timestamps), self.info(run, arguments, said_options(arguments), vad)

    def align(
        self,
        audio: Union[str, BinaryIO, np.ndarray],
        text: Union[str, List[str]],
        language: Optional[str] = None,
        log_progress: bool = False,
    ) -> List[Segment]:
        """Segments of a given text, with words and their times, as stable-ts names it.

        audio: as of transcribe().
        text: what is said; its lines become segments, long ones their sentences; or a list, each a segment.
        language: a code ("en"); None: it is detected.
        log_progress: as of transcribe().

        A word that was not heard has the probability 0 and no length, at the end of the word before.
        """
        segments = _engine.segments_of_text(text) if isinstance(text, str) else list(text)
        if not segments:
            raise ValueError("text: expected words, found none")
        options = _engine.TranscribeOptions()
        set_option(options, "beam_size", 1)
        set_option(options, "condition_on_previous_text", False)
        if language is not None:
            set_option(options, "language", language)
        run = Run(self._engine, audio, options, log_progress, text=segments)
        return list(self.begun(run, True))

    def detect_language(
        self,
        audio: Optional[np.ndarray] = None,
        features: Optional[np.ndarray] = None,
        vad_filter: bool = False,
        vad_parameters: Optional[Union[dict, VadOptions]] = None,
        language_detection_segments: int = 1,
        language_detection_threshold: float = 0.5,
    ) -> Tuple[str, float, List[Tuple[str, float]]]:
        """The language of the first windows, its probability, and the probabilities of all.

        audio: as of transcribe().
        features: refused: the engine makes them itself.
        vad_filter, vad_parameters, language_detection_segments, language_detection_threshold: as of transcribe().
        """
        refuse_unless(features is None, "features", "audio: the engine makes the log-mel itself", "features")
        if audio is None:
            raise ValueError("audio: expected samples, found none")
        if not self._engine.is_multilingual:
            raise UnsupportedError("detect_language: expected a multilingual model, found one of English alone")
        options = _engine.TranscribeOptions()
        set_option(options, "language_detection_segments", language_detection_segments)
        set_option(options, "language_detection_threshold", language_detection_threshold)
        if vad_filter:
            options.vad = engine_vad(vad_of(vad_parameters))
        run = Run(self._engine, audio, options)
        run.close()
        found = run.beginning.language_probs
        return run.beginning.language, found[0][1], list(found)

    def settled(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        """With what a model of English alone makes of some."""
        if self._engine.is_multilingual:
            return arguments
        if arguments["multilingual"]:
            self.logger.warning("the model knows English alone: multilingual is taken as False")
        language = arguments["language"]
        if language not in (None, "en"):
            self.logger.warning("the model knows English alone: language %s is taken as en", language)
        return {**arguments, "multilingual": False, "language": "en"}

    def begun(self, run: Run, with_words: bool) -> Iterable[Segment]:
        return run.segments(lambda segment: segment_of(segment, with_words))

    def info(self, run: Run, arguments: Dict[str, Any], said: Any, vad: Any) -> TranscriptionInfo:
        beginning = run.beginning
        probabilities = list(beginning.language_probs) or None
        if probabilities:
            self.logger.info("Detected language '%s' with probability %.2f", *probabilities[0])
        duration = 0.0 if run.is_empty else beginning.duration
        return TranscriptionInfo(
            language=beginning.language,
            language_probability=probabilities[0][1] if probabilities else 1,
            duration=duration,
            duration_after_vad=min(duration, sum(end - start for start, end in beginning.clips)),
            all_language_probs=probabilities,
            transcription_options=said,
            vad_options=vad,
        )

    @property
    def device(self) -> str:
        """Where the encoder runs: "cpu", "npu:0", "sim:npu1", ..."""
        return self._engine.device

    @property
    def dims(self) -> "_engine.ModelDimensions":
        """openai-whisper's numbers of a model: n_mels, n_audio_ctx, n_vocab, ..."""
        return self._engine.dims

    @property
    def engine(self) -> "_engine.Model":
        return self._engine


def _device(device: str, index: Union[int, List[int]]) -> str:
    indexes = list(index) if isinstance(index, (list, tuple)) else [index]
    if device == "npu" and indexes != [0]:
        return ",".join(f"npu:{i}" for i in indexes)
    refuse_unless(device != "cuda", "device", "auto, cpu, npu or sim", device)
    refuse_unless(indexes == [0] or device == "npu", "device_index", f"0 with device {device}", index)
    return device


def _after_fork() -> None:
    for model in list(_models):
        model.engine.after_fork()


os.register_at_fork(after_in_child=_after_fork)
