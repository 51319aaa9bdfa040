"""onnxruntime, opened the one way it is used here: one thread, silent, on the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault

EXTRA = "install manent[dense]"


def open_session(path: Path, threads: int = 1) -> Any:
    """Return an inference session of the model in that file.

    Raises EnvironmentFault where onnxruntime is missing or cannot read the file.
    """
    try:
        import onnxruntime
    except ImportError as fault:
        raise EnvironmentFault("onnxruntime is not installed", EXTRA) from fault
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # its errors share no class of their own
        said = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise EnvironmentFault(f"{path} is no model onnxruntime can run: {said}") from fault
