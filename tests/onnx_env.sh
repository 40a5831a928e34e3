#!/bin/bash
# onnx_env.sh [--have]: sets up what checks our ONNX graphs, onnx and its run time; prints its python (venv.sh).
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"

make_venv "$@" onnx "0.3 GB" onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
