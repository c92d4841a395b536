(* Either a deal or a shortage exists: if no shortage adds up, then some deal fits.
   So the inequalities of the coalitions are not only necessary but sufficient.
   The proof applies the circulation theorem to the network of the guide: table, players, piles of
   one player and one set, cards, and back to the table. *)

From Coq Require Import ZArith List Bool Lia FinFun.
From Quaternity Require Import deals circulation.
Import ListNotations.
Open Scope Z_scope.

(* No hand and no minimum is negative. *)
Definition well_formed (pr : problem) : Prop :=
  forall p, In p (players pr) ->
    0 <= at_ (hands pr) p /\ forall s, In s (sets pr) -> 0 <= at_ (low s) p.

(** ** Sums and lists *)

Lemma total_app {A} (f : A -> Z) xs ys : total f (xs ++ ys) = total f xs + total f ys.
Proof. induction xs; simpl; lia. Qed.

Lemma total_map {A B} (f : B -> Z) (g : A -> B) l : total f (map g l) = total (fun x => f (g x)) l.
Proof. induction l; simpl; congruence. Qed.

Lemma total_flat_map {A B} (f : B -> Z) (g : A -> list B) l :
  total f (flat_map g l) = total (fun x => total f (g x)) l.
Proof. induction l as [|a l IH]; simpl; [easy|]. rewrite total_app. congruence. Qed.

Lemma total_none {A} (f : A -> Z) l : (forall x, In x l -> f x = 0) -> total f l = 0.
Proof. intros H. rewrite <- (total_zero l). now apply total_ext. Qed.

Lemma none_and_none a b : a = 0 -> b = 0 -> a + b = 0.
Proof. lia. Qed.

(* A sum of zeros is zero. *)
Ltac nothing := repeat first [apply none_and_none | apply total_none; intros];
  rewrite ?andb_false_r; try easy; try lia.

Lemma total_sub {A} (f g : A -> Z) l : total (fun x => f x - g x) l = total f l - total g l.
Proof. induction l; simpl; lia. Qed.

Lemma total_scale {A} (f : A -> Z) k l : total (fun x => k * f x) l = k * total f l.
Proof. induction l; simpl; lia. Qed.

(* In a list without repetitions one entry passes the test. *)
Lemma total_one {A} (test : A -> bool) (f : A -> Z) l x :
  NoDup l -> In x l -> (forall y, test y = true <-> y = x) ->
  total (fun y => if test y then f y else 0) l = f x.
Proof.
  intros D I T. induction l as [|a l IH]; [easy|]. simpl. inversion D as [|? ? N D']; subst.
  destruct (test a) eqn:X.
  - apply T in X. subst. rewrite total_none; [lia|]. intros y i.
    destruct (test y) eqn:Y; auto. apply T in Y. now subst.
  - destruct I as [->|I]; [|rewrite IH; auto].
    rewrite (proj2 (T x) eq_refl) in X. discriminate.
Qed.

Lemma map_nth_seq {A} (l : list A) default :
  l = map (fun n => nth n l default) (seq 0 (length l)).
Proof.
  induction l as [|a l IH]; [easy|]. simpl. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma all_map {A B C} (P : B -> C -> Prop) (f : A -> B) (g : A -> C) l :
  (forall x, In x l -> P (f x) (g x)) -> Forall2 P (map f l) (map g l).
Proof. induction l; simpl; intros H; constructor; auto. Qed.

(** ** Sets of players as numbers *)

Fixpoint mask_below (n : nat) (member : Z -> bool) : Z :=
  match n with
  | O => 0
  | S k => let rest := mask_below k member in
           if member (Z.of_nat k) then Z.lor rest (2 ^ Z.of_nat k) else rest
  end.

Lemma mask_bit n member p :
  0 <= p -> Z.testbit (mask_below n member) p = (p <? Z.of_nat n) && member p.
Proof.
  intros P. induction n as [|n IH]; simpl mask_below.
  - rewrite Z.testbit_0_l. destruct (Z.ltb_spec p (Z.of_nat 0)); simpl; auto; lia.
  - assert (E : (p <? Z.of_nat (S n)) = ((p <? Z.of_nat n) || (p =? Z.of_nat n))).
    { destruct (Z.ltb_spec p (Z.of_nat (S n))), (Z.ltb_spec p (Z.of_nat n)),
        (Z.eqb_spec p (Z.of_nat n)); simpl; auto; lia. }
    rewrite E. destruct (member (Z.of_nat n)) eqn:M.
    + rewrite Z.lor_spec, IH, Z.pow2_bits_eqb, (Z.eqb_sym (Z.of_nat n)) by lia.
      destruct (Z.eqb_spec p (Z.of_nat n)) as [->|N].
      * now rewrite M, !orb_true_r.
      * now rewrite !orb_false_r.
    + rewrite IH. destruct (Z.eqb_spec p (Z.of_nat n)) as [->|N].
      * rewrite M. now rewrite !andb_false_r.
      * now rewrite orb_false_r.
Qed.

Lemma mask_range n member : 0 <= mask_below n member < 2 ^ Z.of_nat n.
Proof.
  assert (P : 0 <= mask_below n member).
  { induction n as [|n IH]; simpl; [lia|]. destruct (member (Z.of_nat n)); auto.
    apply Z.lor_nonneg. split; auto. apply Z.pow_nonneg. lia. }
  split; auto. destruct (Z.eq_dec (mask_below n member) 0) as [->|N]; [lia|].
  apply Z.log2_lt_pow2; [lia|].
  assert (B : Z.testbit (mask_below n member) (Z.log2 (mask_below n member)) = true)
    by (apply Z.bit_log2; lia).
  rewrite mask_bit in B by apply Z.log2_nonneg.
  apply andb_true_iff in B. now apply Z.ltb_lt.
Qed.

(** ** The network *)

Inductive place := Table | Player (p : Z) | Pile (p : Z) (i : nat) | Card (i c : nat).
Inductive arc :=
| Hand (p : Z)             (* from the table to a player: as many cards as the hand holds *)
| Share (p : Z) (i : nat)  (* from a player to the pile of one set: between low and high *)
| Give (p : Z) (i c : nat) (* from the pile to a card that the player may own: none or one *)
| Lay (i c : nat).         (* from each card to the table: one *)

Definition place_dec (v w : place) : {v = w} + {v <> w}.
Proof. decide equality; try apply Z.eq_dec; apply PeanoNat.Nat.eq_dec. Defined.

Definition same_arc (a b : arc) : bool :=
  match a, b with
  | Hand p, Hand q => q =? p
  | Share p i, Share q j => (q =? p) && Nat.eqb j i
  | Give p i c, Give q j e => (q =? p) && Nat.eqb j i && Nat.eqb e c
  | Lay i c, Lay j e => Nat.eqb j i && Nat.eqb e c
  | _, _ => false
  end.

Lemma same_arc_spec a b : same_arc a b = true <-> a = b.
Proof.
  destruct a, b; simpl; rewrite ?andb_true_iff, ?Z.eqb_eq, ?PeanoNat.Nat.eqb_eq;
    split; intros H; try discriminate; try (inversion H; subst; easy); f_equal; try easy;
    destruct H; try easy; now destruct H.
Qed.

Section Existence.
  Variable pr : problem.
  Hypothesis W : well_formed pr.
  Let everybody := players pr.
  Let count_of_sets := length (sets pr).
  Definition the_set (i : nat) : card_set := nth i (sets pr) {| owners := []; low := []; high := [] |}.
  Definition size (i : nat) : nat := length (owners (the_set i)).
  Definition mask (i c : nat) : Z := nth c (owners (the_set i)) 0.
  Definition indices : list nat := seq 0 (length (sets pr)).
  Definition places_of (i : nat) : list nat := seq 0 (size i).

  Hypothesis not_crossed : forall i p, In i indices -> In p (players pr) ->
    at_ (low (the_set i)) p <= at_ (high (the_set i)) p.

  Definition src (a : arc) : place :=
    match a with
    | Hand p => Table | Share p i => Player p | Give p i c => Pile p i | Lay i c => Card i c
    end.
  Definition dst (a : arc) : place :=
    match a with
    | Hand p => Player p | Share p i => Pile p i | Give p i c => Card i c | Lay i c => Table
    end.
  Definition lo (a : arc) : Z :=
    match a with
    | Hand p => at_ (hands pr) p | Share p i => at_ (low (the_set i)) p | Give _ _ _ => 0 | Lay _ _ => 1
    end.
  Definition up (a : arc) : Z :=
    match a with
    | Hand p => at_ (hands pr) p
    | Share p i => at_ (high (the_set i)) p
    | Give p i c => if Z.testbit (mask i c) p then 1 else 0
    | Lay _ _ => 1
    end.

  Definition arcs : list arc :=
    map Hand (players pr) ++
    flat_map (fun i => map (fun p => Share p i) (players pr) ++
      flat_map (fun c => Lay i c :: map (fun p => Give p i c) (players pr)) (places_of i)) indices.

  Definition all_places : list place := Table :: map src arcs ++ map dst arcs.

  Lemma total_arcs F :
    total F arcs =
    total (fun p => F (Hand p)) (players pr) +
    total (fun i => total (fun p => F (Share p i)) (players pr) +
      total (fun c => F (Lay i c) + total (fun p => F (Give p i c)) (players pr)) (places_of i)) indices.
  Proof.
    unfold arcs. rewrite total_app, total_map, total_flat_map. f_equal.
    apply total_ext. intros i _. rewrite total_app, total_map, total_flat_map. f_equal.
    apply total_ext. intros c _. simpl. now rewrite total_map.
  Qed.

  Lemma in_arcs a :
    In a arcs <->
    match a with
    | Hand p => In p (players pr)
    | Share p i => In i indices /\ In p (players pr)
    | Give p i c => In i indices /\ In c (places_of i) /\ In p (players pr)
    | Lay i c => In i indices /\ In c (places_of i)
    end.
  Proof.
    unfold arcs. rewrite in_app_iff, in_map_iff, in_flat_map. split.
    - intros [(p & <- & H)|(i & I & H)]; [easy|].
      rewrite in_app_iff, in_map_iff, in_flat_map in H.
      destruct H as [(p & <- & H)|(c & C & H)]; [easy|].
      destruct H as [<-|H]; [easy|]. apply in_map_iff in H. destruct H as (p & <- & H). easy.
    - destruct a as [p|p i|p i c|i c]; intros H.
      + left. eauto.
      + right. exists i. split; [easy|]. apply in_app_iff. left. apply in_map_iff. exists p. easy.
      + right. exists i. split; [easy|]. apply in_app_iff. right. apply in_flat_map.
        exists c. split; [easy|]. right. apply in_map_iff. exists p. easy.
      + right. exists i. split; [easy|]. apply in_app_iff. right. apply in_flat_map.
        exists c. split; [easy|]. now left.
  Qed.

  Lemma indices_once : NoDup indices.
  Proof. apply seq_NoDup. Qed.

  Lemma cards_once i : NoDup (places_of i).
  Proof. apply seq_NoDup. Qed.

  Lemma arcs_once a : In a arcs -> forall k, total (fun b => if same_arc a b then k b else 0) arcs = k a.
  Proof.
    intros I k. apply in_arcs in I. rewrite total_arcs. destruct a as [p|p i|p i c|i c]; simpl.
    - rewrite (total_one (fun q => q =? p) (fun q => k (Hand q)) _ p (players_once pr) I)
        by (intros; apply Z.eqb_eq).
      rewrite (total_none _ indices); [lia|]. intros i _.
      nothing.
    - destruct I as [I J]. rewrite total_none by easy.
      rewrite (total_ext _ (fun j => if Nat.eqb j i then k (Share p j) else 0)).
      + rewrite (total_one (fun j => Nat.eqb j i) (fun j => k (Share p j)) _ i indices_once I)
          by (intros; apply PeanoNat.Nat.eqb_eq). lia.
      + intros j _. rewrite (total_none _ (places_of j)).
        2: { nothing. }
        destruct (Nat.eqb j i).
        * rewrite (total_ext _ (fun q => if q =? p then k (Share q j) else 0)).
          -- rewrite (total_one (fun q => q =? p) (fun q => k (Share q j)) _ p (players_once pr) J)
               by (intros; apply Z.eqb_eq). lia.
          -- intros q _. now rewrite andb_true_r.
        * nothing.
    - destruct I as (I & C & J). rewrite total_none by easy.
      rewrite (total_ext _ (fun j => if Nat.eqb j i then k (Give p j c) else 0)).
      + rewrite (total_one (fun j => Nat.eqb j i) (fun j => k (Give p j c)) _ i indices_once I)
          by (intros; apply PeanoNat.Nat.eqb_eq). lia.
      + intros j _.
        destruct (Nat.eqb j i) eqn:E.
        * apply PeanoNat.Nat.eqb_eq in E. subst j.
          rewrite (total_ext _ (fun e => if Nat.eqb e c then k (Give p i e) else 0)).
          -- rewrite (total_one (fun e => Nat.eqb e c) (fun e => k (Give p i e)) _ c (cards_once i) C)
               by (intros; apply PeanoNat.Nat.eqb_eq). lia.
          -- intros e _. destruct (Nat.eqb e c).
             ++ rewrite (total_ext _ (fun q => if q =? p then k (Give q i e) else 0)).
                ** rewrite (total_one (fun q => q =? p) (fun q => k (Give q i e)) _ p (players_once pr) J)
                     by (intros; apply Z.eqb_eq). lia.
                ** intros q _. now rewrite !andb_true_r.
             ++ nothing.
        * nothing.
    - destruct I as [I C]. rewrite total_none by easy.
      rewrite (total_ext _ (fun j => if Nat.eqb j i then k (Lay j c) else 0)).
      + rewrite (total_one (fun j => Nat.eqb j i) (fun j => k (Lay j c)) _ i indices_once I)
          by (intros; apply PeanoNat.Nat.eqb_eq). lia.
      + intros j _.
        destruct (Nat.eqb j i) eqn:E.
        * apply PeanoNat.Nat.eqb_eq in E. subst j.
          rewrite (total_ext _ (fun e => if Nat.eqb e c then k (Lay i e) else 0)).
          -- rewrite (total_one (fun e => Nat.eqb e c) (fun e => k (Lay i e)) _ c (cards_once i) C)
               by (intros; apply PeanoNat.Nat.eqb_eq). lia.
          -- intros e _. simpl. lia.
        * nothing.
  Qed.

  Lemma arc_ends a : In a arcs -> In (src a) all_places /\ In (dst a) all_places.
  Proof.
    intros I. unfold all_places. simpl. rewrite !in_app_iff, !in_map_iff.
    split; right; [left|right]; eauto.
  Qed.

  Lemma the_set_in i : In i indices -> In (the_set i) (sets pr).
  Proof. intros I. apply in_seq in I. apply nth_In. lia. Qed.

  Lemma arc_bounds a : In a arcs -> 0 <= lo a <= up a.
  Proof.
    intros I. apply in_arcs in I. destruct a as [p|p i|p i c|i c]; simpl.
    - pose proof (proj1 (W p I)). lia.
    - destruct I as [I J]. split; [|now apply not_crossed].
      apply (proj2 (W p J)). now apply the_set_in.
    - destruct (Z.testbit (mask i c) p); lia.
    - lia.
  Qed.

  Lemma sets_listed : sets pr = map the_set indices.
  Proof. apply map_nth_seq. Qed.

  Lemma owners_listed i : owners (the_set i) = map (mask i) (places_of i).
  Proof. apply map_nth_seq. Qed.

  (** ** A circulation is a deal *)

  Section From_a_circulation.
    Variable f : arc -> Z.
    Hypothesis F : circulation arcs src dst f.
    Hypothesis B : forall a, In a arcs -> lo a <= f a <= up a.

    Lemma balance weight :
      total (fun p => (weight Table - weight (Player p)) * f (Hand p)) (players pr) +
      total (fun i => total (fun p => (weight (Player p) - weight (Pile p i)) * f (Share p i)) (players pr) +
        total (fun c => (weight (Card i c) - weight Table) * f (Lay i c) +
          total (fun p => (weight (Pile p i) - weight (Card i c)) * f (Give p i c)) (players pr))
          (places_of i)) indices = 0.
    Proof. rewrite <- (F weight). unfold excess. now rewrite total_arcs. Qed.

    Lemma card_balance i c :
      In i indices -> In c (places_of i) -> total (fun p => f (Give p i c)) (players pr) = 1.
    Proof.
      intros I C.
      pose proof (balance (fun v => match v with
        | Card j e => if Nat.eqb j i && Nat.eqb e c then 1 else 0 | _ => 0 end)) as E. simpl in E.
      rewrite total_none in E by (intros; lia).
      rewrite (total_ext _ (fun j => if Nat.eqb j i
        then f (Lay i c) - total (fun p => f (Give p i c)) (players pr) else 0)) in E.
      - rewrite (total_one (fun j => Nat.eqb j i)
          (fun _ => f (Lay i c) - total (fun p => f (Give p i c)) (players pr)) _ i indices_once I) in E
          by (intros; apply PeanoNat.Nat.eqb_eq).
        assert (L : In (Lay i c) arcs) by now apply in_arcs.
        specialize (B _ L). simpl in B. lia.
      - intros j _.
        destruct (Nat.eqb j i) eqn:Ej; simpl.
        + apply PeanoNat.Nat.eqb_eq in Ej. subst j.
          rewrite (total_ext _ (fun e => if Nat.eqb e c
            then f (Lay i c) - total (fun p => f (Give p i c)) (players pr) else 0)).
          * rewrite (total_one (fun e => Nat.eqb e c)
              (fun _ => f (Lay i c) - total (fun p => f (Give p i c)) (players pr)) _ c (cards_once i) C)
              by (intros; apply PeanoNat.Nat.eqb_eq). lia.
          * intros e _. destruct (Nat.eqb e c) eqn:Ee.
            -- apply PeanoNat.Nat.eqb_eq in Ee. subst e.
               rewrite (total_ext _ (fun p => (-1) * f (Give p i c))) by (intros; lia).
               rewrite total_scale. lia.
            -- rewrite total_none; intros; lia.
        + apply total_none. intros e _. rewrite total_none; intros; lia.
    Qed.

    Lemma pile_balance p i :
      In i indices -> In p (players pr) ->
      total (fun c => f (Give p i c)) (places_of i) = f (Share p i).
    Proof.
      intros I P.
      pose proof (balance (fun v => match v with
        | Pile q j => if (q =? p) && Nat.eqb j i then 1 else 0 | _ => 0 end)) as E. simpl in E.
      rewrite total_none in E by (intros; lia).
      rewrite (total_ext _ (fun j => if Nat.eqb j i
        then total (fun c => f (Give p i c)) (places_of i) - f (Share p i) else 0)) in E.
      - rewrite (total_one (fun j => Nat.eqb j i)
          (fun _ => total (fun c => f (Give p i c)) (places_of i) - f (Share p i)) _ i indices_once I) in E
          by (intros; apply PeanoNat.Nat.eqb_eq). lia.
      - intros j _. destruct (Nat.eqb j i) eqn:Ej.
        + apply PeanoNat.Nat.eqb_eq in Ej. subst j.
          rewrite (total_ext _ (fun q => if q =? p then - f (Share q i) else 0)).
          * rewrite (total_one (fun q => q =? p) (fun q => - f (Share q i)) _ p (players_once pr) P)
              by (intros; apply Z.eqb_eq).
            rewrite (total_ext _ (fun c => f (Give p i c))); [lia|].
            intros c _.
            rewrite (total_ext _ (fun q => if q =? p then f (Give q i c) else 0)).
            -- rewrite (total_one (fun q => q =? p) (fun q => f (Give q i c)) _ p (players_once pr) P)
                 by (intros; apply Z.eqb_eq). lia.
            -- intros q _. rewrite andb_true_r. destruct (q =? p); lia.
          * intros q _. rewrite andb_true_r. destruct (q =? p); lia.
        + rewrite !total_none; [lia| |].
          * intros c _. rewrite total_none; [lia|]. intros q _. rewrite andb_false_r. lia.
          * intros q _. rewrite andb_false_r. lia.
    Qed.

    Lemma player_balance p :
      In p (players pr) -> total (fun i => f (Share p i)) indices = f (Hand p).
    Proof.
      intros P.
      pose proof (balance (fun v => match v with
        | Player q => if q =? p then 1 else 0 | _ => 0 end)) as E. simpl in E.
      rewrite (total_ext _ (fun q => if q =? p then - f (Hand q) else 0)) in E
        by (intros q _; destruct (q =? p); lia).
      rewrite (total_one (fun q => q =? p) (fun q => - f (Hand q)) _ p (players_once pr) P) in E
        by (intros; apply Z.eqb_eq).
      rewrite (total_ext _ (fun i => f (Share p i))) in E; [lia|].
      intros i _. rewrite (total_none _ (places_of i)).
      - rewrite (total_ext _ (fun q => if q =? p then f (Share q i) else 0))
          by (intros q _; destruct (q =? p); lia).
        rewrite (total_one (fun q => q =? p) (fun q => f (Share q i)) _ p (players_once pr) P)
          by (intros; apply Z.eqb_eq). lia.
      - intros c _. rewrite total_none; intros; lia.
    Qed.

    Definition holder (i c : nat) : Z :=
      match find (fun p => f (Give p i c) =? 1) (players pr) with Some p => p | None => 0 end.

    Lemma holder_spec i c :
      In i indices -> In c (places_of i) ->
      In (holder i c) (players pr) /\ Z.testbit (mask i c) (holder i c) = true /\
      forall p, In p (players pr) -> f (Give p i c) = if holder i c =? p then 1 else 0.
    Proof.
      intros I C. pose proof (card_balance i c I C) as T.
      assert (R : forall p, In p (players pr) ->
        0 <= f (Give p i c) <= if Z.testbit (mask i c) p then 1 else 0).
      { intros p P. assert (G : In (Give p i c) arcs) by now apply in_arcs. apply (B _ G). }
      unfold holder. destruct (find _ _) as [h|] eqn:X.
      - apply find_some in X. destruct X as [Ih X]. apply Z.eqb_eq in X.
        split; [exact Ih|]. split.
        + specialize (R h Ih). destruct (Z.testbit (mask i c) h); lia.
        + assert (Rest : total (fun p => f (Give p i c) - (if h =? p then 1 else 0)) (players pr) = 0).
          { rewrite total_sub, T, (total_single (fun _ => 1)); auto. apply players_once. }
          assert (Least : forall p, In p (players pr) -> 0 <= f (Give p i c) - (if h =? p then 1 else 0)).
          { intros p P. specialize (R p P). destruct (Z.eqb_spec h p); subst; lia. }
          intros p P.
          destruct (Z.eq_dec (f (Give p i c)) (if h =? p then 1 else 0)) as [e|ne]; [exact e|].
          assert (L : total (fun _ => 0) (players pr)
            < total (fun p => f (Give p i c) - (if h =? p then 1 else 0)) (players pr)).
          { apply total_lt with p; auto. specialize (Least p P). lia. }
          rewrite total_zero in L. lia.
      - rewrite total_none in T; [lia|]. intros p P.
        pose proof (find_none _ _ X p P) as N. simpl in N. apply Z.eqb_neq in N.
        specialize (R p P). destruct (Z.testbit (mask i c) p); lia.
    Qed.

    Definition the_deal : deal := map (fun i => map (holder i) (places_of i)) indices.

    Lemma count_of_row i p :
      In i indices -> In p (players pr) -> count p (map (holder i) (places_of i)) = f (Share p i).
    Proof.
      intros I P. unfold count. rewrite total_map, <- (pile_balance p i I P).
      apply total_ext. intros c C. symmetry. now apply (holder_spec i c I C).
    Qed.

    Lemma the_deal_fits : fits pr the_deal.
    Proof.
      split.
      - rewrite sets_listed. apply all_map. intros i I. split.
        + rewrite owners_listed. apply all_map. intros c C. destruct (holder_spec i c I C) as (H1 & H2 & _). easy.
        + intros p P. rewrite count_of_row by auto.
          assert (S : In (Share p i) arcs) by now apply in_arcs. apply (B _ S).
      - intros p P. unfold the_deal. rewrite total_map.
        rewrite (total_ext _ (fun i => f (Share p i))) by (intros; now apply count_of_row).
        rewrite player_balance by auto.
        assert (H : In (Hand p) arcs) by now apply in_arcs. specialize (B _ H). simpl in B. lia.
    Qed.
  End From_a_circulation.

  (** ** A cut is a shortage *)

  Section From_a_cut.
    Variable R : place -> bool.
    Hypothesis tight : room arcs src dst lo up R < 0.

    Definition coalition : Z := mask_below (length (hands pr)) (fun p => R (Player p)).
    Definition witness (i : nat) : Z := mask_below (length (hands pr)) (fun p => R (Pile p i)).

    Lemma coalition_bit p : In p (players pr) -> Z.testbit coalition p = R (Player p).
    Proof.
      intros P. apply in_players in P. unfold coalition. rewrite mask_bit by lia.
      rewrite (proj2 (Z.ltb_lt _ _)) by lia. easy.
    Qed.

    Lemma witness_bit i p : In p (players pr) -> Z.testbit (witness i) p = R (Pile p i).
    Proof.
      intros P. apply in_players in P. unfold witness. rewrite mask_bit by lia.
      rewrite (proj2 (Z.ltb_lt _ _)) by lia. easy.
    Qed.

    Lemma bounds_listed l :
      bounds (players pr) coalition (map the_set l) (map witness l) =
      total (fun i => most_cards (players pr) coalition (the_set i) (witness i)) l.
    Proof. induction l as [|i l IH]; simpl; congruence. Qed.

    Lemma cards_listed : cards pr = total (fun i => Z.of_nat (size i)) indices.
    Proof. unfold cards. rewrite sets_listed at 1. now rewrite total_map. Qed.

    (* A card that a player of the witness may own costs the cut one unit. *)
    Lemma card_costs i c :
      amount_if (negb (Z.land (mask i c) (witness i) =? 0)) 1 - (if R Table then 1 else 0) <=
      (amount_if (R (Card i c) && negb (R Table)) 1 - amount_if (R Table && negb (R (Card i c))) 1) +
      total (fun p => amount_if (R (Pile p i) && negb (R (Card i c)))
        (if Z.testbit (mask i c) p then 1 else 0) - amount_if (R (Card i c) && negb (R (Pile p i))) 0)
        (players pr).
    Proof.
      assert (Least : forall p, In p (players pr) -> 0 <=
        amount_if (R (Pile p i) && negb (R (Card i c))) (if Z.testbit (mask i c) p then 1 else 0)
        - amount_if (R (Card i c) && negb (R (Pile p i))) 0).
      { intros p _. unfold amount_if.
        destruct (_ && _), (_ && _), (Z.testbit (mask i c) p); lia. }
      pose proof (total_nonneg _ _ Least) as Sum.
      set (rest := total _ (players pr)) in *.
      destruct (Z.eqb_spec (Z.land (mask i c) (witness i)) 0) as [E|E]; simpl negb.
      - unfold amount_if. destruct (R Table), (R (Card i c)); simpl andb; cbv iota; lia.
      - destruct (R (Card i c)) eqn:RC.
        + unfold amount_if. destruct (R Table); simpl andb; cbv iota; lia.
        + assert (N : 0 <= Z.land (mask i c) (witness i)).
          { apply Z.land_nonneg. right. apply mask_range. }
          set (p := Z.log2 (Z.land (mask i c) (witness i))).
          assert (Bit : Z.testbit (Z.land (mask i c) (witness i)) p = true) by (apply Z.bit_log2; lia).
          rewrite Z.land_spec, andb_true_iff in Bit. destruct Bit as [Bm Bw].
          unfold witness in Bw. rewrite mask_bit in Bw by apply Z.log2_nonneg.
          apply andb_true_iff in Bw. destruct Bw as [Pn Rp]. apply Z.ltb_lt in Pn.
          assert (P : In p (players pr)).
          { apply in_players. split; [apply Z.log2_nonneg|exact Pn]. }
          assert (L : 1 <= rest).
          { rewrite <- (total_single (fun _ => 1) _ p (players_once pr) P). apply total_le.
            intros q Q. destruct (Z.eqb_spec p q) as [<-|_]; [|now apply Least].
            rewrite Rp, Bm, ?RC. simpl. lia. }
          unfold amount_if. destruct (R Table); simpl andb; cbv iota; lia.
    Qed.

    Lemma set_costs i :
      most_cards (players pr) coalition (the_set i) (witness i)
        - (if R Table then Z.of_nat (size i) else 0) <=
      total (fun p => amount_if (R (Player p) && negb (R (Pile p i))) (at_ (high (the_set i)) p)
                    - amount_if (R (Pile p i) && negb (R (Player p))) (at_ (low (the_set i)) p))
        (players pr) +
      total (fun c =>
        (amount_if (R (Card i c) && negb (R Table)) 1 - amount_if (R Table && negb (R (Card i c))) 1) +
        total (fun p => amount_if (R (Pile p i) && negb (R (Card i c)))
          (if Z.testbit (mask i c) p then 1 else 0) - amount_if (R (Card i c) && negb (R (Pile p i))) 0)
          (players pr)) (places_of i).
    Proof.
      unfold most_cards. rewrite owners_listed, total_map.
      pose proof (total_le _ _ (places_of i) (fun c _ => card_costs i c)) as C.
      rewrite total_sub in C.
      assert (T : total (fun _ : nat => if R Table then 1 else 0) (places_of i)
                  = if R Table then Z.of_nat (size i) else 0).
      { rewrite (total_ext _ (fun c => (if R Table then 1 else 0) * 1)) by (intros; lia).
        rewrite total_scale.
        assert (One : forall l : list nat, total (fun _ => 1) l = Z.of_nat (length l)).
        { induction l as [|a l IH]; [easy|]. cbn [total length]. rewrite IH. lia. }
        rewrite One. unfold places_of. rewrite seq_length. destruct (R Table); lia. }
      rewrite T in C.
      rewrite (total_ext (fun p => amount_if (Z.testbit coalition p && _) _ - _)
        (fun p => amount_if (R (Player p) && negb (R (Pile p i))) (at_ (high (the_set i)) p)
                - amount_if (R (Pile p i) && negb (R (Player p))) (at_ (low (the_set i)) p))).
      - lia.
      - intros p P. now rewrite coalition_bit, witness_bit by auto.
    Qed.

    Lemma a_cut_is_a_shortage : exists c, holds pr c = true.
    Proof.
      unfold room in tight. rewrite total_arcs in tight. simpl in tight.
      pose proof (total_le _ _ indices (fun i _ => set_costs i)) as Sets.
      rewrite total_sub in Sets.
      assert (Cards : total (fun i => if R Table then Z.of_nat (size i) else 0) indices
                      = if R Table then cards pr else 0).
      { rewrite cards_listed. destruct (R Table); [easy|]. now apply total_none. }
      rewrite Cards in Sets.
      assert (Must : must_hold pr coalition
                     = total (fun p => amount_if (R (Player p)) (at_ (hands pr) p)) (players pr)).
      { apply total_ext. intros p P. now rewrite coalition_bit. }
      assert (Short : bounds (players pr) coalition (sets pr) (map witness indices)
                      < must_hold pr coalition -> exists c, holds pr c = true).
      { intros L. exists (Shortage coalition (map witness indices)). simpl.
        rewrite map_length. unfold indices at 1. rewrite seq_length, PeanoNat.Nat.eqb_refl.
        assert (Ok : forall member, is_coalition pr (mask_below (length (hands pr)) member) = true).
        { intros member. unfold is_coalition.
          pose proof (mask_range (length (hands pr)) member) as M.
          rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. lia. }
        unfold coalition at 1. rewrite Ok. rewrite (proj2 (forallb_forall _ _)).
        - simpl. now apply Z.ltb_lt.
        - intros w I. apply in_map_iff in I. destruct I as (i & <- & _). apply Ok. }
      assert (Listed : bounds (players pr) coalition (sets pr) (map witness indices)
        = total (fun i => most_cards (players pr) coalition (the_set i) (witness i)) indices).
      { rewrite <- bounds_listed, <- sets_listed. easy. }
      destruct (R Table) eqn:T.
      - assert (Hands : total (fun p => amount_if (true && negb (R (Player p))) (at_ (hands pr) p)
                  - amount_if (R (Player p) && negb true) (at_ (hands pr) p)) (players pr)
                = total (at_ (hands pr)) (players pr) - must_hold pr coalition).
        { rewrite Must, <- total_sub. apply total_ext. intros p _. unfold amount_if.
          destruct (R (Player p)); simpl; lia. }
        destruct (Z.ltb_spec (total (at_ (hands pr)) (players pr)) (cards pr)) as [Few|Enough].
        + exists TooFewPlaces. simpl. now apply Z.ltb_lt.
        + apply Short. lia.
      - assert (Hands : total (fun p => amount_if (false && negb (R (Player p))) (at_ (hands pr) p)
                  - amount_if (R (Player p) && negb false) (at_ (hands pr) p)) (players pr)
                = 0 - must_hold pr coalition).
        { rewrite Must, <- (total_zero (players pr)), <- total_sub. apply total_ext.
          intros p _. unfold amount_if. destruct (R (Player p)); simpl; lia. }
        apply Short. lia.
    Qed.
  End From_a_cut.

  Lemma deal_or_shortage_of_ordered_bounds :
    (exists d, fits pr d) \/ (exists c, holds pr c = true).
  Proof.
    destruct (a_circulation_exists_or_a_cut_forbids_it place_dec same_arc same_arc_spec
      all_places arcs src dst lo up arcs_once arc_ends arc_bounds) as [(f & F & B)|(R & C)].
    - left. exists (the_deal f). now apply the_deal_fits.
    - right. now apply a_cut_is_a_shortage in C.
  Qed.
End Existence.

(** ** The theorem *)

Theorem a_deal_or_a_shortage_exists pr :
  well_formed pr -> (exists d, fits pr d) \/ (exists c, holds pr c = true).
Proof.
  intros W.
  destruct (existsb (fun i => existsb (fun p => at_ (high (the_set pr i)) p <? at_ (low (the_set pr i)) p)
    (players pr)) (indices pr)) eqn:X.
  - right. apply existsb_exists in X. destruct X as (i & I & X).
    apply existsb_exists in X. destruct X as (p & P & X).
    exists (CrossedBounds p (Z.of_nat i)). simpl.
    rewrite (proj2 (is_player_spec pr p) P). apply in_seq in I.
    rewrite (proj2 (Z.leb_le 0 (Z.of_nat i))), (proj2 (Z.ltb_lt _ _)) by lia. simpl.
    rewrite Znat.Nat2Z.id.
    rewrite (nth_error_nth' _ {| owners := []; low := []; high := [] |}) by lia. exact X.
  - apply deal_or_shortage_of_ordered_bounds; auto. intros i p I P.
    destruct (Z.ltb_spec (at_ (high (the_set pr i)) p) (at_ (low (the_set pr i)) p)) as [L|L]; [|lia].
    assert (Y : existsb (fun i => existsb (fun p => at_ (high (the_set pr i)) p
      <? at_ (low (the_set pr i)) p) (players pr)) (indices pr) = true).
    { apply existsb_exists. exists i. split; auto. apply existsb_exists. exists p. split; auto.
      now apply Z.ltb_lt. }
    congruence.
Qed.

Theorem a_deal_exists_exactly_if_no_shortage_adds_up pr :
  well_formed pr -> (exists d, fits pr d) <-> (forall c, holds pr c = false).
Proof.
  intros W. split.
  - intros (d & F) c. destruct (holds pr c) eqn:H; auto.
    destruct (a_shortage_that_adds_up_excludes_every_deal pr c H d F).
  - intros N. destruct (a_deal_or_a_shortage_exists pr W) as [D|(c & H)]; auto.
    rewrite N in H. discriminate.
Qed.
