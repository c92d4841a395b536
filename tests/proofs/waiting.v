(* Waiting: two opponents who each share a set with a player, or three who share sets with anybody,
   can ask each other for ever in vain; then that player never moves again, and cannot force a win.
   Nothing else keeps a player waiting for ever: if an endless play goes on without a player, some
   deal that fits has such opponents. This is theorem 1 of the guide. It does not depend on the rule
   for who asks when hands are empty, nor on the time when completed sets are removed. *)

From Coq Require Import ZArith List Bool Lia.
From Quaternity Require Import deals question.
Import ListNotations.
Open Scope Z_scope.

(** ** A game *)

(* Some sets are removed, each of which is in one hand in every deal that fits. *)
Inductive settles : problem -> problem -> Prop :=
| no_set_more pr : settles pr pr
| a_set_completed pr p index s pr' :
    In p (players pr) -> nth_error (sets pr) index = Some s ->
    (forall d row, fits pr d -> nth_error d index = Some row -> holds_all p row) ->
    settles (put_away p index s pr) pr' -> settles pr pr'.

Record position := { board : problem; turn : Z }.

Section Rules.
  (* After an answer completed sets are removed, and some player moves next. *)
  Variable settle : problem -> problem.
  Variable next : problem -> move -> Z.
  Hypothesis settle_settles : forall pr, settles pr (settle pr).
  (* After a no it is the turn of the player asked, if they have cards. *)
  Hypothesis after_no : forall pr m, yes m = false -> 1 <= at_ (hands pr) (asked m) -> next pr m = asked m.
  (* After a yes the asker goes on, if they have cards. *)
  Hypothesis after_yes : forall pr m, yes m = true -> 1 <= at_ (hands pr) (asker m) -> next pr m = asker m.

  Definition may_be_made (m : move) (at_position : position) : Prop :=
    asker m = turn at_position /\ is_move m (board at_position) /\
    1 <= at_ (hands (board at_position)) (asked m) /\
    exists d, fits (board at_position) d /\ agrees m d.

  Definition then_ (m : move) (at_position : position) : position :=
    let settled := settle (after m (board at_position)) in
    {| board := settled; turn := next settled m |}.

  (* A play that never ends, in which a player never has the turn. *)
  CoInductive without_turn (p : Z) (at_position : position) : Prop :=
  | one_more m :
      turn at_position <> p -> may_be_made m at_position ->
      without_turn p (then_ m at_position) -> without_turn p at_position.

  (* The game ends when no cards are left; the winner is left open. *)
  Variable wins : Z -> position -> Prop.
  Definition over (at_position : position) : Prop :=
    forall s, In s (sets (board at_position)) -> owners s = [].

  Definition with_answer (answer : bool) (m : move) : move :=
    {| asker := asker m; asked := asked m; of_set := of_set m; of_card := of_card m; yes := answer |}.

  (* The player chooses their questions and their answers; the others choose everything else. *)
  Inductive can_force (p : Z) (at_position : position) : Prop :=
  | at_the_end : over at_position -> wins p at_position -> can_force p at_position
  | by_asking m :
      turn at_position = p -> may_be_made m at_position ->
      (forall answer, may_be_made (with_answer answer m) at_position ->
         can_force p (then_ (with_answer answer m) at_position)) ->
      can_force p at_position
  | whatever_others_do (reply : move -> bool) :
      turn at_position <> p -> ~ over at_position ->
      (forall m, may_be_made m at_position -> asked m <> p -> can_force p (then_ m at_position)) ->
      (forall m, may_be_made m at_position -> asked m = p ->
         may_be_made (with_answer (reply m) m) at_position /\
         can_force p (then_ (with_answer (reply m) m) at_position)) ->
      can_force p at_position.

  (** ** Sharing *)

  Definition shares (d : deal) (x z : Z) : Prop :=
    x <> z /\ exists index row, nth_error d index = Some row /\ 1 <= count x row /\ 1 <= count z row.

  (* Condition (a) or (b) of the guide, for a player p while x is to move. *)
  Definition opponents_share (d : deal) (p x : Z) : Prop :=
    (exists y, y <> p /\ y <> x /\ shares d x p /\ shares d y p) \/
    (exists y z, y <> p /\ z <> p /\ y <> x /\ z <> x /\ y <> z /\
       (exists u, shares d x u) /\ (exists u, shares d y u) /\ (exists u, shares d z u)).

  (* The rows of sets that are shared stay as they are. *)
  Definition keeps (d d' : deal) : Prop :=
    forall index row x z, nth_error d index = Some row -> x <> z ->
      1 <= count x row -> 1 <= count z row -> nth_error d' index = Some row.

  Lemma keeps_shares d d' x z : keeps d d' -> shares d x z -> shares d' x z.
  Proof. intros K (D & index & row & N & X & Y). split; auto. exists index, row. eauto. Qed.

  Lemma nth_put_elsewhere {A} (l : list A) place other v :
    place <> other -> nth_error (put l place v) other = nth_error l other.
  Proof.
    revert place other. induction l as [|a l IH]; intros [|n] [|k] D; simpl; auto; try easy.
  Qed.

  Lemma settling_keeps pr pr' :
    settles pr pr' -> well_formed pr -> forall d, fits pr d ->
    well_formed pr' /\ players pr' = players pr /\ exists d', fits pr' d' /\ keeps d d'.
  Proof.
    induction 1 as [pr|pr p index s pr' I S All _ IH]; intros W d F.
    - split; [auto|]. split; [auto|]. exists d. split; [auto|]. now intros.
    - assert (E : players (put_away p index s pr) = players pr).
      { unfold players, put_away. simpl. now rewrite put_at_length. }
      assert (W' : well_formed (put_away p index s pr)).
      { intros s' J. simpl. rewrite put_at_length. simpl in J. apply in_put in J.
        destruct J as [->|J]; [simpl; rewrite !map_length|now apply W].
        apply W. eapply nth_error_In; eauto. }
      assert (F' : fits (put_away p index s pr) (put d index [])).
      { apply a_completed_set_can_be_put_away; eauto. }
      destruct (IH W' _ F') as (W2 & E2 & d2 & F2 & K). rewrite E2.
      split; [auto|]. split; [auto|]. exists d2. split; [auto|].
      intros index' row x z N D X Z1. apply (K _ _ x z); auto.
      destruct (PeanoNat.Nat.eq_dec index index') as [<-|Ni]; [|now rewrite nth_put_elsewhere].
      exfalso. rewrite (All d row F N), count_repeat in X, Z1.
      destruct (Z.eqb_spec p x), (Z.eqb_spec p z); try lia; congruence.
  Qed.

  Lemma card_of p row : 1 <= count p row -> exists place, nth_error row place = Some p.
  Proof.
    induction row as [|a row IH]; [easy|]. rewrite count_cons.
    destruct (Z.eqb_spec a p) as [->|N]; intros C; [now exists O|].
    destruct IH as [place E]; [lia|]. now exists (S place).
  Qed.

  Lemma total_at_least {A} (f : A -> Z) l place a :
    (forall x, 0 <= f x) -> nth_error l place = Some a -> f a <= total f l.
  Proof.
    intros P. revert place. induction l as [|b l IH]; intros [|n] N; simpl in *; try discriminate.
    - injection N as ->. assert (0 <= total f l) by now apply total_nonneg. lia.
    - specialize (IH n N). specialize (P b). lia.
  Qed.

  Lemma who_shares_plays pr d x z :
    fits pr d -> shares d x z -> In x (players pr) /\ 1 <= at_ (hands pr) x.
  Proof.
    intros [R T] (_ & index & row & N & X & _).
    destruct (all_nth_back _ _ _ _ _ R N) as (s & S & O & _).
    destruct (card_of _ _ X) as [place P].
    destruct (all_nth_back _ _ _ _ _ O P) as (mask & _ & I & _).
    split; [exact I|]. rewrite <- (T x I).
    pose proof (total_at_least (count x) d index row (fun r => count_nonneg x r) N). lia.
  Qed.

  (* A player who shares a set can pass to y, who shares one: y answers no, and nothing changes. *)
  Lemma passing at_position d y u :
    well_formed (board at_position) -> fits (board at_position) d ->
    shares d (turn at_position) u -> u <> y -> y <> turn at_position -> (exists v, shares d y v) ->
    exists m, may_be_made m at_position /\ well_formed (board (then_ m at_position)) /\
      asked m = y /\ turn (then_ m at_position) = y /\
      exists d', fits (board (then_ m at_position)) d' /\ keeps d d'.
  Proof.
    set (x := turn at_position). set (pr := board at_position).
    intros W F Sx Uy Yx [v Sy].
    destruct (who_shares_plays pr d x u F Sx) as [Ix _].
    destruct (who_shares_plays pr d y v F Sy) as [Iy Hy].
    pose proof Sx as (Xu & index & row & N & Cx & Cu).
    destruct (card_of _ _ Cu) as [place P].
    destruct (all_nth_back _ _ _ _ _ (proj1 F) N) as (s & S & O & _).
    destruct (all_nth_back _ _ _ _ _ O P) as (mask & M & _ & _).
    set (m := {| asker := x; asked := y; of_set := index; of_card := place; yes := false |}).
    assert (Move : is_move m pr).
    { split; [exact Ix|]. split; [exact Iy|]. split; [simpl; congruence|]. exists s, mask. easy. }
    assert (Agrees : agrees m d).
    { exists row, u. simpl. repeat split; auto. }
    assert (F1 : fits (after m pr) d).
    { apply a_question_loses_nothing; auto. exists d. split; [auto|]. split; [auto|].
      unfold moved. simpl. now rewrite N. }
    destruct (settling_keeps _ _ (settle_settles (after m pr)) (it_stays_well_formed m pr W) d F1)
      as (W' & E & d' & F' & K).
    exists m. split; [|split; [exact W'|split; [easy|split; [|now exists d']]]].
    - split; [easy|]. split; [exact Move|]. split; [exact Hy|]. now exists d.
    - apply after_no; auto.
      now destruct (who_shares_plays _ d' y v F' (keeps_shares d d' y v K Sy)).
  Qed.

  Definition such_opponents (p : Z) (at_position : position) : Prop :=
    well_formed (board at_position) /\ turn at_position <> p /\
    exists d, fits (board at_position) d /\ opponents_share d p (turn at_position).

  Lemma they_pass p at_position :
    such_opponents p at_position ->
    exists m, may_be_made m at_position /\ asked m <> p /\ such_opponents p (then_ m at_position).
  Proof.
    intros (W & T & d & F & S).
      destruct S as [(y & Yp & Yx & Sx & Sy)|(y & z & Yp & Zp & Yx & Zx & Yz & (u & Sx) & Sy & Sz)].
      - destruct (passing at_position d y p W F Sx) as (m & L & W' & A & E & d' & F' & K); eauto.
        exists m. split; [exact L|]. split; [congruence|]. split; [exact W'|]. rewrite E. split; [exact Yp|].
        exists d'. split; [exact F'|]. left. exists (turn at_position).
        split; [exact T|]. split; [congruence|]. split; eapply keeps_shares; eauto.
      - assert (Ring : forall y z, y <> p -> z <> p -> y <> turn at_position -> z <> turn at_position ->
          y <> z -> u <> y -> (exists u, shares d y u) -> (exists u, shares d z u) ->
          exists m, may_be_made m at_position /\ asked m <> p /\ such_opponents p (then_ m at_position)).
        { clear y z Yp Zp Yx Zx Yz Sy Sz. intros y z Yp Zp Yx Zx Yz Uy Sy Sz.
          destruct (passing at_position d y u W F Sx) as (m & L & W' & A & E & d' & F' & K); eauto.
          exists m. split; [exact L|]. split; [congruence|]. split; [exact W'|]. rewrite E. split; [exact Yp|].
          exists d'. split; [exact F'|]. right. exists (turn at_position), z.
          destruct Sy as [uy Sy], Sz as [uz Sz].
          repeat split; try congruence; eexists; eapply keeps_shares; eauto. }
        destruct (Z.eq_dec u y) as [->|Uy].
        + apply (Ring z y); auto; congruence.
        + apply (Ring y z); auto.
  Qed.

  Theorem such_opponents_can_wait_for_ever p : forall at_position,
    such_opponents p at_position -> without_turn p at_position.
  Proof.
    cofix again. intros at_position S.
    destruct (they_pass p at_position S) as (m & L & _ & S').
    exact (one_more p at_position m (proj1 (proj2 S)) L (again _ S')).
  Qed.

  Theorem against_such_opponents_no_win_can_be_forced p at_position :
    such_opponents p at_position -> ~ can_force p at_position.
  Proof.
    intros S C. induction C as [at_position O _|at_position m T _ _ _|at_position reply _ _ _ IH _].
    - destruct (they_pass p at_position S) as (m & (_ & (_ & _ & _ & s & mask & N & M) & _) & _).
      rewrite (O s (nth_error_In _ _ N)) in M. now destruct (of_card m).
    - destruct S as (_ & N & _). contradiction.
    - destruct (they_pass p at_position S) as (m & L & A & S'). now apply (IH m L A).
  Qed.

  (** ** Conversely: only such opponents keep a player waiting for ever *)

  (* A player who shares a set after a move shared it before. *)
  Lemma moving_shares_nothing m d a b : agrees m d -> shares (moved m d) a b -> shares d a b.
  Proof.
    intros (row & holder & N & P & _ & C & Y) (D & index & row' & N' & A & B).
    split; [exact D|]. unfold moved in N'. rewrite N in N'. destruct (yes m); [|now exists index, row'].
    destruct (PeanoNat.Nat.eq_dec (of_set m) index) as [<-|Ni].
    - rewrite (nth_put _ _ _ _ N) in N'. injection N' as <-. exists (of_set m), row.
      split; [exact N|].
      rewrite (count_put a row _ _ _ P) in A. rewrite (count_put b row _ _ _ P) in B.
      destruct (Z.eqb_spec (asker m) a), (Z.eqb_spec (asker m) b),
        (Z.eqb_spec holder a), (Z.eqb_spec holder b); subst; split; lia.
    - rewrite nth_put_elsewhere in N' by exact Ni. now exists index, row'.
  Qed.

  Lemma putting_away_shares_nothing d index a b : shares (put d index []) a b -> shares d a b.
  Proof.
    intros (D & i & row & N & A & B). split; [exact D|].
    destruct (PeanoNat.Nat.eq_dec index i) as [<-|Ni].
    - destruct (nth_error d index) as [old|] eqn:E.
      + rewrite (nth_put _ _ _ _ E) in N. injection N as <-. now exfalso; apply A.
      + apply nth_error_None in E. assert (L : nth_error (put d index []) index = None)
          by (apply nth_error_None; now rewrite put_length).
        congruence.
    - rewrite nth_put_elsewhere in N by exact Ni. now exists i, row.
  Qed.

  Lemma settling_back pr pr' :
    settles pr pr' -> (exists d, fits pr d) -> forall d', fits pr' d' ->
    exists d, fits pr d /\ forall a b, shares d' a b -> shares d a b.
  Proof.
    induction 1 as [pr|pr p index s pr' I S All _ IH]; intros Some d' F'.
    - exists d'. auto.
    - destruct IH with d' as (d1 & F1 & K); auto.
      + destruct Some as [d F]. exists (put d index []).
        apply a_completed_set_can_be_put_away; eauto.
      + apply a_completed_set_can_be_put_away in F1; auto.
        destruct F1 as (d & F & ->). exists d. split; [exact F|].
        intros a b Sh. eapply putting_away_shares_nothing; eauto.
  Qed.

  (* A deal after a move gives a deal before it. *)
  Lemma looking_back m at_position :
    well_formed (board at_position) -> may_be_made m at_position ->
    forall d', fits (board (then_ m at_position)) d' ->
    exists d, fits (board at_position) d /\ agrees m d /\ forall a b, shares d' a b -> shares d a b.
  Proof.
    intros W (_ & M & _ & d0 & F0 & A0) d' F'.
    destruct (settling_back _ _ (settle_settles (after m (board at_position)))) with d'
      as (d1 & F1 & K); auto.
    - exists (moved m d0). apply a_question_loses_nothing; eauto.
    - apply a_question_loses_nothing in F1; auto. destruct F1 as (d & F & A & ->).
      exists d. split; [exact F|]. split; [exact A|]. intros a b Sh.
      apply (moving_shares_nothing m); auto.
  Qed.

  Lemma move_keeps_well_formed m at_position :
    well_formed (board at_position) -> may_be_made m at_position ->
    well_formed (board (then_ m at_position)).
  Proof.
    intros W (_ & M & _ & d0 & F0 & A0).
    refine (proj1 (settling_keeps _ _ (settle_settles _) (it_stays_well_formed m _ W) (moved m d0) _)).
    apply a_question_loses_nothing; eauto.
  Qed.

  (* The asker shares the set with the holder of the card. *)
  Lemma asking_is_sharing m d :
    agrees m d -> exists v, shares d (asker m) v /\ (yes m = false -> v <> asked m).
  Proof.
    intros (row & holder & N & P & X & C & Y). exists holder. split.
    - split; [congruence|]. exists (of_set m), row. split; [exact N|]. split; [exact C|].
      assert (E : (if holder =? holder then 1 else 0) = 1) by now rewrite Z.eqb_refl.
      rewrite <- E. apply (total_at_least (fun h => if h =? holder then 1 else 0) row (of_card m)); auto.
      intros h. destruct (h =? holder); lia.
    - intros No. now rewrite No in Y.
  Qed.

  Lemma settles_cards pr pr' :
    settles pr pr' ->
    cards pr' < cards pr \/
    (cards pr' = cards pr /\ forall q, In q (players pr) -> at_ (hands pr') q = at_ (hands pr) q).
  Proof.
    induction 1 as [pr|pr p index s pr' I S All _ IH]; [right; auto|].
    assert (E : players (put_away p index s pr) = players pr).
    { unfold players, put_away. simpl. now rewrite put_at_length. }
    assert (C : cards (put_away p index s pr) = cards pr - Z.of_nat (length (owners s))).
    { unfold cards, put_away. cbn [sets]. rewrite (total_put _ _ _ _ _ S). cbn [owners length]. lia. }
    rewrite E in IH. destruct (Z.eq_dec (Z.of_nat (length (owners s))) 0) as [Z0|Nz].
    - destruct IH as [L|[L K]]; [left; lia|right]. split; [lia|]. intros q Q. rewrite (K q Q).
      apply in_players in I. apply in_players in Q. cbn [put_away hands].
      rewrite at_put by lia. destruct (Z.eqb_spec q p); subst; lia.
    - left. destruct IH as [L|[L _]]; lia.
  Qed.

  Lemma after_cards m pr : cards (after m pr) = cards pr.
  Proof.
    unfold after. destruct (nth_error (sets pr) (of_set m)) as [s|] eqn:S; [|easy].
    unfold cards. cbn [sets]. rewrite (total_put _ _ _ _ _ S).
    assert (length (owners (set_after m s)) = length (owners s)).
    { unfold set_after. destruct (nth_error (owners s) (of_card m)); [|easy].
      destruct (yes m); apply put_length. }
    lia.
  Qed.

  (* A move completes a set with cards, or the answer decides whose turn it is. *)
  Lemma who_is_next m at_position :
    well_formed (board at_position) -> may_be_made m at_position ->
    cards (board (then_ m at_position)) < cards (board at_position) \/
    (cards (board (then_ m at_position)) = cards (board at_position) /\
     turn (then_ m at_position) = (if yes m then asker m else asked m) /\
     (yes m = true ->
      at_ (hands (board (then_ m at_position))) (asker m) = at_ (hands (board at_position)) (asker m) + 1)).
  Proof.
    intros W (T & (X & Y & D & s & mask & S & M) & H & d & F & A).
    set (pr := board at_position) in *.
    assert (Hands : forall q, In q (players pr) -> at_ (hands (after m pr)) q =
      if yes m then at_ (hands pr) q + (if asker m =? q then 1 else 0) - (if asked m =? q then 1 else 0)
      else at_ (hands pr) q).
    { intros q Q. unfold after. rewrite S. cbn [hands]. apply in_players in X, Y, Q.
      apply hand_after; lia || auto. }
    assert (Mine : 1 <= at_ (hands pr) (asker m)).
    { destruct (asking_is_sharing m d A) as (v & Sh & _).
      now destruct (who_shares_plays pr d (asker m) v F Sh). }
    destruct (settles_cards _ _ (settle_settles (after m pr))) as [L|[E K]].
    - left. cbn [then_ board]. rewrite after_cards in L. exact L.
    - right. rewrite after_cards in E. rewrite players_after in K. cbn [then_ board turn].
      split; [exact E|].
      pose proof (K _ X) as Kx. pose proof (K _ Y) as Ky.
      rewrite (Hands _ X) in Kx. rewrite (Hands _ Y) in Ky.
      destruct (yes m) eqn:Ans.
      + rewrite Z.eqb_refl in Kx. destruct (Z.eqb_spec (asked m) (asker m)); [congruence|].
        split; [|intros _; fold pr; lia]. apply after_yes; auto. fold pr. lia.
      + split; [|discriminate]. apply after_no; auto. fold pr. lia.
  Qed.

  Lemma hand_below_cards pr d x :
    fits pr d -> In x (players pr) -> at_ (hands pr) x <= cards pr.
  Proof.
    intros F X. rewrite <- (hands_hold_all_cards pr d F).
    destruct (In_nth_error _ _ X) as [place N]. destruct F as [_ T].
    rewrite (total_ext _ (fun p => total (count p) d)) by (intros p i; symmetry; auto).
    rewrite <- (T x X).
    apply (total_at_least (fun p => total (count p) d) _ place x); auto.
    intros p. apply total_nonneg. intros. apply count_nonneg.
  Qed.

  (* Two players who can pass to each other, or three who share sets; p is not among them. *)
  Definition pass_around (d : deal) (p : Z) : Prop :=
    (exists y z, y <> p /\ z <> p /\ y <> z /\
       (exists u, u <> z /\ shares d y u) /\ (exists v, v <> y /\ shares d z v)) \/
    (exists x y z, x <> p /\ y <> p /\ z <> p /\ x <> y /\ x <> z /\ y <> z /\
       (exists u, shares d x u) /\ (exists u, shares d y u) /\ (exists u, shares d z u)).

  Definition ring_before (p : Z) (at_position : position) : Prop :=
    exists d, fits (board at_position) d /\ pass_around d p.

  Lemma shares_back d a b : shares d a b -> shares d b a.
  Proof. intros (D & i & row & N & A & B). split; [congruence|]. now exists i, row. Qed.

  Lemma ring_is_older p m at_position :
    well_formed (board at_position) -> may_be_made m at_position ->
    ring_before p (then_ m at_position) -> ring_before p at_position.
  Proof.
    intros W L (d' & F' & R). destruct (looking_back m at_position W L d' F') as (d & F & _ & K).
    exists d. split; [exact F|].
    destruct R as [(y & z & Y & Z1 & D & (u & U & Su) & v & V & Sv)
                  |(x & y & z & X & Y & Z1 & D1 & D2 & D3 & (u & Su) & (v & Sv) & w & Sw)].
    - left. exists y, z. repeat split; auto; eauto.
    - right. exists x, y, z. repeat split; auto; eauto.
  Qed.

  (* While x is to move, x shares a set with a player; this is sufficient. *)
  Lemma ring_with_turn d p x :
    x <> p -> (exists u, shares d x u) -> pass_around d p -> opponents_share d p x.
  Proof.
    intros X Sx [(y & z & Y & Z1 & D & (u & U & Su) & v & V & Sv)
                |(a & y & z & A & Y & Z1 & D1 & D2 & D3 & Sa & Sy & Sz)].
    - destruct (Z.eq_dec x y) as [->|Ny]; [|destruct (Z.eq_dec x z) as [->|Nz]].
      + destruct (Z.eq_dec u p) as [->|Up].
        * destruct (Z.eq_dec v p) as [->|Vp]; [left; exists z; auto|].
          right. exists z, v. pose proof (proj1 Sv). repeat split; auto; try congruence; eauto.
          exists z. now apply shares_back.
        * right. exists z, u. pose proof (proj1 Su). repeat split; auto; try congruence; eauto.
          exists y. now apply shares_back.
      + destruct (Z.eq_dec v p) as [->|Vp].
        * destruct (Z.eq_dec u p) as [->|Up]; [left; exists y; auto|].
          right. exists y, u. pose proof (proj1 Su). repeat split; auto; try congruence; eauto.
          exists y. now apply shares_back.
        * right. exists y, v. pose proof (proj1 Sv). repeat split; auto; try congruence; eauto.
          exists z. now apply shares_back.
      + right. exists y, z. repeat split; auto; eauto.
    - destruct (Z.eq_dec x a) as [->|Na]; [right; exists y, z; auto 10|].
      destruct (Z.eq_dec x y) as [->|Ny]; [right; exists a, z; auto 10|].
      right. exists a, y. auto 10.
  Qed.

  Section Endless.
    Variable p : Z.
    Variable most : Z.
    (* The outer induction: the claim holds for positions with fewer cards. *)
    Hypothesis fewer : forall at_position, cards (board at_position) < most ->
      well_formed (board at_position) -> without_turn p at_position -> ring_before p at_position.

    (* The player to move passes at last, to one who shares a set; a third player holds the card. *)
    Lemma one_pass n : forall at_position,
      cards (board at_position) = most -> well_formed (board at_position) ->
      cards (board at_position) - at_ (hands (board at_position)) (turn at_position) <= Z.of_nat n ->
      without_turn p at_position ->
      ring_before p at_position \/
      exists d w v u, fits (board at_position) d /\ w <> p /\ w <> turn at_position /\ v <> w /\
        shares d (turn at_position) v /\ shares d w u.
    Proof.
      induction n as [|n IH]; intros at_position E W N [m T L P];
        (pose proof (move_keeps_well_formed m at_position W L) as W';
         destruct (who_is_next m at_position W L) as [Less|(Same & Next & Gain)];
         [left; apply (ring_is_older p m at_position W L), fewer; auto; lia|];
         pose proof L as (Turn & _ & _ & d0 & F0 & A0);
         destruct (yes m) eqn:Answer;
         [|right; destruct P as [m2 T2 L2 P2];
           pose proof L2 as (Turn2 & _ & _ & d2 & F2 & A2);
           destruct (looking_back m at_position W L d2 F2) as (d & F & A & K);
           destruct (asking_is_sharing m2 d2 A2) as (u & Su & _);
           destruct (asking_is_sharing m d A) as (v & Sv & Vn); specialize (Vn Answer);
           exists d, (asked m), v, u;
           rewrite Turn2, Next in Su; rewrite Next in T2; rewrite Turn in Sv;
           destruct L as (_ & (_ & _ & D & _) & _); rewrite Turn in D;
           split; [exact F|]; split; [exact T2|]; split; [congruence|]; split; [exact Vn|];
           split; [now apply Sv|now apply K]]).
      - exfalso. destruct (asking_is_sharing m d0 A0) as (v & Sv & _).
        destruct (who_shares_plays _ d0 _ _ F0 Sv) as [I _].
        destruct P as [m2 T2 L2 P2]. pose proof L2 as (Turn2 & (X2 & _) & _ & d2 & F2 & A2).
        rewrite Turn2, Next in X2.
        pose proof (hand_below_cards _ d2 _ F2 X2). rewrite <- Turn in N. specialize (Gain eq_refl). lia.
      - destruct (IH (then_ m at_position)) as [R|(d' & w & v & u & F' & Wp & Wt & Vw & Sv & Su)]; auto.
        + lia.
        + rewrite Next. specialize (Gain eq_refl). rewrite <- Turn in N. lia.
        + left. now apply (ring_is_older p m at_position W L).
        + right. destruct (looking_back m at_position W L d' F') as (d & F & _ & K).
          rewrite Next, Turn in *. exists d, w, v, u. split; [exact F|]. split; [exact Wp|]. split; [exact Wt|].
          split; [exact Vw|]. split; now apply K.
    Qed.

    Lemma two_passes n : forall at_position,
      cards (board at_position) = most -> well_formed (board at_position) ->
      cards (board at_position) - at_ (hands (board at_position)) (turn at_position) <= Z.of_nat n ->
      without_turn p at_position -> ring_before p at_position.
    Proof.
      induction n as [|n IH]; intros at_position E W N [m T L P];
        (pose proof (move_keeps_well_formed m at_position W L) as W';
         destruct (who_is_next m at_position W L) as [Less|(Same & Next & Gain)];
         [apply (ring_is_older p m at_position W L), fewer; auto; lia|];
         pose proof L as (Turn & _ & _ & d0 & F0 & A0);
         destruct (yes m) eqn:Answer;
         [|destruct (one_pass (Z.to_nat (cards (board (then_ m at_position))
             - at_ (hands (board (then_ m at_position))) (turn (then_ m at_position))))
             (then_ m at_position)) as [R|(d2 & w & v & u & F2 & Wp & Wt & Vw & Sv & Su)];
           [lia|exact W'|lia|exact P|now apply (ring_is_older p m at_position W L)|];
           destruct (looking_back m at_position W L d2 F2) as (d & F & A & K);
           destruct (asking_is_sharing m d A) as (u0 & Su0 & Un); specialize (Un Answer);
           apply K in Sv; apply K in Su; rewrite Next in *; rewrite Turn in *;
           assert (Tz : asked m <> p) by (destruct P as [m2 T2 _ _]; rewrite Next in T2; exact T2);
           destruct L as (_ & (_ & _ & D & _) & _); rewrite Turn in D;
           exists d; split; [exact F|];
           destruct (Z.eq_dec w (turn at_position)) as [->|Nw];
           [left; exists (turn at_position), (asked m); repeat split; auto; eauto
           |right; exists (turn at_position), (asked m), w; repeat split; auto; eauto]]).
      - exfalso. destruct P as [m2 T2 L2 P2]. pose proof L2 as (Turn2 & (X2 & _) & _ & d2 & F2 & A2).
        rewrite Turn2, Next in X2.
        pose proof (hand_below_cards _ d2 _ F2 X2). rewrite <- Turn in N. specialize (Gain eq_refl). lia.
      - apply (ring_is_older p m at_position W L), IH; auto; [lia|].
        rewrite Next. specialize (Gain eq_refl). rewrite <- Turn in N. lia.
    Qed.
  End Endless.

  Lemma cards_nonneg pr : 0 <= cards pr.
  Proof. apply total_nonneg. intros. lia. Qed.

  Lemma endless_play_has_a_ring p n : forall at_position,
    cards (board at_position) < Z.of_nat n -> well_formed (board at_position) ->
    without_turn p at_position -> ring_before p at_position.
  Proof.
    induction n as [|n IH]; intros at_position C W P.
    - pose proof (cards_nonneg (board at_position)). lia.
    - apply (two_passes p (cards (board at_position))) with (n := Z.to_nat
        (cards (board at_position) - at_ (hands (board at_position)) (turn at_position))); auto; [|lia].
      intros other Less W' P'. apply IH; auto. lia.
  Qed.

  Theorem who_waits_for_ever_waits_for_such_opponents p at_position :
    well_formed (board at_position) -> without_turn p at_position -> such_opponents p at_position.
  Proof.
    intros W P. pose proof P as [m T L P'].
    assert (R : ring_before p (then_ m at_position)).
    { apply (endless_play_has_a_ring p (S (Z.to_nat (cards (board (then_ m at_position)))))); auto.
      - pose proof (cards_nonneg (board (then_ m at_position))). lia.
      - now apply move_keeps_well_formed. }
    destruct R as (d' & F' & R).
    destruct (looking_back m at_position W L d' F') as (d & F & A & K).
    split; [exact W|]. split; [exact T|]. exists d. split; [exact F|].
    destruct (asking_is_sharing m d A) as (v & Sv & _). rewrite (proj1 L) in Sv.
    apply ring_with_turn; [exact T|eauto|].
    destruct R as [(y & z & Y & Z1 & D & (u & U & Su) & w & V & Sw)
                  |(x & y & z & X & Y & Z1 & D1 & D2 & D3 & (u & Su) & (w & Sw) & t & St)].
    - left. exists y, z. repeat split; auto; eauto.
    - right. exists x, y, z. repeat split; auto; eauto.
  Qed.
End Rules.

(** ** An example: the start of the game of three sets of four cards, for three players *)

Definition unknown_set : card_set := {| owners := [7; 7; 7; 7]; low := [0; 0; 0]; high := [4; 4; 4] |}.
Definition start : position :=
  {| board := {| hands := [4; 4; 4]; sets := [unknown_set; unknown_set; unknown_set] |}; turn := 0 |}.

Theorem at_the_start_players_1_and_2_can_be_kept_waiting p : p = 1 \/ p = 2 -> such_opponents p start.
Proof.
  intros P. split; [|split].
  - intros s [<-|[<-|[<-|[]]]]; easy.
  - destruct P as [->| ->]; easy.
  - exists [[0; 1; 2; 0]; [0; 0; 1; 1]; [1; 2; 2; 2]].
    split; [now apply a_deal_is_accepted_exactly_if_it_fits|]. left. exists (3 - p).
    repeat split; try (destruct P as [->| ->]; easy);
      exists O, [0; 1; 2; 0]; destruct P as [->| ->]; now vm_compute.
Qed.
