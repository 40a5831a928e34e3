"""Answers to pieces of long rows, kept outside of the actor that works on them: where it is lost, whoever begins its
row anew has those pieces already. What is lost of the memory itself is done again, no more."""

from typing import Any, Dict, Tuple

Answer = Dict[str, Any]
Stretch = Tuple[float, float]  # of a row, in seconds


class PieceMemory:
    """Keeps nothing."""

    def of(self, row: str) -> Dict[Stretch, Answer]:
        return {}

    def keep(self, row: str, piece: Stretch, answer: Answer) -> None:
        pass

    def forget(self, row: str) -> None:
        pass


class Kept(PieceMemory):
    """In this process."""

    def __init__(self) -> None:
        self._rows: Dict[str, Dict[Stretch, Answer]] = {}

    def of(self, row: str) -> Dict[Stretch, Answer]:
        return self._rows.get(row, {})

    def keep(self, row: str, piece: Stretch, answer: Answer) -> None:
        self._rows.setdefault(row, {})[piece] = answer

    def forget(self, row: str) -> None:
        self._rows.pop(row, None)


class RayMemory(PieceMemory):
    """In an actor of Ray on the driver's machine, which takes no CPU for itself."""

    _PATIENCE_S = 30.0

    def __init__(self) -> None:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        self._actor = ray.remote(num_cpus=0, max_restarts=-1, scheduling_strategy=here)(Kept).remote()

    def of(self, row: str) -> Dict[Stretch, Answer]:
        import ray

        try:
            return ray.get(self._actor.of.remote(row), timeout=self._PATIENCE_S)
        except ray.exceptions.RayError:
            return {}

    def keep(self, row: str, piece: Stretch, answer: Answer) -> None:
        self._actor.keep.remote(row, piece, answer)

    def forget(self, row: str) -> None:
        self._actor.forget.remote(row)
