"""Explanations of why a question or an answer is impossible: a minimal list of earlier moves.

Every move shows something about the present hands, even if the other moves are unknown:

- A question shows that the asker then held a card of the set. Of the cards of this set, the asker
  can have lost only those that were given away later.
- The answer no shows that the two players do not have the requested card, unless it changes hands
  later.
- The answer yes shows that the card moved from the asked player to the asker, who has it unless it
  changes hands later.

If no move is known, it is only known that all hands had the same size at the start. If a move with
the answer yes is unknown, its card may be with the asker or where it was before.

So every list of moves gives a deal problem (`problem_of_moves`). To explain why a claim is
impossible, the search leaves out one move after another, as long as the claim stays impossible. The
remaining list is minimal: without any one of its moves, the claim would be possible. The list is
empty if the claim was impossible from the start.

The sizes of the hands also depend on the moves. To represent this, the deal problem has one more
set at the end, with a card (a *receipt*) for every answer yes. Each hand has the size that it would
have if the player had received all these cards and given none away. The asked player holds the
receipt if the card was given, and otherwise the asker does. So any solver can decide the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from quaternity.base.sentences import Message, MessageTemplate, indent
from quaternity.base.validation import check_index, validate_arguments
from quaternity.game.faults import hopeless_fault, reason_in_words, why_impossible
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import question_sentence
from quaternity.game.transition import after_claim, after_statement, asker_minimum
from solvers import coalitions
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.registry import default_solver
from solvers.shortage import (
    AT_LEAST,
    AT_MOST,
    BECAUSE,
    CARDS,
    SHARE,
    Certificate,
    CrowdedHand,
    Shortage,
)

REFUSED = MessageTemplate("refused", "{question} is refused: {fault}")
BOTH_POSSIBLE = MessageTemplate("both_possible", "{question}: both answers are possible")
IMPOSSIBLE = MessageTemplate("impossible", "{question}: {answer} is impossible: {reason}")
MINIMAL_REASONS = MessageTemplate("rests", "this follows from these moves alone:")
REASONS = MessageTemplate("rests", "this follows from these moves:")
FROM_THE_START = MessageTemplate(
    "from_the_start", "no earlier move matters: it was impossible from the start"
)
MOVE = MessageTemplate("move", "move {number}: {move}")
AT_START = MessageTemplate("at_start", "{count} at the start")
RECEIVED = MessageTemplate("received", "{count} received")
GIVEN_AWAY = MessageTemplate("given_away", "{count} given away")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Proof that a claim (a question or an answer) is impossible.

    Attributes:
        moves: indices of earlier moves that together exclude the claim, in ascending order. The
            list is minimal: without any one of them, the others allow the claim. It is empty if the
            claim was impossible from the start.
        problem: the deal problem of these moves (see `problem_of_moves`) and of the claim.
        shortage: the proof that no deal fits the problem.
        proof: the same proof as a sentence.
        reason: a sentence that says what is impossible, with the proof.
    """

    moves: tuple[int, ...]
    problem: DealProblem
    shortage: Certificate
    proof: str
    reason: str

    def in_words(self) -> str:
        """Return the proof that the claim is impossible as a sentence."""
        return self.proof


def problem_of_moves(game: Game, moves: Collection[int]) -> DealProblem:
    """Return a deal problem with only those facts about the hands that the given moves reveal.

    The cards of completed sets count as cards in the hands. For each answer yes, the last set of
    the problem contains an additional card: a receipt for the card that changed hands (see the
    module). The running time is proportional to the number of moves and cards.

    Args:
        moves: The indices of the moves. With all indices, the problem has the deals of the state.
    """
    settings = game.settings
    players, size, sets = settings.players, settings.set_size, settings.sets
    owners = [[(1 << players) - 1] * size for _ in range(sets)]
    low = [[0] * players for _ in range(sets)]
    hands = [settings.hand] * players
    receipts = []
    for index, ((asker, asked, (set_index, number)), answer) in enumerate(game.moves):
        known = index in moves
        least, places = low[set_index], owners[set_index]
        if known:
            least[asker] = asker_minimum(least[asker])
        if answer:
            least[asked] = max(0, least[asked] - 1)
            hands[asker] += 1
            if known:
                least[asker] += 1
                places[number] = 1 << asker
                receipts.append(1 << asked)
            else:
                places[number] |= 1 << asker
                receipts.append(1 << asked | 1 << asker)
        elif known:
            places[number] &= ~(1 << asker | 1 << asked)
    constraints = [
        SetConstraint.unchecked(tuple(masks), tuple(least), (size,) * players)
        for masks, least in zip(owners, low, strict=True)
    ]
    free = SetConstraint.unchecked(tuple(receipts), (0,) * players, (len(receipts),) * players)
    return DealProblem.unchecked(tuple(hands), (*constraints, free))


@validate_arguments(game=Game)
def explain(game: Game, question: Question, answer: Answer | None = None) -> Explanation | None:
    """Explain why a question, or an answer to it, is impossible in the last position of a game.

    Return None if at least one deal allows the question or answer. For each move in the
    explanation, about 2 log2(moves) deal problems are solved.

    Args:
        question: a question about a set that is in play.
        answer: the impossible answer, or None if the question itself is impossible.

    Raises:
        InputError: If an argument has the wrong type, or the game has no such player, set or card.
    """
    question, settings = Question.of(question), game.settings
    asker, asked, (set_index, number) = question
    for player in (asker, asked):
        check_index(player, settings.players, "player")
    check_index(set_index, settings.sets, "set")
    check_index(number, settings.set_size, "card")
    answer = None if answer is None else Answer.of(answer)

    def claim(constraint: SetConstraint) -> SetConstraint:
        if answer is None:
            return after_statement(constraint, asker, number)
        return after_claim(constraint, asker, asked, number, answer)

    refuted = refutation(game, set_index, claim)
    if refuted is None:
        return None
    known = problem_of_moves(game, refuted.moves)
    return replace(refuted, reason=reason_in_words(known, question, answer, refuted.proof))


def refutation(
    game: Game, set_index: int, claim: Callable[[SetConstraint], SetConstraint]
) -> Explanation | None:
    """Explain why a claim about a set in play is impossible. Return None if it is possible.

    `claim` is a function that returns the constraint of the set after adding the claim to it.
    """

    def with_claim(known: DealProblem) -> DealProblem:
        return known.with_set(set_index, claim(known.sets[set_index]))

    def impossible(moves: Collection[int]) -> bool:
        problem = with_claim(problem_of_moves(game, moves))
        if coalitions.refuses(problem):
            return not default_solver(problem)(problem)
        return not coalitions.is_feasible(problem)

    indices = range(len(game.moves))
    if not impossible(indices):
        return None
    # Every order of leaving moves out gives a minimal list. Return the shortest of several lists.
    others_first = sorted(indices, key=lambda at: game.moves[at].question.card[0] == set_index)
    orders = (indices, indices[::-1], others_first)
    shorter = min((_minimize(order, impossible) for order in orders), key=len)
    problem = with_claim(problem_of_moves(game, shorter))
    impossibility = why_impossible(problem)
    assert impossibility is not None, "the claim must contradict the moves of the shortest list"
    proof = _proof_in_words(game, shorter, problem, impossibility[0])
    return Explanation(tuple(sorted(shorter)), problem, impossibility[0], proof, proof)


def explanation_lines(game: Game, question: Question) -> Iterator[str]:
    """Yield lines of text that say why a question is illegal, or has only one possible answer."""
    state, asked = game.state, question_sentence(question)
    if question not in state.legal_questions:
        faults = state.faults(question)
        explanation = _explain_refusal(game, question) if len(faults) == 1 else None
        if explanation is not None:
            hopeless = state.is_hopeless(question)
            faults = [hopeless_fault(explanation.reason) if hopeless else explanation.reason]
        for fault in faults:
            yield REFUSED(question=asked, fault=fault)
    else:
        answers = state.answers(question)
        if len(answers) == 2:
            yield BOTH_POSSIBLE(question=asked)
            return
        other = Answer(not answers[0])
        explanation = _explain_if_valid(game, question, other)
        assert explanation is not None, "an impossible answer must have an explanation"
        yield IMPOSSIBLE(question=asked, answer=other, reason=explanation.reason)
    if explanation is not None and explanation.moves:
        yield indent(MINIMAL_REASONS())
        yield from (indent(move_line(game, number), 4) for number in explanation.moves)
    elif explanation is not None:
        yield indent(FROM_THE_START())


def move_line(game: Game, number: int) -> Message:
    """Return a line with the number of a move (counted from 1) and the move."""
    return MOVE(number=number + 1, move=question_sentence(*game.moves[number]))


def _explain_refusal(game: Game, question: Question) -> Explanation | None:
    return _explain_if_valid(
        game, question, Answer.YES if game.state.is_hopeless(question) else None
    )


def _explain_if_valid(game: Game, question: Question, answer: Answer | None) -> Explanation | None:
    completed, (asker, asked, (index, number)) = game.state.completed, question
    known = 0 <= index < len(completed) and 0 <= number < game.state.set_size
    players = range(game.settings.players)
    if asker not in players or asked not in players or not known or completed[index] is not None:
        return None
    return explain(game, question, answer)


def _proof_in_words(
    game: Game, moves: Collection[int], problem: DealProblem, shortage: Certificate
) -> str:
    """Return a sentence that proves that a problem from `problem_of_moves` has no deal.

    The sentence counts the cards that players hold: the cards at the start, plus cards received,
    minus cards given away.
    """
    sets = problem.sets[:-1]
    if isinstance(shortage, CrowdedHand):
        coalition, short = 1 << shortage.player, False
    elif isinstance(shortage, Shortage):
        coalition, short = shortage.coalition, True
        shortage = Shortage(coalition, shortage.witnesses[:-1])
        dealt = DealProblem.unchecked((game.settings.hand,) * problem.players, sets)
        if (crowded := shortage.crowded_player(dealt)) is not None:
            coalition, short = 1 << crowded, False
    else:
        return shortage.in_words(DealProblem.unchecked(problem.hands, sets))
    # Numbers of cards that the coalition received and gave away, in these moves (known) and in
    # other moves (doubtful).
    known, doubtful = [0, 0], [0, 0]
    hands = [game.settings.hand] * problem.players
    for index, ((asker, asked, _), answer) in enumerate(game.moves):
        if answer:
            came, went = coalition >> asker & 1, coalition >> asked & 1
            if came != went:
                (known if index in moves else doubtful)[went] += 1
            if came == went or index in moves or bool(went) == short:
                hands[asker] += 1
                hands[asked] -= 1
    plain = DealProblem.unchecked(tuple(hands), sets)
    members = players_in(coalition)
    came, went = known[0] + doubtful[0] * (not short), known[1] + doubtful[1] * short
    amount = CARDS(count=sum(hands[player] for player in members))
    if any(doubtful):
        amount = (AT_LEAST if short else AT_MOST)(count=amount)
    parts = [AT_START(count=game.settings.hand * len(members))]
    if came:
        is_bound = bool(doubtful[0]) and not short
        parts.append(RECEIVED(count=AT_MOST(count=came) if is_bound else came))
    if went:
        is_bound = bool(doubtful[1]) and short
        parts.append(GIVEN_AWAY(count=AT_MOST(count=went) if is_bound else went))
    if len(parts) > 1:
        amount = BECAUSE(that=amount, why=SHARE(parts=parts))
    return shortage.in_words(plain, amount)


def _minimize(
    order: Sequence[int], impossible: Callable[[Collection[int]], bool]
) -> frozenset[int]:
    needed: list[int] = []
    first = 0
    while not impossible(set(needed)):
        # Together with `needed`, the moves from `low` on are enough, but those from `high` on are
        # not.
        low, high = first, len(order)
        while high - low > 1:
            middle = (low + high) // 2
            if impossible({*needed, *order[middle:]}):
                low = middle
            else:
                high = middle
        needed.append(order[low])
        first = low + 1
    return frozenset(needed)
