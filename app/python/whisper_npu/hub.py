"""Where models are: paths, names, and ids of the Hugging Face Hub."""

import os
import shutil
from typing import List, Optional, Union

from whisper_npu import _engine
from whisper_npu.errors import ModelError, UnsupportedError

# faster-whisper's, in its order; the engine knows more of each.
_NAMES = ["tiny.en", "tiny", "base.en", "base", "small.en", "small", "medium.en", "medium", "large-v1", "large-v2",
          "large-v3", "large", "distil-large-v2", "distil-medium.en", "distil-small.en", "distil-large-v3",
          "distil-large-v3.5", "large-v3-turbo", "turbo"]
_FILES = ["config.json", "preprocessor_config.json", "model.bin", "tokenizer.json", "vocabulary.*"]


def available_models() -> List[str]:
    """The names that `WhisperModel` and `download_model` take."""
    return list(_NAMES)


def find_model(name_or_path: str, folder: Optional[str] = None, local_files_only: bool = False,
               revision: Optional[str] = None, token: Optional[Union[str, bool]] = None) -> str:
    """What the engine is to load: by the rules of the program's --model, but that nobody is asked before a download.

    huggingface_hub serves who wants a revision, or an id that the program does not know.
    """
    if not os.path.exists(name_or_path) and (revision or _is_unknown_id(name_or_path)):
        return _snapshot(name_or_path, None, local_files_only, folder, revision, token)
    if "/" not in name_or_path and _engine.hub_repository(name_or_path) is None:
        return name_or_path  # of its user's own making, where the engine looks
    return _engine.ready_model(name_or_path, folder or "", local_files_only)


def _is_unknown_id(name: str) -> bool:
    is_id = name.count("/") == 1 and not name.startswith((".", "/", "~"))
    return is_id and _engine.hub_repository(name) is None


def download_model(
    size_or_id: str,
    output_dir: Optional[str] = None,
    local_files_only: bool = False,
    cache_dir: Optional[str] = None,
    revision: Optional[str] = None,
    use_auth_token: Optional[Union[str, bool]] = None,
) -> str:
    """The path of a model, which is downloaded where it is not there.

    size_or_id: a name (`available_models()`), or the model's id on the Hugging Face Hub. A name that is none raises
      ValueError, as faster-whisper does.
    output_dir: a folder that the model is copied into.
    local_files_only: nothing is downloaded: ModelError where the model is not there.
    cache_dir: the folder of models; None: the program's, ~/.cache/whisper-npu.
    revision: a commit or branch of the Hub's, and
    use_auth_token: the Hub's token: by the package huggingface_hub, which has to be installed for these, and for ids
      that `whisper-npu models list` does not have (`pip install whisper-npu[hub]`).
    """
    if "/" not in size_or_id and size_or_id not in _NAMES:
        raise ValueError(f"model: expected one of {', '.join(_NAMES)}, found {size_or_id}")
    if revision or _is_unknown_id(size_or_id):
        return _snapshot(size_or_id, output_dir, local_files_only, cache_dir, revision, use_auth_token)
    here = _engine.ready_model(size_or_id, cache_dir or "", local_files_only)
    if output_dir is None:
        return here
    if os.path.isdir(here):
        return shutil.copytree(here, output_dir, dirs_exist_ok=True)
    os.makedirs(output_dir, exist_ok=True)
    return shutil.copy2(here, output_dir)


def _snapshot(size_or_id: str, output_dir: Optional[str], local_files_only: bool, cache_dir: Optional[str],
              revision: Optional[str], token: Optional[Union[str, bool]]) -> str:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise UnsupportedError(
            f"{size_or_id}: expected a path, or a name without a revision, found {revision or 'neither'}; "
            "huggingface_hub, which would fetch it, is not installed (pip install whisper-npu[hub])",
            path=size_or_id) from error
    wanted = {"local_dir": output_dir, "cache_dir": cache_dir, "token": token}
    given = {name: value for name, value in wanted.items() if value is not None}
    repository = _engine.hub_repository(size_or_id) or size_or_id
    try:
        return snapshot_download(repository, revision=revision, local_files_only=local_files_only,
                                 allow_patterns=_FILES, **given)
    except Exception as error:  # one class a cause, of huggingface_hub and of what it stands on
        raise ModelError(f"{size_or_id}: expected the model {repository} of the Hugging Face Hub, found "
                         f"{type(error).__name__}: {error}", path=size_or_id) from error
