"""onnxruntime, opened the one way it is used here: one thread, silent, on the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault

EXTRA = "install manent[dense]"


def open_session(model: Path | bytes, as_written: bool = False) -> Any:
    """Return an inference session of the model in that file, or of these bytes.

    as_written: its nodes are not to be fused. Raises EnvironmentFault where onnxruntime
    is missing or cannot read the file.
    """
    try:
        import onnxruntime
    except ImportError as fault:
        raise EnvironmentFault("onnxruntime is not installed", EXTRA) from fault
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if as_written:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        given = model if isinstance(model, bytes) else str(model)
        return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # its errors share no class of their own
        said = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise EnvironmentFault(
            f"{_named(model)} is no model onnxruntime can run: {said}"
        ) from fault


def _named(model: Path | bytes) -> str:
    return "what was given" if isinstance(model, bytes) else str(model)
