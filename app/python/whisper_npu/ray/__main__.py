"""python -m whisper_npu.ray IN OUT: a manifest's recordings on a Ray cluster, results as files of a folder."""

import sys

from whisper_npu.ray.command import main

sys.exit(main())
