#!/bin/bash
# kubernetes_env.sh [--have]: sets up what checks app/cluster/kubernetes_job.yaml, Kubernetes' JSON schemas and what
# reads YAML; prints its python (venv.sh).
source "$(dirname "${BASH_SOURCE[0]}")/../venv.sh"

make_venv "$@" kubernetes "0.1 GB" kubernetes-validate==1.37.0
