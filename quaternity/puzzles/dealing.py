"""Quaternity puzzles about possible answers, and about cards that have only one possible owner."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import NamedTuple

from quaternity.base.sentences import Message, MessageTemplate, message_data
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.transition import after_claim
from quaternity.insight.explanation import Explanation, explain, move_line, refutation
from quaternity.puzzles.puzzle import Puzzle, Step, level_by
from solvers.counting import count_deals
from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.registry import solve
from solvers.shortage import CrowdedHand, Shortage, coalition_bound
from solvers.verdict import Deal, Feasible

SIZES = ((3, 5, 3), (4, 4, 4), (3, 6, 3), (5, 3, 3), (4, 5, 4))
MANY_SETS, LARGE_SETS = ((3, 8, 4), (4, 6, 3)), ((4, 4, 4), (4, 5, 4))
"""Sizes of the games from which puzzles are made, as tuples (cards in a set, sets, players). The
first games have many sets, and the others have large sets. In smaller games, too many puzzles
resemble each other."""

MIN_OPEN_SETS, MIN_DEALING_MOVES, MAX_DEALING_MOVES = 3, 8, 21
"""Limits of the games from which puzzles are made. At least `MIN_OPEN_SETS` sets have a card whose
owner is unknown. The number of moves is at least `MIN_DEALING_MOVES` and less than
`MAX_DEALING_MOVES`."""

CAN_ANSWER = MessageTemplate(
    "can_answer",
    "{asker:player} asks {asked:player} for {card:card}: could the answer be '{answer}'?",
)
WHOSE = MessageTemplate(
    "whose",
    "Which card can only one player have, although the table still shows several, and who has it?",
)
LOOK_AT = MessageTemplate("look_at", "Look at {who:players} and count the cards.")
LOOK_AT_SET = MessageTemplate("look_at_set", "Look at {set:set}.")
THESE_MOVES = MessageTemplate("these_moves", "Only this matters: {moves:listed}.")
AND_QUESTION = MessageTemplate(
    "and_question", "Only this and the question itself matter: {moves:listed}."
)
NO_MOVES = MessageTemplate("no_moves", "No move matters: this is certain from the start.")
CANNOT = MessageTemplate("cannot", "{who:players} cannot have {card:card}: otherwise {proof}.")
HENCE = MessageTemplate("hence", "So {who:player} has {card:card}.")
SO_NOT = MessageTemplate("so_not", "{asked:player} cannot answer {answer}: {reason}.")
HERE_THEY_DO = MessageTemplate(
    "here_they_do", "With these hands the answer is {answer}: {hands:parts}."
)
IN_DEALS = MessageTemplate("in_deals", "The answer is {answer} in {some} of {all} deals.")
ELSEWHERE = MessageTemplate("elsewhere", "{who:player} need not have {card:card}: {hands:parts}.")
SEEN = MessageTemplate("seen", "The table already shows who has {card:card}.")
MARKED = MessageTemplate("marked", "The table shows that {who:player} does not have {card:card}.")
MARK_LEAVES = MessageTemplate(
    "mark_leaves", "The table shows that only {who:players} can have {card:card}."
)
HAND = MessageTemplate("hand", "{who:player} has {cards:hand}")
NO_HAND = MessageTemplate("no_hand", "{who:player} has no cards")


def random_game(random: Random, settings: Settings, moves: int) -> Game:
    """Return a game after a number of random moves, or at its end if it ends earlier."""
    game = Game.start(settings)
    for _ in range(moves):
        questions = [] if game.is_over else list(game.state.legal_questions)
        if not questions:
            break
        question = random.choice(questions)
        game = game.ask(question, random.choice(list(game.state.answers(question))))
    return game


def hands_of(deal: Deal, players: int) -> list[Message]:
    """Return a message for each player, which lists the player's cards in a deal."""
    hands: list[list[Card]] = [[] for _ in range(players)]
    for index, owners in enumerate(deal.owner):
        for number, owner in enumerate(owners):
            hands[owner].append(Card.unchecked(index, number))
    return [HAND(who=player, cards=hand) if hand else NO_HAND(who=player)
            for player, hand in enumerate(hands)]  # fmt: skip


def open_game(random: Random, sizes: Sequence[tuple[int, int, int]], max_moves: int) -> Game | None:
    """Return a random unfinished game for a puzzle, after fewer than `max_moves` moves.

    `sizes` lists the allowed sizes of the game, as (cards in a set, sets, players). Return None if
    the game is over, if a player has no cards, or if fewer than `MIN_OPEN_SETS` sets have a card
    with several possible owners.
    """
    settings = Settings(*random.choice(sizes))
    game = random_game(random, settings, random.randrange(MIN_DEALING_MOVES, max_moves))
    owners = (constraint.owners for constraint in game.state.problem.sets)
    is_open = [any(mask.bit_count() > 1 for mask in masks) for masks in owners]
    fits = not game.is_over and sum(is_open) >= MIN_OPEN_SETS and all(game.state.hands)
    return game if fits else None


class Count(NamedTuple):
    """The players and the number of sets whose cards must be counted to check a proof.

    They measure how difficult the proof is. The number of sets is 0 if the table of possible owners
    already shows the result.
    """

    players: tuple[int, ...]
    sets: int

    @classmethod
    def of(cls, proof: Explanation) -> Count:
        """Return the players and the number of sets whose cards must be counted in a proof.

        A set is included if the players cannot have all its cards, or if they need some of them.
        """
        # The last set of the problem represents receipts, not cards.
        shortage, sets = proof.shortage, proof.problem.sets[:-1]
        if isinstance(shortage, CrowdedHand):
            return cls((shortage.player,), sum(row.low[shortage.player] > 0 for row in sets))
        if not isinstance(shortage, Shortage):
            return cls((0,), 1)
        coalition, maxima = shortage.coalition, list[int]()
        for constraint, witness in zip(sets, shortage.witnesses, strict=False):
            maxima.append(coalition_bound(constraint, coalition, witness))
            if maxima[-1] < 0:  # the minimums of players outside the coalition are too high
                others = players_in(witness & ~coalition)
                return cls(tuple([other for other in others if constraint.low[other]]), 1)
        if coalition == (1 << proof.problem.players) - 1:
            return cls((), 0)
        count = sum(bound < row.size for bound, row in zip(maxima, sets, strict=True))
        outside = players_in((1 << proof.problem.players) - 1 & ~coalition)
        return cls(outside if len(outside) == 1 else players_in(coalition), count)

    @property
    def score(self) -> int:
        """The difficulty of the proof: the number of players and sets whose cards it counts."""
        return len(self.players) + self.sets


def hints(
    game: Game, proofs: Sequence[Explanation], card: Card, these: MessageTemplate = THESE_MOVES
) -> Iterator[Step]:
    """Yield hints about a card: which players or set to look at, and which moves prove the answer.

    `proofs` are the proofs of the answer. `these` is the template of the message that lists the
    moves.
    """
    count = max(map(Count.of, proofs), key=lambda count: count.score)
    if count.sets > 1:
        yield Step(LOOK_AT(who=count.players), tuple(f"player {p}" for p in count.players))
    elif count.sets:
        yield Step(LOOK_AT_SET(set=card.set_index), (f"set {card.set_index}",))
    moves = sorted({number for proof in proofs for number in proof.moves})
    lines = [move_line(game, number) for number in moves]
    rests = tuple(f"move {number + 1}" for number in moves)
    yield Step(these(moves=lines) if lines else NO_MOVES(), rests)


class Possible:
    """A kind of puzzle that asks whether a question can have a given answer."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random game, or None. `PuzzleKind` explains the arguments."""
        del level
        game = open_game(random, SIZES, MAX_DEALING_MOVES)
        return None if game is None else self.of_game(game, random, wish)

    def of_game(self, game: Game, random: Random, wish: float) -> Puzzle | None:
        """Return a puzzle about a question that may be asked now, or None if there is none.

        The question is random. The puzzle asks whether a certain answer to it is possible. The
        solution of the puzzle is "yes" if `wish` is less than 0.5, otherwise "no".
        """
        state, possible = game.state, wish < 0.5
        asked: list[tuple[Question, Answer]] = []
        for question in state.legal_questions:
            answers = state.answers(question)
            others = {*state.problem.may_own(*question.card)} - {question.asker}
            # Skip questions that the table of possible owners already answers.
            if question.asked in others and len(others) > 1:
                asked += [(question, reply) for reply in Answer if (reply in answers) == possible]
        if not asked:
            return None
        question, answer = random.choice(asked)
        asker, whom, card = question
        rests, why = (str(card), f"player {whom}"), list[Step]()
        if len(state.answers(question)) == 1:
            never = Answer(not answer) if possible else answer
            proof = explain(game, question, never)
            assert proof is not None, "an impossible answer must have a proof"
            count = Count.of(proof)
            score = level_by(count.score, (2, 3, 4, 5))
            level_from = {"players": len(count.players), "sets": count.sets}
            reason: Message = SO_NOT(asked=whom, answer=never, reason=proof.reason)
            why = [*hints(game, [proof], card, AND_QUESTION), Step(reason, rests)]
        else:
            some, other_deals = (count_deals(_after_answer(state, question, reply))
                                 for reply in (answer, Answer(not answer)))  # fmt: skip
            share = some / (some + other_deals)
            score, level_from = 3 + (share < 0.5) + (share < 0.2), {"percent": round(100 * share)}
            why = [
                Step(LOOK_AT(who=(whom,)), (f"player {whom}",)),
                Step(IN_DEALS(answer=answer, some=some, all=some + other_deals), rests),
            ]
        if possible:
            deal = _deal(_after_answer(state, question, answer))
            assert deal is not None, "a possible answer must have a deal"
            reason = HERE_THEY_DO(answer=answer, hands=hands_of(deal, state.players))
            why.append(Step(reason, rests))
        right, other = ("yes", "no") if possible else ("no", "yes")
        return Puzzle(
            "possible", "quaternity", game.record(),
            CAN_ANSWER(asker=asker, asked=whom, card=card, answer=answer), "yes-no",
            answers=(right,), wrong={other: reason}, why=tuple(why),
            level=score, level_from=level_from,
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right answer, found again with the solver max-flow, to check a puzzle."""
        about = message_data(puzzle.question)
        question = Question(about["asker"], about["asked"], about["card"])
        state = Game.parse(puzzle.position).state
        fits = _deal(_after_answer(state, question, about["answer"])) is not None
        return {"yes" if fits else "no"}


class Owner:
    """A kind of puzzle that asks which card has only one possible owner."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random game, or None. `PuzzleKind` explains the arguments."""
        del wish
        game = open_game(random, MANY_SETS if level < 2 else LARGE_SETS, MAX_DEALING_MOVES)
        return None if game is None else self.of_game(game, level)

    def of_game(self, game: Game, level: int | None = None) -> Puzzle | None:
        """Return a puzzle about the end of a game, or None if the game has no puzzle of this level.

        If `level` is None, every level is accepted.
        """
        state = game.state
        problem, exact = state.problem, state.filtered_problem()
        certain = list(certain_cards(problem, exact))
        if len(certain) != 1:
            return None
        ((card, owner),) = certain
        marks = problem.may_own(*card)
        others = [player for player in marks if player != owner]
        proofs = {player: prove_impossible(game, card, player) for player in others}
        count = max(map(Count.of, proofs.values()), key=lambda count: count.score)
        difficulty = level_by(count.score + count.sets, (4, 5, 8, 9))
        if level not in (None, difficulty):
            return None
        wrong = dict(wrong_owners(exact, state.players, [card], lambda card: SEEN(card=card)))
        for player in {*range(state.players)} - {owner}:
            wrong[f"{card} {player}"] = (
                CANNOT(who=[player], card=card, proof=proofs[player].proof)
                if player in proofs else MARKED(who=player, card=card)
            )  # fmt: skip
        # Also list the moves that explain what the table shows.
        behind = [prove_impossible(game, card, x) for x in range(state.players) if x not in marks]
        steps = [*hints(game, [*proofs.values(), *behind], card)]
        if behind:
            rests = tuple(f"player {player}" for player in marks)
            steps.append(Step(MARK_LEAVES(who=marks, card=card), (str(card), *rests)))
        return Puzzle(
            "owner", "quaternity", game.record(), WHOSE(), "card",
            answers=(f"{card} {owner}",), wrong=wrong,
            why=(
                *steps, *impossibility_steps(card, proofs),
                Step(HENCE(card=card, who=owner), (str(card), f"player {owner}")),
            ),
            level=difficulty, level_from={"players": len(count.players), "sets": count.sets},
        )  # fmt: skip

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right answers, found again with the solver max-flow, to check a puzzle."""
        return certain_by_max_flow(Game.parse(puzzle.position).state.problem)


def impossibility_steps(card: Card, proofs: Mapping[int, Explanation]) -> Iterator[Step]:
    """Yield the steps of a proof that some players cannot have a card.

    Players with the same reason share a step.
    """
    for proof, group in groupby(sorted(proofs, key=lambda x: proofs[x].proof),
                                key=lambda x: proofs[x].proof):  # fmt: skip
        players = sorted(group)
        rests = (str(card), *(f"player {player}" for player in players))
        yield Step(CANNOT(who=players, card=card, proof=proof), rests)


def certain_by_max_flow(problem: DealProblem) -> set[str]:
    """Return the cards for which `problem` lists several owners, but only one of them is possible.

    Each result is a text with a card and its owner, such as `0/2 1`. The solver max-flow decides
    which owners are possible.
    """
    answers = set()
    for index, constraint in enumerate(problem.sets):
        for number, mask in enumerate(constraint.owners):
            card, owners = Card.unchecked(index, number), players_in(mask)
            able = [
                player for player in owners
                if _deal(_with_owners(problem, card, 1 << player)) is not None
            ]  # fmt: skip
            if len(able) == 1 < len(owners):
                answers.add(f"{card} {able[0]}")
    return answers


def _after_answer(state: State, question: Question, answer: Answer) -> DealProblem:
    asker, asked, (index, number) = question
    constraint = after_claim(state.problem.sets[index], asker, asked, number, answer)
    return state.problem.with_set(index, constraint)


def _with_owners(problem: DealProblem, card: Card, mask: int) -> DealProblem:
    return problem.with_set(
        card.set_index, _with_owner_mask(problem.sets[card.set_index], card, mask)
    )


def _with_owner_mask(constraint: SetConstraint, card: Card, mask: int) -> SetConstraint:
    owners = with_entry(constraint.owners, card.number, mask)
    return SetConstraint.unchecked(owners, constraint.low, constraint.high)


def prove_impossible(game: Game, card: Card, player: int) -> Explanation:
    """Return a proof that a player cannot have a card. The caller must know that this is true."""
    index, number = card
    proof = refutation(
        game, index, lambda row: _with_owner_mask(row, card, row.owners[number] & 1 << player)
    )
    assert proof is not None, "it must be impossible that this player has the card"
    return proof


def _deal(problem: DealProblem) -> Deal | None:
    verdict = solve(problem, solver="max-flow")
    return verdict.deal if isinstance(verdict, Feasible) else None


def certain_cards(problem: DealProblem, exact: DealProblem) -> Iterator[tuple[Card, int]]:
    """Yield the cards whose owner can only be found by reasoning, as pairs (card, owner).

    In `problem`, such a card has several possible owners. In `exact`, it has only one: `exact` is
    the same problem, but lists only owners who have the card in at least one deal.
    """
    for index, (before, after) in enumerate(zip(problem.sets, exact.sets, strict=True)):
        for number, (marks, mask) in enumerate(zip(before.owners, after.owners, strict=True)):
            if mask.bit_count() == 1 < marks.bit_count():
                yield Card.unchecked(index, number), mask.bit_length() - 1


def wrong_owners(
    exact: DealProblem, players: int, certain: Container[Card], seen: Callable[[Card], Message]
) -> Iterator[tuple[str, Message]]:
    """Yield the wrong answers to a puzzle that asks who has a card, each with the reason.

    An answer names a card and one of the `players` players. `exact` lists only owners who are
    possible in a deal. Answers about the cards in `certain` are left out. If only one player can
    have the card, the reason is `seen(card)`. Otherwise, it is a deal in which another player has
    the card.
    """
    for index, constraint in enumerate(exact.sets):
        for number, mask in enumerate(constraint.owners):
            card = Card.unchecked(index, number)
            if card in certain:
                continue
            owners = players_in(mask)
            deals = [_deal(_with_owners(exact, card, 1 << player)) for player in owners[:2]]
            for player in range(players):
                if len(owners) == 1:
                    yield f"{card} {player}", seen(card)
                    continue
                deal = deals[owners[0] == player]
                assert deal is not None, "each possible owner must have a deal"
                hands = hands_of(deal, players)
                yield f"{card} {player}", ELSEWHERE(card=card, who=player, hands=hands)
