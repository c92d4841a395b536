(* The checking program of deals.v and the step of question.v as OCaml, number by number as they were
   proved: no integer of the machine stands in for one of Coq's.
   checker.ml and checker.mli are written to the folder in which this is compiled.
   main.ml feeds the programs, and prints what they answer. *)

From Coq Require Import ZArith Extraction ExtrOcamlBasic.
From Quaternity Require Import deals question.

Extraction "checker.ml" verify after Z.add Z.mul Z.opp.
