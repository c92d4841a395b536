(* The checking program of deals.v as OCaml, number by number as it was proved: no integer of the
   machine stands in for one of Coq's.
   checker.ml and checker.mli are written to the folder in which this is compiled.
   main.ml feeds the program; it reads problems and evidence, and prints what it is told. *)

From Coq Require Import ZArith Extraction ExtrOcamlBasic.
From Quaternity Require Import deals.

Extraction "checker.ml" verify Z.add Z.mul Z.opp.
