"""Where models are: folders, names in the cache folder of whisper-npu, and the Hugging Face Hub."""

import os
import shutil
from typing import List, Optional, Union

from whisper_npu.errors import ModelError, UnsupportedError

# Names and where faster-whisper has the converted models for them.
_SYSTRAN = ["tiny.en", "tiny", "base.en", "base", "small.en", "small", "medium.en", "medium",
            "large-v1", "large-v2", "large-v3"]
_REPOSITORIES = {
    **{name: f"Systran/faster-whisper-{name}" for name in _SYSTRAN},
    "large": "Systran/faster-whisper-large-v3",
    **{f"distil-{name}": f"Systran/faster-distil-whisper-{name}"
       for name in ["large-v2", "medium.en", "small.en", "large-v3"]},
    "distil-large-v3.5": "distil-whisper/distil-large-v3.5-ct2",
    "large-v3-turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
    "turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
}
_FILES = ["config.json", "preprocessor_config.json", "model.bin", "tokenizer.json", "vocabulary.*"]


def available_models() -> List[str]:
    """The names that `WhisperModel` and `download_model` take."""
    return list(_REPOSITORIES)


def cache_folder() -> str:
    """Where the program whisper-npu looks for models by their names."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "whisper-npu")


def _in_cache(name: str, folder: Optional[str] = None) -> Optional[str]:
    path = os.path.join(folder or cache_folder(), name)
    return path if "/" not in name and os.path.isfile(os.path.join(path, "model.bin")) else None


def find_model(name_or_path: str, folder: Optional[str] = None, local_files_only: bool = False,
               revision: Optional[str] = None, token: Optional[Union[str, bool]] = None) -> str:
    """What the engine is to load: a path that is there, a name in a folder of models, a download."""
    if os.path.exists(name_or_path):
        return name_or_path
    # Who asks for a revision wants that one, not whatever lies in the folder.
    found = None if revision else _in_cache(name_or_path, folder) or _in_cache(name_or_path)
    if found:
        return found
    if name_or_path not in _REPOSITORIES and name_or_path.count("/") != 1:
        if os.path.dirname(name_or_path):
            raise ModelError(f"{name_or_path}: expected a model, found no such path", path=name_or_path)
        # The engine knows other formats in its folder, and says what is there.
        return name_or_path
    return _snapshot(name_or_path, None, local_files_only, folder, revision, token)


def download_model(
    size_or_id: str,
    output_dir: Optional[str] = None,
    local_files_only: bool = False,
    cache_dir: Optional[str] = None,
    revision: Optional[str] = None,
    use_auth_token: Optional[Union[str, bool]] = None,
) -> str:
    """The path of a model by its name (`available_models()`) or its id on the Hugging Face Hub.

    What lies in the cache folder of whisper-npu by that name is taken (copied, where `output_dir`
    or `cache_dir` is given); anything else comes from the Hub through the package huggingface_hub,
    which has to be installed for it (`pip install whisper-npu[hub]`). A name that is none raises
    ValueError, as faster-whisper does.
    """
    if "/" not in size_or_id and size_or_id not in _REPOSITORIES:
        names = ", ".join(_REPOSITORIES)
        raise ValueError(f"model: expected one of {names}, found {size_or_id}")
    here = None if revision else _in_cache(size_or_id)
    if here is None:
        return _snapshot(size_or_id, output_dir, local_files_only, cache_dir, revision, use_auth_token)
    target = output_dir or (os.path.join(cache_dir, size_or_id) if cache_dir else None)
    if target is None:
        return here
    shutil.copytree(here, target, dirs_exist_ok=True)
    return target


def _snapshot(size_or_id: str, output_dir: Optional[str], local_files_only: bool, cache_dir: Optional[str],
              revision: Optional[str], token: Optional[Union[str, bool]]) -> str:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise UnsupportedError(
            f"{size_or_id}: expected a folder, or a model in {cache_folder()}, found neither; "
            "huggingface_hub, which would fetch it, is not installed (pip install whisper-npu[hub])",
            path=size_or_id) from error
    wanted = {"local_dir": output_dir, "cache_dir": cache_dir, "token": token}
    given = {name: value for name, value in wanted.items() if value is not None}
    repository = _REPOSITORIES.get(size_or_id, size_or_id)
    try:
        return snapshot_download(repository, revision=revision, local_files_only=local_files_only,
                                 allow_patterns=_FILES, **given)
    except Exception as error:  # one class a cause, of huggingface_hub and of what it stands on
        raise ModelError(f"{size_or_id}: expected the model {repository} of the Hugging Face Hub, found "
                         f"{type(error).__name__}: {error}", path=size_or_id) from error
