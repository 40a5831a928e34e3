#!/bin/bash
# ort_env.sh [--have]: sets up ONNX Runtime with OpenVINO in it, which runs on any CPU, for the test of
# --device ort:openvino; prints its python (venv.sh).
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"

make_venv "$@" onnxruntime-openvino "0.3 GB" onnxruntime-openvino==1.24.1
