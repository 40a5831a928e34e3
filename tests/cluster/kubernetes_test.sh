#!/bin/bash
# kubernetes_test.sh SOURCE: app/cluster/kubernetes_job.yaml by Kubernetes' own schemas, and by the rules of its API that
# schemas do not have.
set -euo pipefail
source=$1
if ! python=$(bash "$source/tests/cluster/kubernetes_env.sh" --have); then
  echo "SKIP: no kubernetes-validate (tests/cluster/kubernetes_env.sh installs it)"
  exit 77
fi
"$python" - "$source/app/cluster/kubernetes_job.yaml" <<'PYTHON'
import copy
import sys

import kubernetes_validate
import yaml

job = yaml.safe_load(open(sys.argv[1]))
for version in ("1.29", "1.33", "1.37"):
    kubernetes_validate.validate(job, version, strict=True)
for path, value in ((("spec", "completionMode"), 3), (("spec", "podFailurePolicy", "rules", 1, "action"), None),
                    (("spec", "template", "spec", "containers", 0, "volumeMounts", 0, "path"), "/models")):
    broken = copy.deepcopy(job)
    place = broken
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    try:
        kubernetes_validate.validate(broken, "1.33", strict=True)
    except kubernetes_validate.ValidationError:
        continue
    sys.exit(f"a wrong {path} is not noticed")

# kubernetes/pkg/apis/batch/validation: what the server refuses beside that.
spec = job["spec"]
pod = spec["template"]["spec"]
container, = pod["containers"]
assert spec["completionMode"] == "Indexed" and pod["restartPolicy"] == "Never"
assert spec["parallelism"] <= spec["completions"]
for rule in spec["podFailurePolicy"]["rules"]:
    codes = rule.get("onExitCodes")
    assert bool(codes) != bool(rule.get("onPodConditions")), rule
    assert rule["action"] in ("FailJob", "FailIndex", "Ignore", "Count"), rule
    if codes:
        assert codes["containerName"] == container["name"], rule
        assert codes["operator"] == "In" and 0 not in codes["values"], rule
        assert codes["values"] == sorted(set(codes["values"])), rule
assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
# And what only we know.
environment = {each["name"]: each["value"] for each in container["env"]}
assert environment["WHISPER_NPU_SHARDS"] == str(spec["completions"])
assert f"--threads={container['resources']['limits']['cpu']}" in container["args"]
assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] > 0
assert container["securityContext"]["readOnlyRootFilesystem"]
print(f"kubernetes: {sys.argv[1]} is valid for 1.29 to 1.37")
PYTHON
