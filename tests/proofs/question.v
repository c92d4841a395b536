(* The state after a question and its answer loses no information: the deals that fit it are exactly
   the deals that fitted before and agree with the move, with the card moved.
   The same holds for any number of moves one after another, whatever is asked and answered.
   A set that is in one hand in every deal that fits can be removed without loss. *)

From Coq Require Import ZArith List Bool Lia.
From Quaternity Require Import deals.
Import ListNotations.
Open Scope Z_scope.

(** ** A question, an answer, and their effects *)

(* Player [asker] asks player [asked] for a card, which has a place in a set. *)
Record move := { asker : Z; asked : Z; of_set : nat; of_card : nat; yes : bool }.

(* The same list with another entry at one place. *)
Fixpoint put {A : Type} (l : list A) (place : nat) (value : A) : list A :=
  match l, place with
  | [], _ => []
  | _ :: rest, O => value :: rest
  | first :: rest, S before => first :: put rest before value
  end.

Definition put_at (row : list Z) (p value : Z) : list Z := put row (Z.to_nat p) value.

(* The move is true in a deal: the asker has a card of the set, but not this card, and the player
   asked has it (yes) or does not have it (no). *)
Definition agrees (m : move) (d : deal) : Prop :=
  exists row holder,
    nth_error d (of_set m) = Some row /\ nth_error row (of_card m) = Some holder /\
    holder <> asker m /\ 1 <= count (asker m) row /\
    (if yes m then holder = asked m else holder <> asked m).

(* After yes the card goes to the asker. *)
Definition moved (m : move) (d : deal) : deal :=
  match nth_error d (of_set m) with
  | Some row => if yes m then put d (of_set m) (put row (of_card m) (asker m)) else d
  | None => d
  end.

(* Upper bounds that forbid nothing stay as they are; others follow the card. *)
Definition high_after (m : move) (size : Z) (hs : list Z) : list Z :=
  let x := asker m in let y := asked m in
  if (at_ hs x <? size) || (at_ hs y <? size)
  then let raised := put_at hs x (Z.min size (at_ hs x + 1)) in
       if at_ raised y <? size then put_at raised y (at_ raised y - 1) else raised
  else hs.

(* The table of the guide, with upper bounds; a card that the player asked cannot have has no owner. *)
Definition set_after (m : move) (s : card_set) : card_set :=
  let x := asker m in let y := asked m in
  match nth_error (owners s) (of_card m) with
  | Some mask =>
      if yes m
      then {| owners := put (owners s) (of_card m) (if Z.testbit mask y then 2 ^ x else 0);
              low := put_at (put_at (low s) x (Z.max 1 (at_ (low s) x) + 1))
                            y (Z.max 0 (at_ (low s) y - 1));
              high := high_after m (Z.of_nat (length (owners s))) (high s) |}
      else {| owners := put (owners s) (of_card m) (Z.clearbit (Z.clearbit mask x) y);
              low := put_at (low s) x (Z.max 1 (at_ (low s) x));
              high := high s |}
  | None => s
  end.

Definition hands_after (m : move) (hs : list Z) : list Z :=
  let x := asker m in let y := asked m in
  if yes m then put_at (put_at hs x (at_ hs x + 1)) y (at_ hs y - 1) else hs.

Definition after (m : move) (pr : problem) : problem :=
  match nth_error (sets pr) (of_set m) with
  | Some s => {| hands := hands_after m (hands pr);
                 sets := put (sets pr) (of_set m) (set_after m s) |}
  | None => pr
  end.

(* A move of two players about a card that exists. It may be illegal. *)
Definition is_move (m : move) (pr : problem) : Prop :=
  In (asker m) (players pr) /\ In (asked m) (players pr) /\ asker m <> asked m /\
  exists s mask, nth_error (sets pr) (of_set m) = Some s /\ nth_error (owners s) (of_card m) = Some mask.

(* Every set has bounds for every player. *)
Definition well_formed (pr : problem) : Prop :=
  forall s, In s (sets pr) ->
    length (low s) = length (hands pr) /\ length (high s) = length (hands pr).

(** ** Lists with another entry *)

Lemma put_length {A} (l : list A) place value : length (put l place value) = length l.
Proof. revert place. induction l as [|a l IH]; intros [|n]; simpl; auto. Qed.

Lemma put_put {A} (l : list A) place v w : put (put l place v) place w = put l place w.
Proof. revert place. induction l as [|a l IH]; intros [|n]; simpl; f_equal; auto. Qed.

Lemma put_same {A} (l : list A) place v : nth_error l place = Some v -> put l place v = l.
Proof.
  revert place. induction l as [|a l IH]; intros [|n]; simpl; intros H; try discriminate.
  - congruence.
  - f_equal. auto.
Qed.

Lemma nth_put {A} (l : list A) place v w :
  nth_error l place = Some w -> nth_error (put l place v) place = Some v.
Proof. revert place. induction l as [|a l IH]; intros [|n]; simpl; intros H; try discriminate; auto. Qed.

Lemma total_put {A} (f : A -> Z) l place v w :
  nth_error l place = Some w -> total f (put l place v) = total f l - f w + f v.
Proof.
  revert place. induction l as [|a l IH]; intros [|n]; simpl; intros H; try discriminate.
  - injection H as ->. lia.
  - rewrite (IH n H). lia.
Qed.

Lemma count_put p row place v w :
  nth_error row place = Some w ->
  count p (put row place v) = count p row - (if w =? p then 1 else 0) + (if v =? p then 1 else 0).
Proof. apply total_put. Qed.

Lemma put_all {A B} (P : A -> B -> Prop) xs ys place x y :
  Forall2 P xs ys -> P x y -> Forall2 P (put xs place x) (put ys place y).
Proof.
  intros H. revert place. induction H; intros [|n] K; simpl; constructor; auto.
Qed.

Lemma all_nth {A B} (P : A -> B -> Prop) xs ys place x :
  Forall2 P xs ys -> nth_error xs place = Some x -> exists y, nth_error ys place = Some y /\ P x y.
Proof.
  intros H. revert place. induction H; intros [|n] K; simpl in *; try discriminate.
  - injection K as ->. eauto.
  - eauto.
Qed.

Lemma all_nth_back {A B} (P : A -> B -> Prop) xs ys place y :
  Forall2 P xs ys -> nth_error ys place = Some y -> exists x, nth_error xs place = Some x /\ P x y.
Proof.
  intros H. revert place. induction H; intros [|n] K; simpl in *; try discriminate.
  - injection K as ->. eauto.
  - eauto.
Qed.

Lemma all_others {A B} (P : A -> B -> Prop) xs ys place x x0 y :
  Forall2 P (put xs place x) ys -> nth_error xs place = Some x0 -> P x0 y ->
  Forall2 P xs (put ys place y).
Proof.
  intros H N K. rewrite <- (put_same xs place x0 N), <- (put_put xs place x x0). now apply put_all.
Qed.

Lemma at_put row p q value :
  0 <= p -> 0 <= q -> (Z.to_nat q < length row)%nat ->
  at_ (put_at row q value) p = if p =? q then value else at_ row p.
Proof.
  intros P Q L. unfold at_, put_at.
  assert (E : (p =? q) = Nat.eqb (Z.to_nat p) (Z.to_nat q)).
  { destruct (Z.eqb_spec p q), (Nat.eqb_spec (Z.to_nat p) (Z.to_nat q)); auto; lia. }
  rewrite E. generalize (Z.to_nat p). revert L. generalize (Z.to_nat q). clear.
  induction row as [|a row IH]; simpl; intros [|n] L [|k]; simpl; auto; try lia.
  apply IH. lia.
Qed.

Lemma put_at_length row p value : length (put_at row p value) = length row.
Proof. apply put_length. Qed.

Lemma count_at_most p row : count p row <= Z.of_nat (length row).
Proof.
  induction row as [|a row IH]; [easy|]. rewrite count_cons. simpl length. destruct (a =? p); lia.
Qed.

Lemma all_length {A B} (P : A -> B -> Prop) xs ys : Forall2 P xs ys -> length xs = length ys.
Proof. induction 1; simpl; congruence. Qed.

(** ** One set after a move *)

Section One_set.
  Variables (everybody : list Z) (m : move) (s : card_set) (mask : Z).
  Hypothesis players_count : forall p, In p everybody ->
    0 <= p /\ (Z.to_nat p < length (low s))%nat /\ (Z.to_nat p < length (high s))%nat.
  Hypothesis asker_plays : In (asker m) everybody.
  Hypothesis asked_plays : In (asked m) everybody.
  Hypothesis different : asker m <> asked m.
  Hypothesis card : nth_error (owners s) (of_card m) = Some mask.

  Definition row_agrees (row : list Z) (holder : Z) : Prop :=
    nth_error row (of_card m) = Some holder /\ holder <> asker m /\ 1 <= count (asker m) row /\
    (if yes m then holder = asked m else holder <> asked m).

  Definition row_moved (row : list Z) : list Z :=
    if yes m then put row (of_card m) (asker m) else row.

  (* Both bounds of a player after yes, for any count of cards before. *)
  Lemma bounds_after_yes p count_before :
    In p everybody -> 0 <= count_before <= Z.of_nat (length (owners s)) ->
    (p = asker m -> 1 <= count_before < Z.of_nat (length (owners s))) ->
    (p = asked m -> 1 <= count_before) ->
    at_ (low s) p <= count_before <= at_ (high s) p <->
    at_ (put_at (put_at (low s) (asker m) (Z.max 1 (at_ (low s) (asker m)) + 1))
                (asked m) (Z.max 0 (at_ (low s) (asked m) - 1))) p
    <= count_before + (if asker m =? p then 1 else 0) - (if asked m =? p then 1 else 0)
    <= at_ (high_after m (Z.of_nat (length (owners s))) (high s)) p.
  Proof.
    intros i C CX CY.
    pose proof (players_count _ asker_plays) as (Px & Lx & Hx).
    pose proof (players_count _ asked_plays) as (Py & Ly & Hy).
    pose proof (players_count _ i) as (Pp & Lp & Hp).
    set (size := Z.of_nat (length (owners s))) in *.
    assert (H : at_ (high_after m size (high s)) p =
      if (at_ (high s) (asker m) <? size) || (at_ (high s) (asked m) <? size)
      then if p =? asker m then Z.min size (at_ (high s) p + 1)
           else if (p =? asked m) && (at_ (high s) p <? size) then at_ (high s) p - 1
           else at_ (high s) p
      else at_ (high s) p).
    { unfold high_after. destruct (_ || _); [|easy].
      rewrite (at_put (high s) (asked m)) by lia.
      destruct (Z.eqb_spec (asked m) (asker m)) as [e|_]; [symmetry in e; easy|].
      destruct (Z.eqb_spec p (asker m)) as [->|NX].
      - destruct (at_ (high s) (asked m) <? size);
          rewrite !at_put by (rewrite ?put_at_length; lia);
          rewrite Z.eqb_refl; destruct (Z.eqb_spec (asker m) (asked m)); easy.
      - destruct (Z.eqb_spec p (asked m)) as [->|NY]; simpl.
        + destruct (at_ (high s) (asked m) <? size);
            rewrite !at_put by (rewrite ?put_at_length; lia); rewrite ?Z.eqb_refl; auto.
          destruct (Z.eqb_spec (asked m) (asker m)); easy.
        + destruct (at_ (high s) (asked m) <? size);
            rewrite !at_put by (rewrite ?put_at_length; lia);
            destruct (Z.eqb_spec p (asked m)), (Z.eqb_spec p (asker m)); easy. }
    rewrite H. clear H. rewrite !at_put by (rewrite ?put_at_length; lia).
    destruct (Z.eqb_spec p (asked m)) as [EY|NY], (Z.eqb_spec p (asker m)) as [EX|NX];
      try congruence;
      destruct (Z.eqb_spec (asker m) p), (Z.eqb_spec (asked m) p); try congruence; subst;
      rewrite ?andb_true_l, ?andb_false_l;
      destruct (Z.ltb_spec (at_ (high s) (asker m)) size),
        (Z.ltb_spec (at_ (high s) (asked m)) size); simpl; lia.
  Qed.

  Lemma forward row holder :
    row_fits everybody s row -> row_agrees row holder ->
    row_fits everybody (set_after m s) (row_moved row).
  Proof.
    intros [O B] (N & X & C & Y).
    destruct (all_nth_back _ _ _ _ _ O N) as (mask' & E & I & T).
    rewrite card in E. injection E as <-.
    pose proof (players_count _ asker_plays) as (Px & Lx & Hx).
    pose proof (players_count _ asked_plays) as (Py & Ly & Hy).
    assert (L : length row = length (owners s)) by (symmetry; eapply all_length; eauto).
    unfold set_after, row_moved. rewrite card. destruct (yes m) eqn:A; split; simpl.
    - apply put_all; [exact O|]. subst holder. rewrite T.
      split; [auto|]. rewrite Z.pow2_bits_eqb by lia. apply Z.eqb_refl.
    - intros p i. specialize (B p i). subst holder.
      assert (E : count p (put row (of_card m) (asker m)) =
        count p row + (if asker m =? p then 1 else 0) - (if asked m =? p then 1 else 0))
        by (rewrite (count_put p row _ _ _ N); lia).
      pose proof (count_at_most p (put row (of_card m) (asker m))) as M.
      rewrite put_length in M.
      pose proof (count_nonneg p row). pose proof (count_at_most p row).
      pose proof (count_nonneg p (put row (of_card m) (asker m))) as Z0.
      rewrite E in *. apply bounds_after_yes; auto; [lia| |];
      intros ->; rewrite Z.eqb_refl in *.
      + destruct (Z.eqb_spec (asked m) (asker m)); [congruence|]. lia.
      + destruct (Z.eqb_spec (asker m) (asked m)); [congruence|]. lia.
    - rewrite <- (put_same row _ _ N). apply put_all; [exact O|]. split; auto.
      apply Z.clearbit_iff. split; [|congruence].
      apply Z.clearbit_iff. split; congruence.
    - intros p i. pose proof (players_count p i) as (Pp & _ & _). specialize (B p i).
      rewrite at_put by lia. destruct (Z.eqb_spec p (asker m)); subst; lia.
  Qed.

  Lemma backward row' :
    row_fits everybody (set_after m s) row' ->
    exists row holder,
      row_fits everybody s row /\ row_agrees row holder /\ row' = row_moved row.
  Proof.
    unfold set_after, row_moved, row_agrees. rewrite card.
    pose proof (players_count _ asker_plays) as (Px & Lx & Hx).
    pose proof (players_count _ asked_plays) as (Py & Ly & Hy).
    destruct (yes m) eqn:A; intros [O B]; simpl in O, B.
    - destruct (all_nth _ _ _ _ _ O (nth_put _ _ _ _ card)) as (holder & N & I & T).
      destruct (Z.testbit mask (asked m)) eqn:Possible; [|now rewrite Z.testbit_0_l in T].
      rewrite Z.pow2_bits_eqb in T by lia. apply Z.eqb_eq in T. subst holder.
      exists (put row' (of_card m) (asked m)), (asked m).
      assert (L : length row' = length (owners s)).
      { apply all_length in O. rewrite put_length in O. auto. }
      set (row := put row' (of_card m) (asked m)).
      assert (K : forall p, count p row' =
        count p row + (if asker m =? p then 1 else 0) - (if asked m =? p then 1 else 0)).
      { intros p. unfold row. rewrite (count_put p row' _ _ _ N). lia. }
      assert (X1 : 1 <= count (asker m) row).
      { specialize (B _ asker_plays). rewrite K in B.
        rewrite !at_put in B by (rewrite ?put_at_length; lia).
        destruct (Z.eqb_spec (asker m) (asked m)); [congruence|].
        destruct (Z.eqb_spec (asked m) (asker m)); [congruence|].
        rewrite Z.eqb_refl in *. lia. }
      assert (Nr : nth_error row (of_card m) = Some (asked m)) by exact (nth_put _ _ _ _ N).
      split; [split|split].
      + eapply all_others; [exact O|exact card|]. split; auto.
      + intros p i.
        pose proof (count_at_most p row) as M. pose proof (count_at_most p row') as M'.
        pose proof (count_nonneg p row) as C. pose proof (count_nonneg p row') as C'.
        assert (length row = length row') by apply put_length.
        specialize (B p i). rewrite K in *. apply bounds_after_yes; auto; [lia| |];
          intros ->; rewrite Z.eqb_refl in *.
        * destruct (Z.eqb_spec (asked m) (asker m)); [congruence|]. lia.
        * destruct (Z.eqb_spec (asker m) (asked m)); [congruence|]. lia.
      + repeat split; auto.
      + unfold row. now rewrite put_put, put_same.
    - destruct (all_nth _ _ _ _ _ O (nth_put _ _ _ _ card)) as (holder & N & I & T).
      apply Z.clearbit_iff in T. destruct T as [T Y].
      apply Z.clearbit_iff in T. destruct T as [T X].
      exists row', holder. split; [split|split; [|easy]].
      + rewrite <- (put_same row' _ _ N). eapply all_others; eauto.
      + intros p i. pose proof (players_count p i) as (Pp & _ & _).
        specialize (B p i). rewrite at_put in B by lia.
        destruct (Z.eqb_spec p (asker m)); subst; lia.
      + repeat split; try congruence.
        specialize (B _ asker_plays). rewrite at_put in B by lia. rewrite Z.eqb_refl in B. lia.
  Qed.
End One_set.

(** ** The whole state after a move *)

Lemma players_after m pr : players (after m pr) = players pr.
Proof.
  unfold players, after. destruct (nth_error (sets pr) (of_set m)); [|easy]. simpl.
  unfold hands_after. destruct (yes m); rewrite ?put_at_length; auto.
Qed.

Lemma hand_after m hs p :
  0 <= p -> 0 <= asker m -> 0 <= asked m -> asker m <> asked m ->
  (Z.to_nat (asker m) < length hs)%nat -> (Z.to_nat (asked m) < length hs)%nat ->
  at_ (hands_after m hs) p =
  if yes m then at_ hs p + (if asker m =? p then 1 else 0) - (if asked m =? p then 1 else 0)
  else at_ hs p.
Proof.
  intros P X Y D LX LY. unfold hands_after. destruct (yes m); [|easy].
  rewrite !at_put by (rewrite ?put_at_length; lia).
  destruct (Z.eqb_spec p (asked m)), (Z.eqb_spec p (asker m)),
    (Z.eqb_spec (asker m) p), (Z.eqb_spec (asked m) p); try congruence; subst; lia.
Qed.

Theorem a_question_loses_nothing m pr :
  well_formed pr -> is_move m pr ->
  forall d', fits (after m pr) d' <-> exists d, fits pr d /\ agrees m d /\ d' = moved m d.
Proof.
  intros W (X & Y & D & s & mask & S & M) d'.
  pose proof (proj1 (in_players pr (asker m)) X) as PX.
  pose proof (proj1 (in_players pr (asked m)) Y) as PY.
  destruct (W s (nth_error_In _ _ S)) as [Ll Lh].
  assert (PC : forall p, In p (players pr) ->
    0 <= p /\ (Z.to_nat p < length (low s))%nat /\ (Z.to_nat p < length (high s))%nat).
  { intros p i. apply in_players in i. lia. }
  assert (Hand : forall p, In p (players pr) -> at_ (hands_after m (hands pr)) p =
    if yes m then at_ (hands pr) p + (if asker m =? p then 1 else 0) - (if asked m =? p then 1 else 0)
    else at_ (hands pr) p).
  { intros p i. apply in_players in i. apply hand_after; lia || auto. }
  unfold fits at 1. rewrite players_after. unfold after. rewrite S. simpl. split.
  - intros [R T].
    destruct (all_nth _ _ _ _ _ R (nth_put _ _ _ _ S)) as (row' & N' & F').
    destruct (backward _ m s mask PC X Y D M row' F') as (row & h & F & A & E).
    exists (put d' (of_set m) row).
    assert (Nr : nth_error (put d' (of_set m) row) (of_set m) = Some row)
      by (eapply nth_put; eauto).
    destruct A as (Nh & Ax & Ac & Ay).
    split; [split|split].
    + eapply all_others; eauto.
    + intros p i. rewrite (total_put _ _ _ _ _ N'), (T p i), (Hand p i), E. unfold row_moved.
      destruct (yes m); [|lia]. rewrite (count_put p row _ _ _ Nh), Ay. lia.
    + exists row, h. auto.
    + unfold moved. rewrite Nr. unfold row_moved in E.
      destruct (yes m); subst row'; rewrite ?put_put; symmetry; now apply put_same.
  - intros (d & [R T] & (row & h & N & A) & ->).
    destruct (all_nth_back _ _ _ _ _ R N) as (s' & S' & F).
    rewrite S in S'. injection S' as <-.
    pose proof (forward _ m s mask PC X Y D M row h F A) as F'.
    destruct A as (Nh & Ax & Ac & Ay).
    assert (E : moved m d = put d (of_set m) (row_moved m row)).
    { unfold moved, row_moved. rewrite N. destruct (yes m); auto. symmetry. now apply put_same. }
    rewrite E. split; [now apply put_all|].
    intros p i. rewrite (total_put _ _ _ _ _ N), (T p i), (Hand p i). unfold row_moved.
    destruct (yes m); [|lia]. rewrite (count_put p row _ _ _ Nh), Ay. lia.
Qed.

Lemma in_put {A} (l : list A) place v w : In w (put l place v) -> w = v \/ In w l.
Proof.
  revert place. induction l as [|a l IH]; intros [|n]; simpl; intros H; auto; destruct H; auto.
  destruct (IH n H); auto.
Qed.

Lemma it_stays_well_formed m pr : well_formed pr -> well_formed (after m pr).
Proof.
  intros W s I. unfold after in *.
  destruct (nth_error (sets pr) (of_set m)) as [old|] eqn:S; [|now apply W].
  assert (L : length (hands_after m (hands pr)) = length (hands pr)).
  { unfold hands_after. destruct (yes m); now rewrite ?put_at_length. }
  simpl in *. rewrite L. destruct (in_put _ _ _ _ I) as [->|J]; [|now apply W].
  destruct (W old (nth_error_In _ _ S)) as [Ll Lh]. unfold set_after, high_after.
  destruct (nth_error (owners old) (of_card m)); [|easy].
  destruct (yes m); simpl; rewrite ?put_at_length; [|easy]. split; [easy|].
  destruct (_ || _); [|easy]. destruct (_ <? _); now rewrite ?put_at_length.
Qed.

(** ** A whole game *)

Fixpoint after_all (ms : list move) (pr : problem) : problem :=
  match ms with [] => pr | m :: rest => after_all rest (after m pr) end.

Fixpoint all_moves (ms : list move) (pr : problem) : Prop :=
  match ms with [] => True | m :: rest => is_move m pr /\ all_moves rest (after m pr) end.

(* Every move is true in the deal as it was at the time of the move. *)
Fixpoint all_agree (ms : list move) (d : deal) : Prop :=
  match ms with [] => True | m :: rest => agrees m d /\ all_agree rest (moved m d) end.

Fixpoint all_moved (ms : list move) (d : deal) : deal :=
  match ms with [] => d | m :: rest => all_moved rest (moved m d) end.

Theorem a_game_loses_nothing ms : forall pr,
  well_formed pr -> all_moves ms pr ->
  forall d', fits (after_all ms pr) d' <->
    exists d, fits pr d /\ all_agree ms d /\ d' = all_moved ms d.
Proof.
  induction ms as [|m ms IH]; simpl; intros pr W L d'.
  - split; [eauto|]. intros (d & F & _ & ->). auto.
  - destruct L as [L Ls].
    rewrite (IH _ (it_stays_well_formed m pr W) Ls d').
    split.
    + intros (d1 & F & A & ->).
      apply (a_question_loses_nothing m pr W L) in F. destruct F as (d & F & G & ->). eauto.
    + intros (d & F & (G & A) & ->). exists (moved m d). split; [|auto].
      apply (a_question_loses_nothing m pr W L). eauto.
Qed.

(** ** A completed set *)

(* The set stays in its place, without cards; its cards have left the hand. *)
Definition put_away (p : Z) (index : nat) (s : card_set) (pr : problem) : problem :=
  {| hands := put_at (hands pr) p (at_ (hands pr) p - Z.of_nat (length (owners s)));
     sets := put (sets pr) index
               {| owners := []; low := map (fun _ => 0) (low s); high := map (fun _ => 0) (high s) |} |}.

Definition holds_all (p : Z) (row : list Z) : Prop := row = repeat p (length row).

Lemma count_repeat p q n : count q (repeat p n) = if p =? q then Z.of_nat n else 0.
Proof.
  induction n as [|n IH]; [now destruct (p =? q)|].
  simpl repeat. rewrite count_cons, IH. destruct (p =? q); lia.
Qed.

Lemma at_zeros (row : list Z) p : at_ (map (fun _ => 0) row) p = 0.
Proof.
  unfold at_. generalize (Z.to_nat p). induction row as [|a row IH]; intros [|n]; simpl; auto.
Qed.

Theorem a_completed_set_can_be_put_away p index s pr :
  In p (players pr) -> nth_error (sets pr) index = Some s ->
  (exists d, fits pr d) ->
  (forall d row, fits pr d -> nth_error d index = Some row -> holds_all p row) ->
  forall d', fits (put_away p index s pr) d' <-> exists d, fits pr d /\ d' = put d index [].
Proof.
  intros I S [d0 F0] All d'.
  pose proof (proj1 (in_players pr p) I) as P.
  set (n := length (owners s)).
  assert (E : players (put_away p index s pr) = players pr).
  { unfold players, put_away. simpl. now rewrite put_at_length. }
  assert (Row : forall d, fits pr d -> exists row,
    nth_error d index = Some row /\ row_fits (players pr) s row /\ row = repeat p n).
  { intros d F. destruct (all_nth _ _ _ _ _ (proj1 F) S) as (row & N & R).
    exists row. repeat split; try apply R; auto.
    rewrite (All d row F N) at 1. f_equal. symmetry. exact (all_length _ _ _ (proj1 R)). }
  assert (Hand : forall q, In q (players pr) -> at_ (hands (put_away p index s pr)) q =
    at_ (hands pr) q - count q (repeat p n)).
  { intros q i. apply in_players in i. simpl. rewrite at_put by lia. rewrite count_repeat.
    destruct (Z.eqb_spec q p), (Z.eqb_spec p q); subst; try congruence; unfold n; lia. }
  unfold fits at 1. rewrite E. split.
  - intros [R T]. simpl in R.
    destruct (all_nth _ _ _ _ _ R (nth_put _ _ _ _ S)) as (row' & N' & O' & _).
    simpl in O'. inversion O'; subst row'. clear O'.
    destruct (Row d0 F0) as (row & N & F & Er).
    exists (put d' index row). split; [split|].
    + eapply all_others; eauto.
    + intros q i. rewrite (total_put _ _ _ _ _ N'), (T q i), (Hand q i), Er. change (count q []) with 0. lia.
    + rewrite put_put. symmetry. now apply put_same.
  - intros (d & F & ->). destruct (Row d F) as (row & N & _ & Er).
    destruct F as [R T]. split.
    + simpl. apply put_all; [exact R|]. split; simpl; [constructor|].
      intros q _. rewrite !at_zeros. change (count q []) with 0. lia.
    + intros q i. rewrite (total_put _ _ _ _ _ N), (T q i), (Hand q i), Er. change (count q []) with 0. lia.
Qed.
