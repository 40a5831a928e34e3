"""python -m whisper_npu: the command line program."""

from whisper_npu.program import main

main()
