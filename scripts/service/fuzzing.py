"""Runs schemathesis against the OpenAPI document of the service, for two minutes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from service.program import DOCUMENTS, serve

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def main(program: str, schemathesis: str, seconds: int = 120) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = serve(program, folder, DOCUMENTS, "--requests-per-minute", "0")
        # A page that follows a search never ends, and a backup isn't JSON.
        command = [
            str(Path(schemathesis).absolute()), "run", service.url + "/api/openapi.json", "--checks", CHECKS, "--phases", "examples,fuzzing",
            "--max-examples", "100000", "--max-time", str(seconds), "--exclude-path-regex", "live|backup", "--suppress-health-check", "all",
            "--no-color",
        ]
        code = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": ""}).returncode
        assert service.process.poll() is None, (folder / "service.log").read_text()
        service.stop()
        sys.exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:3])
