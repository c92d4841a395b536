(* Hoffman's theorem: in a network whose arcs have lower and upper bounds, either an integral
   circulation keeps all bounds, or there is a set of nodes into which more must flow than can
   flow out.
   The proof is the algorithm: begin without flow, and if an arc has too little, search for a path
   back that can take one more unit; if there is none, the nodes that were reached are the set. *)

From Coq Require Import ZArith List Bool Lia.
From Quaternity Require Import deals.
Import ListNotations.
Open Scope Z_scope.

Lemma total_lt {A} (f g : A -> Z) l x :
  (forall y, In y l -> f y <= g y) -> In x l -> f x < g x -> total f l < total g l.
Proof.
  induction l as [|a l IH]; simpl; intros H I L; [easy|].
  assert (Ha := H a (or_introl eq_refl)).
  assert (Hl := total_le f g l (fun y i => H y (or_intror i))).
  destruct I as [->|I]; [lia|]. specialize (IH (fun y i => H y (or_intror i)) I L). lia.
Qed.

Section Network.
  Context {V E : Type}.
  Variable V_dec : forall v w : V, {v = w} + {v <> w}.
  Variable same : E -> E -> bool.
  Hypothesis same_spec : forall a b, same a b = true <-> a = b.
  Variables (places : list V) (arcs : list E) (src dst : E -> V) (lo up : E -> Z).
  (* Every arc is listed once. *)
  Hypothesis once : forall a, In a arcs -> forall k : E -> Z,
    total (fun b => if same a b then k b else 0) arcs = k a.
  Hypothesis ends : forall a, In a arcs -> In (src a) places /\ In (dst a) places.
  Hypothesis bounded : forall a, In a arcs -> 0 <= lo a <= up a.

  (* The flow out of the nodes minus the flow into them, each node with a weight. *)
  Definition excess (f : E -> Z) (weight : V -> Z) : Z :=
    total (fun a => (weight (src a) - weight (dst a)) * f a) arcs.

  Definition circulation (f : E -> Z) : Prop := forall weight, excess f weight = 0.
  Definition capped (f : E -> Z) : Prop := forall a, In a arcs -> f a <= up a.
  Definition lack (f : E -> Z) : Z := total (fun a => Z.max 0 (lo a - f a)) arcs.

  Definition push (f : E -> Z) (a : E) (amount : Z) : E -> Z :=
    fun b => if same a b then f b + amount else f b.

  Lemma push_here f a amount : push f a amount a = f a + amount.
  Proof. unfold push. now rewrite (proj2 (same_spec a a) eq_refl). Qed.

  Lemma push_elsewhere f a amount b : a <> b -> push f a amount b = f b.
  Proof.
    intros N. unfold push. destruct (same a b) eqn:S; auto. now apply same_spec in S.
  Qed.

  Lemma excess_push f a amount weight :
    In a arcs ->
    excess (push f a amount) weight = excess f weight + amount * (weight (src a) - weight (dst a)).
  Proof.
    intros I. unfold excess.
    rewrite <- (once a I (fun b => amount * (weight (src b) - weight (dst b)))), <- total_add.
    apply total_ext. intros b _. unfold push. destruct (same a b); lia.
  Qed.

  (** ** One unit more *)

  Section Improving.
    Variables (f : E -> Z) (short : E).
    Hypothesis f_circulates : circulation f.
    Hypothesis f_capped : capped f.
    Hypothesis short_arc : In short arcs.
    Hypothesis is_short : f short < lo short.

    (* There is a flow that brings one unit to v from the end of the arc that has too little. *)
    Definition reaches (R : list V) (v : V) : Prop :=
      exists h : E -> Z,
        (forall weight, excess h weight = weight (dst short) - weight v) /\
        capped h /\ h short = f short /\
        (forall a, In a arcs -> Z.min (f a) (lo a) <= h a) /\
        (forall a, In a arcs -> ~ (In (src a) R /\ In (dst a) R) -> h a = f a).

    Definition inside (R : list V) (v : V) : bool := if in_dec V_dec v R then true else false.

    Lemma inside_spec R v : inside R v = true <-> In v R.
    Proof. unfold inside. destruct (in_dec V_dec v R); easy. Qed.

    Definition leads_on (R : list V) (a : E) : bool :=
      (inside R (src a) && negb (inside R (dst a)) && (f a <? up a)) ||
      (inside R (dst a) && negb (inside R (src a)) && (lo a <? f a)).

    Lemma one_place_more R a :
      In a arcs -> In (dst short) R -> (forall v, In v R -> reaches R v) -> leads_on R a = true ->
      exists w, In w places /\ ~ In w R /\ forall v, In v (w :: R) -> reaches (w :: R) v.
    Proof.
      intros I T H L. unfold leads_on in L.
      assert (Old : forall w v, In v R -> reaches (w :: R) v).
      { intros w v i. destruct (H v i) as (h & X & C & S & M & O). exists h.
        split; [exact X|]. split; [exact C|]. split; [exact S|]. split; [exact M|].
        intros b ib N. apply O; auto. intros [Hs Hd]. apply N. split; now right. }
      rewrite orb_true_iff, !andb_true_iff, !negb_true_iff, !Z.ltb_lt, !inside_spec in L.
      destruct L as [[[Is Id] L]|[[Id Is] L]].
      - assert (Nd : ~ In (dst a) R) by (intros i; apply inside_spec in i; congruence).
        exists (dst a). split; [now apply ends|]. split; [exact Nd|].
        intros v [<-|i]; [|now apply Old].
        destruct (H _ Is) as (h & X & C & S & M & O).
        assert (E1 : h a = f a) by (apply O; tauto).
        assert (Na : a <> short) by (intros ->; contradiction).
        exists (push h a 1). split; [|split; [|split; [|split]]].
        + intros weight. rewrite excess_push, X by auto. lia.
        + intros b ib. destruct (same a b) eqn:S1.
          * apply same_spec in S1. subst b. rewrite push_here. lia.
          * rewrite push_elsewhere; [now apply C|]. intros e. apply same_spec in e. congruence.
        + rewrite push_elsewhere; auto.
        + intros b ib. destruct (same a b) eqn:S1.
          * apply same_spec in S1. subst b. rewrite push_here. specialize (M a I). lia.
          * rewrite push_elsewhere; [now apply M|]. intros e. apply same_spec in e. congruence.
        + intros b ib N. rewrite push_elsewhere.
          * apply O; auto. intros [Hs Hd]. apply N. split; now right.
          * intros ->. apply N. split; [now right|now left].
      - assert (Ns : ~ In (src a) R) by (intros i; apply inside_spec in i; congruence).
        exists (src a). split; [now apply ends|]. split; [exact Ns|].
        intros v [<-|i]; [|now apply Old].
        destruct (H _ Id) as (h & X & C & S & M & O).
        assert (E1 : h a = f a) by (apply O; tauto).
        assert (Na : a <> short) by (intros ->; lia).
        exists (push h a (-1)). split; [|split; [|split; [|split]]].
        + intros weight. rewrite excess_push, X by auto. lia.
        + intros b ib. destruct (same a b) eqn:S1.
          * apply same_spec in S1. subst b. rewrite push_here. specialize (C a I). lia.
          * rewrite push_elsewhere; [now apply C|]. intros e. apply same_spec in e. congruence.
        + rewrite push_elsewhere; auto.
        + intros b ib. destruct (same a b) eqn:S1.
          * apply same_spec in S1. subst b. rewrite push_here. lia.
          * rewrite push_elsewhere; [now apply M|]. intros e. apply same_spec in e. congruence.
        + intros b ib N. rewrite push_elsewhere.
          * apply O; auto. intros [Hs Hd]. apply N. split; now right.
          * intros ->. apply N. split; [now left|now right].
    Qed.

    Lemma all_places_reached n : forall R,
      (length places <= length R + n)%nat -> NoDup R -> incl R places -> In (dst short) R ->
      (forall v, In v R -> reaches R v) ->
      exists R', In (dst short) R' /\ (forall v, In v R' -> reaches R' v) /\
        forall a, In a arcs -> leads_on R' a = false.
    Proof.
      induction n as [|n IH]; intros R L D In_ T H;
        (destruct (existsb (leads_on R) arcs) eqn:X;
         [apply existsb_exists in X; destruct X as (a & I & X);
          destruct (one_place_more R a I T H X) as (w & Iw & Nw & Hw);
          assert (D' : NoDup (w :: R)) by (now constructor);
          assert (In' : incl (w :: R) places) by (intros v [<-|i]; auto)
         |exists R; split; [exact T|]; split; [exact H|]; intros a I;
          destruct (leads_on R a) eqn:Y; auto;
          assert (Z1 : existsb (leads_on R) arcs = true) by (apply existsb_exists; eauto);
          congruence]).
      - apply NoDup_incl_length in In'; auto. simpl in In'. lia.
      - apply (IH (w :: R)); auto; [simpl; lia|now right].
    Qed.

    (* The flow that can leave a set of nodes, minus the flow that must enter it. *)
    Definition room (R : V -> bool) : Z :=
      total (fun a => amount_if (R (src a) && negb (R (dst a))) (up a)
                    - amount_if (R (dst a) && negb (R (src a))) (lo a)) arcs.

    Lemma better_or_blocked :
      (exists f', circulation f' /\ capped f' /\ lack f' < lack f) \/ (exists R, room R < 0).
    Proof.
      destruct (all_places_reached (length places) [dst short]) as (R & T & H & Stop).
      - simpl. lia.
      - repeat constructor. easy.
      - intros v [<-|[]]. now apply ends.
      - now left.
      - intros v [<-|[]]. exists f. split; [intros weight; rewrite f_circulates; lia|].
        split; [exact f_capped|]. split; [easy|]. split; [intros; lia|easy].
      - destruct (in_dec V_dec (src short) R) as [I|N].
        + left. destruct (H _ I) as (h & X & C & S & M & _). exists (push h short 1).
          split; [|split].
          * intros weight. rewrite excess_push, X by auto. lia.
          * intros b ib. destruct (same short b) eqn:S1.
            -- apply same_spec in S1. subst b. rewrite push_here.
               specialize (bounded short ib). lia.
            -- rewrite push_elsewhere; [now apply C|]. intros e. apply same_spec in e. congruence.
          * unfold lack. apply total_lt with short; auto.
            -- intros b ib. destruct (same short b) eqn:S1.
               ++ apply same_spec in S1. subst b. rewrite push_here. lia.
               ++ rewrite push_elsewhere; [specialize (M b ib); lia|].
                  intros e. apply same_spec in e. congruence.
            -- rewrite push_here. lia.
        + right. exists (inside R).
          rewrite <- (f_circulates (fun v => if inside R v then 1 else 0)).
          unfold room, excess. apply total_lt with short; auto.
          * intros a I. specialize (Stop a I). unfold leads_on in Stop.
            apply orb_false_iff in Stop. destruct Stop as [Out In_].
            unfold amount_if. destruct (inside R (src a)), (inside R (dst a));
              simpl andb in *; cbv iota; lia.
          * assert (E1 : inside R (src short) = false).
            { destruct (inside R (src short)) eqn:X; auto. now apply inside_spec in X. }
            rewrite E1, (proj2 (inside_spec R (dst short)) T). unfold amount_if. simpl andb. cbv iota. lia.
    Qed.
  End Improving.

  (** ** The theorem *)

  Theorem a_circulation_exists_or_a_cut_forbids_it :
    (exists f, circulation f /\ forall a, In a arcs -> lo a <= f a <= up a) \/
    (exists R, room R < 0).
  Proof.
    assert (Enough : forall n f, lack f <= Z.of_nat n -> circulation f -> capped f ->
      (exists f, circulation f /\ forall a, In a arcs -> lo a <= f a <= up a) \/
      (exists R, room R < 0)).
    { induction n as [|n IH]; intros f L F C;
        (destruct (existsb (fun a => f a <? lo a) arcs) eqn:X;
         [apply existsb_exists in X; destruct X as (a & I & X); apply Z.ltb_lt in X;
          destruct (better_or_blocked f a F C I X) as [(f' & F' & C' & L')|B]; [|now right]
         |left; exists f; split; [exact F|]; intros a I; split; [|now apply C];
          destruct (Z.ltb_spec (f a) (lo a)) as [Y|Y]; [|exact Y];
          assert (Z1 : existsb (fun a => f a <? lo a) arcs = true)
            by (apply existsb_exists; exists a; split; [exact I|now apply Z.ltb_lt]);
          congruence]).
      - assert (0 <= lack f') by (apply total_nonneg; intros; apply Z.le_max_l). lia.
      - apply (IH f'); auto; lia. }
    apply (Enough (Z.to_nat (lack (fun _ => 0))) (fun _ => 0)).
    - rewrite Znat.Z2Nat.id; [apply Z.le_refl|apply total_nonneg; intros; apply Z.le_max_l].
    - intros weight. etransitivity; [|apply (total_zero arcs)].
      apply total_ext. intros. apply Z.mul_0_r.
    - intros a I. specialize (bounded a I). lia.
  Qed.
End Network.
