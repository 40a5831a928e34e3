#!/bin/bash
# lab_env.sh [--have]: sets up what npu/lab's scripts need; prints its python (venv.sh).
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"

make_venv "$@" lab "0.3 GB" optuna==5.0.0 scikit-learn==1.9.1 numpy==2.4.6
