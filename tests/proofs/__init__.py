"""Coq proofs: `make proofs` compiles them and prints the assumptions of every theorem.

The programs are Debian's `coq` and `ocaml`, which must be installed already. Everything is compiled
in a separate folder, so that no files are left beside the sources.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
FILES = ("deals", "question", "circulation", "existence", "waiting", "brisk")
"""The files with theorems; each may use earlier ones."""

PACKAGES = {"coqc": "coq", "ocamlopt": "ocaml"}
"""The Debian package of each program."""

CLOSED = "Closed under the global context"
"""The text that Coq prints for a theorem without axioms and without admitted lemmas."""


def missing() -> list[str]:
    """Return the packages that have to be installed first."""
    return sorted({package for tool, package in PACKAGES.items() if shutil.which(tool) is None})


def run(folder: Path, *command: str, text: str | None = None) -> str:
    """Run a program in a folder; return its output, or raise an error that contains it."""
    ended = subprocess.run(
        command, cwd=folder, input=text or "", capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def compile_proof(folder: Path, name: str, source: str | None = None) -> str:
    """Compile a file of this folder, or `source` under its name; return what Coq prints."""
    path = folder / f"{name}.v"
    path.write_text(source or (FOLDER / path.name).read_text("utf-8"), "utf-8")
    return run(folder, "coqc", "-q", "-R", ".", "Quaternity", path.name)


def assumptions(folder: Path, name: str) -> dict[str, str]:
    """Return what Coq prints as assumptions of each theorem of a compiled file, and of all."""
    source = (folder / f"{name}.v").read_text("utf-8")
    lines = ["From Coq Require Import String.", f"From Quaternity Require {name}."]
    lines += [f"Definition everything := ({', '.join(f'@{name}.{x}' for x in theorems(source))})."]
    statements = {theorem: f"{name}.{theorem}" for theorem in theorems(source, "Theorem")}
    statements["everything"] = "everything"
    lines += [f'Eval cbv in "--"%string. Print Assumptions {x}.' for x in statements.values()]
    printed = compile_proof(folder, f"assumptions_of_{name}", "\n".join(lines))
    parts = re.split(r'^ *= "--"%string\n *: string\n', printed, flags=re.MULTILINE)[1:]
    return dict(zip(statements, map(str.strip, parts), strict=True))


def theorems(source: str, words: str = "Theorem|Lemma") -> list[str]:
    """Return the names of the theorems and lemmas of a file."""
    return re.findall(rf"^ *(?:{words}) (\w+)", source, re.MULTILINE)


def compile_checker(folder: Path) -> str:
    """Compile the extracted checker with OCaml; return the path of the program."""
    for name in ("deals", "question", "extract"):
        compile_proof(folder, name)
    (folder / "main.ml").write_bytes((FOLDER / "main.ml").read_bytes())
    run(folder, "ocamlopt", "-o", "checker", "checker.mli", "checker.ml", "main.ml")
    return str(folder / "checker")
