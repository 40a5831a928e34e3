"""How many actors a cluster can have."""

from typing import List, Optional

from whisper_npu.errors import ResourceError
from whisper_npu.worker_settings import refuse_unless


def actors_for(node_cpus: List[float], threads: int, wanted: Optional[int] = None) -> int:
    """All that fit, or what was wanted. Refuses what would never start, or would leave no CPU for anything else.

    Ray waits for ever for an actor that no node has room for, and what else is to be done, a start from a
    checkpoint for example, waits behind actors that have every CPU.
    """
    fit = sum(int(cpus // threads) for cpus in node_cpus)
    have = f"{sum(node_cpus):g} CPUs on {len(node_cpus)} nodes"
    if fit < 1:
        raise ResourceError(f"threads: expected a node with {threads} CPUs for Ray, found {have}", option="threads")
    if wanted is not None:
        refuse_unless(isinstance(wanted, int) and wanted >= 1, "actors", "a number from 1", wanted)
        if wanted > fit:
            raise ResourceError(f"actors: expected at most {fit} of {threads} CPUs each, found {wanted} for {have}",
                                option="actors")
    actors = fit if wanted is None else wanted
    if wanted is None and actors * threads > sum(node_cpus) - 1:
        actors -= 1
    if actors < 1 or actors * threads > sum(node_cpus) - 1:
        raise ResourceError(f"actors: expected to leave a CPU for what else Ray has to do, found {max(actors, 1)} of "
                            f"{threads} CPUs each for {have}: fewer threads, fewer actors or another node",
                            option="actors")
    return actors


def node_cpus() -> List[float]:
    """Of the nodes that are alive now."""
    import ray

    return [float(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
