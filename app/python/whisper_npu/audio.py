"""Sound as the model hears it: any file to samples, by PyAV, which brings FFmpeg."""

import os
from typing import Any, BinaryIO, Iterator, List, Tuple, Union

import numpy as np

from whisper_npu.errors import AudioError, AudioNotFoundError

SAMPLE_RATE = 16000


def name_of(audio: Any) -> str:
    """For messages: the path, if there is one."""
    if isinstance(audio, (str, os.PathLike)):
        return os.fsdecode(audio)
    name = getattr(audio, "name", None)
    return name if isinstance(name, str) else "memory"


def decode_audio(
    input_file: Union[str, BinaryIO],
    sampling_rate: int = SAMPLE_RATE,
    split_stereo: bool = False,
) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
    """The samples of a file as float32 in steps of 16 bits, mono, or left and right.

    At 16 kHz mono they are those that `transcribe()` hears of the file, bit for bit.

    input_file: a path, or a binary file.
    sampling_rate: samples a second.
    split_stereo: left and right apart.
    """
    samples = decode_int16(input_file, sampling_rate, "stereo" if split_stereo else "mono")
    floats = samples.astype(np.float32) / 32768
    return (floats[0::2], floats[1::2]) if split_stereo else floats


def decode_int16(input_file: Any, sampling_rate: int = SAMPLE_RATE, layout: str = "mono") -> np.ndarray:
    """The samples of a path, of a file that is open or of its bytes; channels side by side."""
    import io

    import av

    name = name_of(input_file)
    source = input_file
    if isinstance(source, bytes):
        source = io.BytesIO(source)
    elif isinstance(source, os.PathLike):
        source = os.fspath(source)
    try:
        with av.open(source, mode="r", metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise AudioError(f"{name}: expected audio, found none in {container.format.name}", path=name)
            parts = list(_resampled(container, sampling_rate, layout))
    except FileNotFoundError as error:
        raise AudioNotFoundError(f"{name}: expected a recording, found no such file", path=name) from error
    except av.error.FFmpegError as error:
        raise AudioError(f"{name}: expected audio, found what FFmpeg cannot read: {error}", path=name) from error
    return np.concatenate(parts) if parts else np.zeros(0, np.int16)


def _resampled(container: Any, sampling_rate: int, layout: str) -> Iterator[np.ndarray]:
    """Where a stream changes its rate or channels the filter begins anew, as ffmpeg's does."""
    import av

    resampler = None
    shape: Tuple[Any, ...] = ()
    for frame in _frames(container):
        frame.pts = None
        found = (frame.format.name, frame.layout.name, frame.sample_rate)
        if found != shape:
            if resampler is not None:
                yield from _samples(resampler.resample(None))
            resampler = av.AudioResampler(format="s16", layout=layout, rate=sampling_rate)
            shape = found
        yield from _samples(resampler.resample(frame))
    if resampler is not None:
        yield from _samples(resampler.resample(None))


def _frames(container: Any) -> Iterator[Any]:
    """Of a damaged packet nothing, and then what follows."""
    import av

    for packet in container.demux(audio=0):
        try:
            yield from packet.decode()
        except av.error.InvalidDataError:
            continue


def _samples(frames: List[Any]) -> Iterator[np.ndarray]:
    for frame in frames:
        yield frame.to_ndarray().reshape(-1)
