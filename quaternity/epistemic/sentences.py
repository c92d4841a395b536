"""Message templates for explanations of why a formula is true or false."""

from quaternity.base.sentences import MessageTemplate

CONSTANT = MessageTemplate("constant", "{formula} is {formula}")
CANNOT_ANNOUNCE = MessageTemplate("cannot_say", "{formula} is false and cannot be announced:")
AFTER_ANNOUNCEMENT = MessageTemplate("once_said", "after {formula} is announced:")
IS_TRUE = MessageTemplate("is_true", "{formula} is true:")
IS_FALSE = MessageTemplate("is_false", "{formula} is false:")
OUT_OF_PLAY = MessageTemplate("out_of_play", "{set:set} is out of play: nobody holds {card:card}")
HOLDS = MessageTemplate("holds", "{who:player} holds {card:card}")
HOLDS_INSTEAD = MessageTemplate("holds", "{who:player} holds {card:card}, not {other:player}")
HOLDS_NOT = MessageTemplate("holds_not", "{who:player} does not hold {card:card}")
HOLD_BETWEEN = MessageTemplate("holds", "one of {who:players} holds {card:card}")
THE_REAL_DEAL, DEAL = (
    MessageTemplate("deal", "the real deal"),
    MessageTemplate("deal", "deal {number}"),
)
KNOWS = MessageTemplate("knows", "{who:players} knows {formula}:")
KNOW = MessageTemplate("knows", "{who:players} together know {formula}:")
SEES = MessageTemplate("sees", "{who:players} knows {formula}: their own hand settles it")
SEE = MessageTemplate("sees", "{who:players} together know {formula}: their own hands settle it")
KNOWS_NOT_FALSE = MessageTemplate("knows_not", "{who:players} does not know {formula}: it is false")
KNOW_NOT_FALSE = MessageTemplate(
    "knows_not", "{who:players} together do not know {formula}: it is false"
)
KNOWS_NOT = MessageTemplate(
    "knows_not",
    "{who:players} does not know {formula}: {who:players} has the same hand in {deal}. "
    "In that deal:",
)
KNOW_NOT = MessageTemplate(
    "knows_not",
    "{who:players} together do not know {formula}: {who:players} have the same hands in {deal}. "
    "In that deal:",
)
TRUE_IN_PUBLIC = MessageTemplate(
    "everywhere", "{formula} is true in every deal that fits the public record:"
)
NOT_IN_PUBLIC = MessageTemplate(
    "everywhere", "{formula} is false in a deal that fits the public record. In {deal}:"
)
COMMON, COMMON_OF = (
    MessageTemplate("common", "common knowledge"),
    MessageTemplate("common", "common knowledge of {who:players}"),
)
NOT_COMMON = MessageTemplate("not_common", "{formula} is not {common}: {way}")
FALSE, FALSE_IN = (
    MessageTemplate("false", "it is false"),
    MessageTemplate("false", "it is false in {deal}"),
)
CHAIN = MessageTemplate("chain", "start with {steps:parts}. In the last deal:")
CANNOT_TELL = MessageTemplate("cannot_tell", "which {who:player} cannot tell from {deal}")
COMMON_TO_EACH = MessageTemplate(
    "common", "{formula} is {common}, because each of these players knows whether it is true:"
)
COMMON_TO_ALL = MessageTemplate(
    "common", "{formula} is {common}, because everybody knows whether it is true:"
)
COMMON_AS = MessageTemplate("common", "{formula} is {common}, which is equivalent to: {same}")
COMMON_IN_PUBLIC = MessageTemplate(
    "common", "{formula} is {common}, because it is true in every deal that fits the public record:"
)
COMMON_UNREACHABLE = MessageTemplate(
    "common",
    "{formula} is {common}, although it is false in some deals that fit the public record: these "
    "cannot be reached by steps between two deals that some player cannot tell apart",
)
UNKNOWN = MessageTemplate(
    "unknown",
    "{owner:player} holds {count} cards, and {knower:player} does not know {unknown} of them: "
    "{cards}",
)
CARDS, NO_CARDS = MessageTemplate("cards", "{cards:cards_listed}"), MessageTemplate("cards", "none")
NO_DEAL = MessageTemplate(
    "no_deal", "no deal makes the formula false; for example, it is true in {deal}:"
)
NO_DEAL_OF_HAND = MessageTemplate(
    "no_deal", "no deal with this hand makes the formula false; for example, it is true in {deal}:"
)
NO_DEAL_OF_HANDS = MessageTemplate(
    "no_deal",
    "no deal with these hands makes the formula false; for example, it is true in {deal}:",
)
NO_WAY = MessageTemplate("no_way", "no deal that fits the public record makes it false")
IMPOSSIBLE = MessageTemplate("impossible", "{case}: impossible: {proof}")
ALL_OF, ANY_DEAL = (
    MessageTemplate("all_of", "{parts:listed}"),
    MessageTemplate("all_of", "any deal"),
)
PUBLICLY_WITHOUT = MessageTemplate(
    "cannot_hold", "{who:players} cannot hold {card:card}: everybody knows that"
)
CANNOT_HOLD = MessageTemplate("cannot_hold", "{who:player} cannot hold {card:card}: {reason}")
CANNOT_HOLD_PROOF = MessageTemplate(
    "cannot_hold", "{who:player} cannot hold {card:card}: otherwise {proof}"
)
SEES_NOT = MessageTemplate("sees", "{who:player} sees that {card:card} is not in their own hand")
SEES_CARD = MessageTemplate("sees", "{who:player} sees {card:card} in their own hand")
DEAL_IS = MessageTemplate("deal", "deal {number}:")
TRUE_IF, FALSE_IF = (
    MessageTemplate("either_way", "true if"),
    MessageTemplate("either_way", "false if"),
)
CAN_BE_BOTH = MessageTemplate("certain", "{formula:called} can be true or false")
ALWAYS_TRUE = MessageTemplate("certain", "{formula:called} is true in every possible deal")
ALWAYS_FALSE = MessageTemplate("certain", "{formula:called} is false in every possible deal")
LIES_TRUE = MessageTemplate("told", "as the cards lie, {formula:called} is true")
LIES_FALSE = MessageTemplate("told", "as the cards lie, {formula:called} is false")
ALL_KNOW_TRUE = MessageTemplate("told", "everybody knows that {formula:called} is true")
ALL_KNOW_FALSE = MessageTemplate("told", "everybody knows that {formula:called} is false")
ALL_KNOW_NOT = MessageTemplate("told", "the record does not show whether {formula:called}")
YOU_KNOW_TRUE = MessageTemplate("told", "you know that {formula:called} is true")
YOU_KNOW_FALSE = MessageTemplate("told", "you know that {formula:called} is false")
YOU_KNOW_NOT = MessageTemplate("told", "you do not know whether {formula:called}")
LIKELY = MessageTemplate("likely", "{told}: the probability is {chance:percent}")
