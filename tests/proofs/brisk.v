(* A brisk game ends: if questions whose only possible answer is no are forbidden, a play with P players
   and C cards in play has at most P C (C + 1) + C moves, whatever is asked and answered.
   Each move removes a possible owner of some card, or the player to move gains a card and goes on.
   The guide proves a closer bound by hand: at most P C^2 moves. *)

From Coq Require Import ZArith List Bool Lia.
From Quaternity Require Import deals question waiting.
Import ListNotations.
Open Scope Z_scope.

(* The number of pairs of a card and a player who may own it. *)
Definition owners_of (everybody : list Z) (mask : Z) : Z :=
  total (fun p => if Z.testbit mask p then 1 else 0) everybody.
Definition owners_in (everybody : list Z) (s : card_set) : Z := total (owners_of everybody) (owners s).
Definition possible_owners (pr : problem) : Z := total (owners_in (players pr)) (sets pr).

Lemma owners_of_nonneg everybody mask : 0 <= owners_of everybody mask.
Proof. apply total_nonneg. intros p _. destruct (Z.testbit mask p); lia. Qed.

Lemma possible_owners_nonneg pr : 0 <= possible_owners pr.
Proof.
  apply total_nonneg. intros s _. apply total_nonneg. intros mask _. apply owners_of_nonneg.
Qed.

Lemma some_owner everybody mask p :
  NoDup everybody -> In p everybody -> Z.testbit mask p = true -> 1 <= owners_of everybody mask.
Proof.
  intros D I T. rewrite <- (total_single (fun _ => 1) everybody p D I). apply total_le.
  intros q _. destruct (Z.eqb_spec p q) as [<-|_]; [now rewrite T|].
  destruct (Z.testbit mask q); lia.
Qed.

Lemma sole_owner everybody p :
  NoDup everybody -> In p everybody -> 0 <= p -> owners_of everybody (2 ^ p) = 1.
Proof.
  intros D I P. rewrite <- (total_single (fun _ => 1) everybody p D I). apply total_ext.
  intros q _. now rewrite Z.pow2_bits_eqb by exact P.
Qed.

Lemma fewer_owners everybody mask x y :
  NoDup everybody -> In y everybody -> Z.testbit mask y = true ->
  owners_of everybody (Z.clearbit (Z.clearbit mask x) y) + 1 <= owners_of everybody mask.
Proof.
  intros D I T. rewrite <- (total_single (fun _ => 1) everybody y D I) at 1.
  unfold owners_of. rewrite <- total_add. apply total_le. intros q _.
  rewrite !Z.clearbit_eqb. destruct (Z.eqb_spec y q) as [<-|_].
  - rewrite T, andb_false_r. simpl. lia.
  - destruct (Z.testbit mask q), (x =? q); simpl; lia.
Qed.

(* A question is hopeless unless the answer is yes in some deal that fits. *)
Definition hopeful (m : move) (at_position : position) : Prop :=
  exists d, fits (board at_position) d /\ agrees (with_answer true m) d.

Lemma owners_after m at_position :
  may_be_made m at_position -> hopeful m at_position ->
  possible_owners (after m (board at_position)) + (if yes m then 0 else 1)
  <= possible_owners (board at_position).
Proof.
  intros (_ & (X & Y & D & s & mask & S & M) & _) (d & F & row & holder & N & P & _ & _ & H).
  simpl in N, P, H. subst holder. set (pr := board at_position) in *.
  destruct (all_nth_back _ _ _ _ _ (proj1 F) N) as (s' & S' & O & _).
  rewrite S in S'. injection S' as <-.
  destruct (all_nth_back _ _ _ _ _ O P) as (mask' & M' & _ & T).
  rewrite M in M'. injection M' as <-.
  unfold possible_owners. rewrite players_after. unfold after. rewrite S. cbn [sets].
  rewrite (total_put _ _ _ _ _ S). unfold set_after. rewrite M. unfold owners_in at 3.
  pose proof (players_once pr) as Once.
  destruct (yes m); cbn [owners]; unfold owners_in at 2; rewrite (total_put _ _ _ _ _ M).
  - rewrite T, sole_owner by (auto; apply in_players in X; lia).
    pose proof (some_owner (players pr) mask (asked m) Once Y T). lia.
  - pose proof (fewer_owners (players pr) mask (asker m) (asked m) Once Y T). lia.
Qed.

Lemma owners_settled pr pr' :
  settles pr pr' -> (exists d, fits pr d) ->
  possible_owners pr' + (cards pr - cards pr') <= possible_owners pr.
Proof.
  induction 1 as [pr|pr p index s pr' I S All _ IH]; intros [d F]; [lia|].
  assert (E : players (put_away p index s pr) = players pr).
  { unfold players, put_away. simpl. now rewrite put_at_length. }
  assert (C : cards (put_away p index s pr) = cards pr - Z.of_nat (length (owners s))).
  { unfold cards, put_away. cbn [sets]. rewrite (total_put _ _ _ _ _ S). cbn [owners length]. lia. }
  assert (O : possible_owners (put_away p index s pr)
              = possible_owners pr - owners_in (players pr) s).
  { unfold possible_owners. rewrite E. unfold put_away. cbn [sets].
    rewrite (total_put _ _ _ _ _ S). unfold owners_in at 3. cbn [owners total]. lia. }
  assert (L : Z.of_nat (length (owners s)) <= owners_in (players pr) s).
  { destruct (all_nth _ _ _ _ _ (proj1 F) S) as (row & _ & R & _).
    unfold owners_in. clear - R. induction R as [|mask h masks row [Ih T] _ IH]; [easy|].
    cbn [length total]. pose proof (some_owner _ mask h (players_once pr) Ih T). lia. }
  assert (Some' : exists d', fits (put_away p index s pr) d').
  { exists (put d index []). apply a_completed_set_can_be_put_away; eauto. }
  specialize (IH Some'). lia.
Qed.

Lemma hand_bounds pr d p : fits pr d -> 0 <= at_ (hands pr) p <= cards pr.
Proof.
  intros F. destruct (Nat.lt_ge_cases (Z.to_nat p) (length (hands pr))) as [L|L].
  - set (q := Z.of_nat (Z.to_nat p)).
    assert (E : at_ (hands pr) p = at_ (hands pr) q) by (unfold at_, q; now rewrite Znat.Nat2Z.id).
    assert (I : In q (players pr)) by (apply in_players; unfold q; lia).
    rewrite E. split; [|now apply (hand_below_cards pr d)].
    rewrite <- (proj2 F q I). apply total_nonneg. intros. apply count_nonneg.
  - unfold at_. rewrite nth_overflow by exact L. pose proof (cards_nonneg pr). lia.
Qed.

Section Brisk.
  Variable settle : problem -> problem.
  Variable next : problem -> move -> Z.
  Hypothesis settle_settles : forall pr, settles pr (settle pr).
  Hypothesis after_no : forall pr m, yes m = false -> 1 <= at_ (hands pr) (asked m) -> next pr m = asked m.
  Hypothesis after_yes : forall pr m, yes m = true -> 1 <= at_ (hands pr) (asker m) -> next pr m = asker m.

  (* This many moves can be made one after another. *)
  Inductive brisk_play : nat -> position -> Prop :=
  | no_more at_position : brisk_play 0 at_position
  | a_move n m at_position :
      may_be_made m at_position -> hopeful m at_position ->
      brisk_play n (then_ settle next m at_position) -> brisk_play (S n) at_position.

  Definition rank (most : Z) (at_position : position) : Z :=
    possible_owners (board at_position) * (most + 1) +
    (cards (board at_position) - at_ (hands (board at_position)) (turn at_position)).

  Lemma rank_bounds n : forall most at_position,
    cards (board at_position) <= most -> well_formed (board at_position) ->
    (exists d, fits (board at_position) d) -> brisk_play n at_position ->
    Z.of_nat n <= rank most at_position.
  Proof.
    induction n as [|n IH]; intros most at_position C W [d F] P.
    - pose proof (hand_bounds _ d (turn at_position) F).
      pose proof (possible_owners_nonneg (board at_position)). unfold rank. nia.
    - inversion P as [|n' m at_position' L H P']; subst.
      pose proof (owners_after m at_position L H) as O.
      pose proof L as (Turn & M & _ & d0 & F0 & A0).
      assert (F1 : fits (after m (board at_position)) (moved m d0))
        by (apply a_question_loses_nothing; eauto).
      pose proof (owners_settled _ _ (settle_settles (after m (board at_position)))
                    (ex_intro _ _ F1)) as O2.
      rewrite after_cards in O2.
      destruct (settling_keeps _ _ (settle_settles (after m (board at_position)))
                  (it_stays_well_formed m _ W) _ F1) as (W' & _ & d' & F' & _).
      pose proof (who_is_next settle next settle_settles after_no after_yes m at_position W L) as Next.
      cbn [then_ board turn] in *.
      assert (Less : cards (settle (after m (board at_position))) <= most) by
        (destruct Next as [Next|(Next & _)]; lia).
      pose proof (IH most (then_ settle next m at_position) Less W' (ex_intro _ d' F') P') as R.
      enough (rank most (then_ settle next m at_position) + 1 <= rank most at_position) by lia.
      unfold rank. cbn [then_ board turn].
      pose proof (hand_bounds _ d (turn at_position) F) as B.
      pose proof (hand_bounds _ d' (next (settle (after m (board at_position))) m) F') as B'.
      destruct Next as [Next|(Same & Who & Gain)].
      + destruct (yes m); nia.
      + destruct (yes m).
        * rewrite Who in *. rewrite (Gain eq_refl), Turn, Same in *. nia.
        * nia.
  Qed.

  Theorem a_brisk_game_ends n at_position :
    well_formed (board at_position) -> (exists d, fits (board at_position) d) ->
    brisk_play n at_position ->
    let c := cards (board at_position) in
    Z.of_nat n <= Z.of_nat (length (hands (board at_position))) * c * (c + 1) + c.
  Proof.
    intros W [d F] P c.
    pose proof (rank_bounds n c at_position (Z.le_refl c) W (ex_intro _ d F) P) as R.
    unfold rank in R. fold c in R.
    pose proof (hand_bounds _ d (turn at_position) F).
    pose proof (cards_nonneg (board at_position)) as Nc. fold c in Nc.
    enough (possible_owners (board at_position)
            <= Z.of_nat (length (hands (board at_position))) * c) by nia.
    unfold c, possible_owners, cards.
    assert (Each : forall mask, owners_of (players (board at_position)) mask
      <= Z.of_nat (length (hands (board at_position)))).
    { intros mask. unfold owners_of, players.
      rewrite <- (seq_length (length (hands (board at_position))) 0) at 2.
      rewrite <- (map_length Z.of_nat). generalize (map Z.of_nat (seq 0 (length (hands (board at_position))))).
      induction l as [|p l IH]; cbn [total length]; [lia|]. destruct (Z.testbit mask p); lia. }
    induction (sets (board at_position)) as [|s ss IH]; cbn [total]; [lia|].
    assert (owners_in (players (board at_position)) s
            <= Z.of_nat (length (hands (board at_position))) * Z.of_nat (length (owners s))).
    { unfold owners_in. induction (owners s) as [|mask masks IHm]; cbn [total length]; [lia|].
      specialize (Each mask). lia. }
    lia.
  Qed.
End Brisk.
