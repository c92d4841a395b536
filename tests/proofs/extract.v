(* Extraction of the checking program of deals.v and of the step of question.v to OCaml. The numbers
   are those of the proofs: Coq's integers are not replaced by machine integers.
   checker.ml and checker.mli are written to the folder in which this file is compiled.
   main.ml passes input to the programs and prints their answers. *)

From Coq Require Import ZArith Extraction ExtrOcamlBasic.
From Quaternity Require Import deals question.

Extraction "checker.ml" verify after Z.add Z.mul Z.opp.
