(* A shortage that adds up excludes every deal, and a deal that passes the check fits.
   [holds] and [verify] are programs that check such evidence; this file proves that they never
   accept evidence for a false verdict.
   `make proofs` extracts the same programs to OCaml and compares them with the project's own check. *)

From Coq Require Import ZArith List Bool Lia FinFun.
Import ListNotations.
Open Scope Z_scope.

(** ** The deal problem *)

(* A player is a number 0, 1, 2 ...; a set of players is a number too, with bit p set for player p.
   [owners] has, for each card, the set of the players who may own it; [low] and [high] have, for
   each player, the minimum and the maximum number of cards of the set in that player's hand. *)
Record card_set := { owners : list Z; low : list Z; high : list Z }.
Record problem := { hands : list Z; sets : list card_set }.

(* The entry of player p. *)
Definition at_ (row : list Z) (p : Z) : Z := nth (Z.to_nat p) row 0.

Fixpoint total {A : Type} (amount : A -> Z) (items : list A) : Z :=
  match items with
  | [] => 0
  | item :: rest => amount item + total amount rest
  end.

Definition players (pr : problem) : list Z := map Z.of_nat (seq 0 (length (hands pr))).
Definition cards (pr : problem) : Z := total (fun s => Z.of_nat (length (owners s))) (sets pr).

(* A deal has a row for each set: the holder of each card. *)
Definition deal := list (list Z).
Definition count (p : Z) (row : list Z) : Z := total (fun holder => if holder =? p then 1 else 0) row.

Definition row_fits (everybody : list Z) (s : card_set) (row : list Z) : Prop :=
  Forall2 (fun mask holder => In holder everybody /\ Z.testbit mask holder = true) (owners s) row /\
  forall p, In p everybody -> at_ (low s) p <= count p row <= at_ (high s) p.

Definition fits (pr : problem) (d : deal) : Prop :=
  Forall2 (row_fits (players pr)) (sets pr) d /\
  forall p, In p (players pr) -> total (count p) d = at_ (hands pr) p.

(** ** The evidence, and the programs that check it *)

Inductive certificate :=
| TooFewPlaces
| CrossedBounds (player set_index : Z)
| CrowdedHand (player : Z)
| Shortage (coalition : Z) (witnesses : list Z).

Inductive verdict :=
| Feasible (d : deal)
| Infeasible (shortage : option certificate).

Definition is_player (pr : problem) (p : Z) : bool :=
  (0 <=? p) && (p <? Z.of_nat (length (hands pr))).

Definition is_coalition (pr : problem) (mask : Z) : bool :=
  (0 <=? mask) && (mask <? 2 ^ Z.of_nat (length (hands pr))).

Fixpoint both {A B : Type} (test : A -> B -> bool) (xs : list A) (ys : list B) : bool :=
  match xs, ys with
  | [], [] => true
  | x :: xs', y :: ys' => test x y && both test xs' ys'
  | _, _ => false
  end.

Definition row_fits_b (pr : problem) (s : card_set) (row : list Z) : bool :=
  both (fun mask holder => is_player pr holder && Z.testbit mask holder) (owners s) row &&
  forallb (fun p => (at_ (low s) p <=? count p row) && (count p row <=? at_ (high s) p)) (players pr).

Definition fits_b (pr : problem) (d : deal) : bool :=
  both (row_fits_b pr) (sets pr) d &&
  forallb (fun p => total (count p) d =? at_ (hands pr) p) (players pr).

Definition amount_if (condition : bool) (amount : Z) : Z := if condition then amount else 0.

(* The maximum number of cards of one set in the coalition, by the inequality of the witness: the
   cards that a player of the witness may own, plus the maximums of the coalition's players outside
   the witness, minus the minimums of the witness's players outside the coalition. *)
Definition most_cards (everybody : list Z) (coalition : Z) (s : card_set) (witness : Z) : Z :=
  total (fun mask => amount_if (negb (Z.land mask witness =? 0)) 1) (owners s) +
  total (fun p => amount_if (Z.testbit coalition p && negb (Z.testbit witness p)) (at_ (high s) p)
                - amount_if (Z.testbit witness p && negb (Z.testbit coalition p)) (at_ (low s) p))
        everybody.

Fixpoint bounds (everybody : list Z) (coalition : Z) (ss : list card_set) (witnesses : list Z) : Z :=
  match ss, witnesses with
  | s :: ss', witness :: rest =>
      most_cards everybody coalition s witness + bounds everybody coalition ss' rest
  | _, _ => 0
  end.

Definition must_hold (pr : problem) (coalition : Z) : Z :=
  total (fun p => amount_if (Z.testbit coalition p) (at_ (hands pr) p)) (players pr).

Definition holds (pr : problem) (c : certificate) : bool :=
  match c with
  | TooFewPlaces => total (at_ (hands pr)) (players pr) <? cards pr
  | CrossedBounds p index =>
      is_player pr p && (0 <=? index) && (index <? Z.of_nat (length (sets pr))) &&
      match nth_error (sets pr) (Z.to_nat index) with
      | Some s => at_ (high s) p <? at_ (low s) p
      | None => false
      end
  | CrowdedHand p =>
      is_player pr p && (at_ (hands pr) p <? total (fun s => at_ (low s) p) (sets pr))
  | Shortage coalition witnesses =>
      Nat.eqb (length witnesses) (length (sets pr)) &&
      is_coalition pr coalition && forallb (is_coalition pr) witnesses &&
      (bounds (players pr) coalition (sets pr) witnesses <? must_hold pr coalition)
  end.

Definition verify (pr : problem) (v : verdict) : bool :=
  match v with
  | Feasible d => fits_b pr d
  | Infeasible (Some c) => holds pr c
  | Infeasible None => false
  end.

(** ** Sums *)

Lemma total_le {A} (f g : A -> Z) l : (forall x, In x l -> f x <= g x) -> total f l <= total g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lia|].
  specialize (IH (fun x i => H x (or_intror i))). specialize (H a (or_introl eq_refl)). lia.
Qed.

Lemma total_ext {A} (f g : A -> Z) l : (forall x, In x l -> f x = g x) -> total f l = total g l.
Proof.
  intros H. apply Z.le_antisymm; apply total_le; intros x i; rewrite (H x i); lia.
Qed.

Lemma total_add {A} (f g : A -> Z) l : total (fun x => f x + g x) l = total f l + total g l.
Proof. induction l; simpl; lia. Qed.

Lemma total_zero {A} (l : list A) : total (fun _ => 0) l = 0.
Proof. induction l; simpl; lia. Qed.

Lemma total_swap {A B} (f : A -> B -> Z) xs ys :
  total (fun x => total (f x) ys) xs = total (fun y => total (fun x => f x y) xs) ys.
Proof.
  induction xs as [|x xs IH]; simpl; [symmetry; apply total_zero|].
  rewrite IH. symmetry. apply total_add.
Qed.

Lemma total_nonneg {A} (f : A -> Z) l : (forall x, In x l -> 0 <= f x) -> 0 <= total f l.
Proof. intros H. rewrite <- (total_zero l). now apply total_le. Qed.

(* Exactly one entry of a list without repetitions is p. *)
Lemma total_single (f : Z -> Z) l p :
  NoDup l -> In p l -> total (fun x => if p =? x then f x else 0) l = f p.
Proof.
  induction l as [|a l IH]; simpl; intros D I; [easy|].
  inversion D as [|? ? N D']; subst.
  destruct (Z.eqb_spec p a) as [->|E].
  - rewrite (total_ext _ (fun _ => 0)); [rewrite total_zero; lia|].
    intros x i. destruct (Z.eqb_spec a x); subst; easy.
  - destruct I; [congruence|]. rewrite IH; auto.
Qed.

(** ** The checking programs are correct *)

Lemma in_players pr p : In p (players pr) <-> 0 <= p < Z.of_nat (length (hands pr)).
Proof.
  unfold players. rewrite in_map_iff. split.
  - intros (n & <- & H). apply in_seq in H. lia.
  - intros H. exists (Z.to_nat p). split; [lia|]. apply in_seq. lia.
Qed.

Lemma is_player_spec pr p : is_player pr p = true <-> In p (players pr).
Proof. unfold is_player. rewrite in_players, andb_true_iff, Z.leb_le, Z.ltb_lt. easy. Qed.

Lemma players_once pr : NoDup (players pr).
Proof.
  unfold players. apply FinFun.Injective_map_NoDup; [|apply seq_NoDup].
  intros x y H. lia.
Qed.

Lemma both_spec {A B} (test : A -> B -> bool) (P : A -> B -> Prop) :
  (forall x y, test x y = true <-> P x y) ->
  forall xs ys, both test xs ys = true <-> Forall2 P xs ys.
Proof.
  intros E. induction xs as [|x xs IH]; destruct ys as [|y ys]; simpl.
  - split; [constructor|easy].
  - split; [easy|intros H; inversion H].
  - split; [easy|intros H; inversion H].
  - rewrite andb_true_iff, E, IH. split.
    + intros []. now constructor.
    + intros H. now inversion H.
Qed.

Lemma row_fits_spec pr s row : row_fits_b pr s row = true <-> row_fits (players pr) s row.
Proof.
  unfold row_fits_b, row_fits. rewrite andb_true_iff, forallb_forall.
  rewrite (both_spec _ (fun mask holder => In holder (players pr) /\ Z.testbit mask holder = true)).
  - split; intros [H K]; split; auto; intros p i; specialize (K p i).
    + rewrite andb_true_iff, !Z.leb_le in K. lia.
    + rewrite andb_true_iff, !Z.leb_le. lia.
  - intros. rewrite andb_true_iff, is_player_spec. easy.
Qed.

(* A deal is accepted if and only if it fits. *)
Theorem a_deal_is_accepted_exactly_if_it_fits pr d : fits_b pr d = true <-> fits pr d.
Proof.
  unfold fits_b, fits.
  rewrite andb_true_iff, forallb_forall, (both_spec _ _ (row_fits_spec pr)).
  split; intros [H K]; split; auto; intros p i; specialize (K p i); now apply Z.eqb_eq.
Qed.

(** ** A shortage that adds up excludes every deal *)

Lemma count_nonneg p row : 0 <= count p row.
Proof. apply total_nonneg. intros x _. destruct (x =? p); lia. Qed.

Lemma count_cons p holder row : count p (holder :: row) = (if holder =? p then 1 else 0) + count p row.
Proof. reflexivity. Qed.

(* The cards that the players of a witness hold are cards that they may own. *)
Lemma witness_holds_what_it_may_own everybody witness masks row :
  NoDup everybody ->
  Forall2 (fun mask holder => In holder everybody /\ Z.testbit mask holder = true) masks row ->
  total (fun p => amount_if (Z.testbit witness p) (count p row)) everybody
  <= total (fun mask => amount_if (negb (Z.land mask witness =? 0)) 1) masks.
Proof.
  intros D H. induction H as [|mask holder masks row [I M] _ IH]; simpl.
  - rewrite (total_ext _ (fun _ => 0)); [rewrite total_zero; lia|].
    intros p _. unfold amount_if, count. simpl. now destruct (Z.testbit witness p).
  - rewrite (total_ext _ (fun p => (if holder =? p then amount_if (Z.testbit witness p) 1 else 0)
                              + amount_if (Z.testbit witness p) (count p row))).
    2: { intros p _. rewrite count_cons. unfold amount_if.
         destruct (Z.testbit witness p), (holder =? p); lia. }
    rewrite total_add, (total_single (fun p => amount_if (Z.testbit witness p) 1)); auto.
    enough (amount_if (Z.testbit witness holder) 1
            <= amount_if (negb (Z.land mask witness =? 0)) 1) by lia.
    unfold amount_if. destruct (Z.testbit witness holder) eqn:W.
    + destruct (Z.eqb_spec (Z.land mask witness) 0) as [E|E]; simpl; [|lia].
      pose proof (Z.land_spec mask witness holder) as L.
      rewrite E, M, W, Z.testbit_0_l in L. discriminate.
    + destruct (negb _); lia.
Qed.

(* Whatever the witness is, the coalition holds no more cards of one set than the inequality says. *)
Theorem most_cards_is_enough everybody coalition s witness row :
  NoDup everybody -> row_fits everybody s row ->
  total (fun p => amount_if (Z.testbit coalition p) (count p row)) everybody
  <= most_cards everybody coalition s witness.
Proof.
  intros D [O B]. unfold most_cards.
  pose proof (witness_holds_what_it_may_own everybody witness _ _ D O) as W.
  enough (total (fun p => amount_if (Z.testbit coalition p) (count p row)) everybody
    <= total (fun p => amount_if (Z.testbit witness p) (count p row) +
        (amount_if (Z.testbit coalition p && negb (Z.testbit witness p)) (at_ (high s) p)
       - amount_if (Z.testbit witness p && negb (Z.testbit coalition p)) (at_ (low s) p))) everybody)
    as E by (rewrite total_add in E; lia).
  apply total_le. intros p i. specialize (B p i). unfold amount_if.
  destruct (Z.testbit coalition p), (Z.testbit witness p); simpl; lia.
Qed.

Lemma coalition_holds_at_most_the_bounds everybody coalition ss d :
  NoDup everybody -> Forall2 (row_fits everybody) ss d ->
  forall witnesses, length witnesses = length ss ->
  total (fun p => amount_if (Z.testbit coalition p) (total (count p) d)) everybody
  <= bounds everybody coalition ss witnesses.
Proof.
  intros D H. induction H as [|s row ss d R _ IH]; intros [|w ws] L; try discriminate; simpl.
  - rewrite (total_ext _ (fun _ => 0)); [rewrite total_zero; lia|].
    intros p _. unfold amount_if. now destruct (Z.testbit coalition p).
  - injection L as L. specialize (IH ws L).
    pose proof (most_cards_is_enough everybody coalition s w row D R) as M.
    rewrite (total_ext _ (fun p => amount_if (Z.testbit coalition p) (count p row)
                              + amount_if (Z.testbit coalition p) (total (count p) d))).
    + rewrite total_add. lia.
    + intros p _. unfold amount_if. destruct (Z.testbit coalition p); lia.
Qed.

(* Every card of a row is held by a player. *)
Lemma everybody_holds_all everybody masks row :
  NoDup everybody ->
  Forall2 (fun mask holder => In holder everybody /\ Z.testbit mask holder = true) masks row ->
  total (fun p => count p row) everybody = Z.of_nat (length masks).
Proof.
  intros D H. induction H as [|mask holder masks row [I _] _ IH].
  - apply total_zero.
  - rewrite (total_ext _ (fun p => (if holder =? p then 1 else 0) + count p row)).
    + rewrite total_add, (total_single (fun _ => 1)); auto. rewrite IH. simpl length. lia.
    + intros. apply count_cons.
Qed.

Lemma hands_hold_all_cards pr d :
  fits pr d -> total (at_ (hands pr)) (players pr) = cards pr.
Proof.
  intros [R H].
  rewrite (total_ext _ (fun p => total (count p) d)) by (intros p i; symmetry; auto).
  rewrite total_swap. unfold cards. clear H.
  induction R as [|s row ss d [O _] _ IH]; simpl; [easy|].
  rewrite IH. f_equal. eapply everybody_holds_all; eauto using players_once.
Qed.

Lemma nth_row_fits everybody ss d index s :
  Forall2 (row_fits everybody) ss d -> nth_error ss index = Some s ->
  exists row, row_fits everybody s row.
Proof.
  intros H. revert index. induction H; intros [|index] E; simpl in E; try discriminate.
  - injection E as ->. eauto.
  - eauto.
Qed.

Lemma minimums_fit pr d p :
  fits pr d -> In p (players pr) -> total (fun s => at_ (low s) p) (sets pr) <= at_ (hands pr) p.
Proof.
  intros [R H] I. rewrite <- (H p I). clear H.
  induction R as [|s row ss d [_ B] _ IH]; simpl; [lia|]. specialize (B p I). lia.
Qed.

(* The main theorem: a shortage that holds excludes every deal. *)
Theorem a_shortage_that_adds_up_excludes_every_deal pr c :
  holds pr c = true -> forall d, ~ fits pr d.
Proof.
  intros H d F. destruct c as [|p index|p|coalition witnesses]; simpl in H.
  - apply Z.ltb_lt in H. rewrite (hands_hold_all_cards pr d F) in H. lia.
  - rewrite !andb_true_iff, is_player_spec in H. destruct H as [[[I _] _] H].
    destruct (nth_error (sets pr) (Z.to_nat index)) as [s|] eqn:E; [|discriminate].
    apply Z.ltb_lt in H. destruct F as [R _].
    destruct (nth_row_fits _ _ _ _ _ R E) as [row [_ B]]. specialize (B p I). lia.
  - rewrite andb_true_iff, is_player_spec in H. destruct H as [I H].
    apply Z.ltb_lt in H. pose proof (minimums_fit pr d p F I). lia.
  - rewrite !andb_true_iff in H. destruct H as [[[L _] _] H].
    apply Nat.eqb_eq in L. apply Z.ltb_lt in H. destruct F as [R K].
    pose proof (coalition_holds_at_most_the_bounds (players pr) coalition _ _
                  (players_once pr) R witnesses L) as M.
    enough (must_hold pr coalition
            = total (fun p => amount_if (Z.testbit coalition p) (total (count p) d)) (players pr))
      by lia.
    apply total_ext. intros p i. now rewrite (K p i).
Qed.

(* A verdict that the program accepts is true, whether it is feasible or infeasible. *)
Theorem verify_is_sound pr v :
  verify pr v = true ->
  match v with
  | Feasible d => fits pr d
  | Infeasible _ => forall d, ~ fits pr d
  end.
Proof.
  destruct v as [d|[c|]]; simpl; intros H; try discriminate.
  - now apply a_deal_is_accepted_exactly_if_it_fits.
  - now apply (a_shortage_that_adds_up_excludes_every_deal pr c).
Qed.
