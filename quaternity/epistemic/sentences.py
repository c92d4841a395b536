"""Message templates of explanations why a formula is true or false."""

from quaternity.base.sentences import Kind

CONSTANT = Kind("constant", "{formula} is {formula}")
CANNOT_SAY = Kind("cannot_say", "{formula} is false and cannot be said:")
ONCE_SAID = Kind("once_said", "once {formula} is said:")
IS_TRUE = Kind("is_true", "{formula} is true:")
IS_FALSE = Kind("is_false", "{formula} is false:")
OUT_OF_PLAY = Kind("out_of_play", "{set:set} is out of play: nobody holds {card:card}")
HOLDS = Kind("holds", "{who:player} holds {card:card}")
HOLDS_INSTEAD = Kind("holds", "{who:player} holds {card:card}, not {other:player}")
HOLDS_NOT = Kind("holds_not", "{who:player} does not hold {card:card}")
HOLD_BETWEEN = Kind("holds", "one of {who:players} holds {card:card}")
THE_REAL_DEAL, DEAL = Kind("deal", "the real deal"), Kind("deal", "deal {number}")
KNOWS = Kind("knows", "{who:players} knows {formula}:")
KNOW = Kind("knows", "{who:players} together know {formula}:")
SEES = Kind("sees", "{who:players} knows {formula}: their own hand settles it")
SEE = Kind("sees", "{who:players} together know {formula}: their own hands settle it")
KNOWS_NOT_FALSE = Kind("knows_not", "{who:players} does not know {formula}: it is false")
KNOW_NOT_FALSE = Kind("knows_not", "{who:players} together do not know {formula}: it is false")
KNOWS_NOT = Kind(
    "knows_not",
    "{who:players} does not know {formula}: the hand of {who:players} is the same in {deal}, and "
    "there",
)
KNOW_NOT = Kind(
    "knows_not",
    "{who:players} together do not know {formula}: the hands of {who:players} are the same in "
    "{deal}, and there",
)
TRUE_IN_PUBLIC = Kind("everywhere", "{formula} is true in every public deal:")
NOT_IN_PUBLIC = Kind("everywhere", "{formula} is not true in every public deal: in {deal}")
COMMON, COMMON_OF = (
    Kind("common", "common knowledge"),
    Kind("common", "common knowledge of {who:players}"),
)
NOT_COMMON = Kind("not_common", "{formula} is not {common}: {way}")
FALSE, FALSE_IN = Kind("false", "it is false"), Kind("false", "it is false in {deal}")
CHAIN = Kind("chain", "from {steps:parts}, where")
CANNOT_TELL = Kind("cannot_tell", "which {who:player} cannot tell from {deal}")
COMMON_TO_EACH = Kind(
    "common", "{formula} is {common}, because each of them knows whether it is true:"
)
COMMON_TO_ALL = Kind("common", "{formula} is {common}, because everybody knows whether it is true:")
COMMON_AS = Kind("common", "{formula} is {common}, which is equivalent to: {same}")
COMMON_IN_PUBLIC = Kind("common", "{formula} is {common}, because it is true in every public deal:")
COMMON_APART = Kind(
    "common",
    "{formula} is {common}: some public deal makes it false, but no chain of deals leads there in "
    "which each deal is indistinguishable from the previous one for a player",
)
UNKNOWN = Kind(
    "unknown",
    "of the {count} cards of {owner:player}, {knower:player} does not know {unknown}: {cards}",
)
CARDS, NO_CARDS = Kind("cards", "{cards:cards_listed}"), Kind("cards", "none")
NO_DEAL = Kind("no_deal", "no deal makes it false; why not {deal}:")
NO_DEAL_OF_HAND = Kind("no_deal", "no deal with this hand makes it false; why not {deal}:")
NO_DEAL_OF_HANDS = Kind("no_deal", "no deal with these hands makes it false; why not {deal}:")
NO_WAY = Kind("no_way", "the public record leaves no way to make it false")
IMPOSSIBLE = Kind("impossible", "{case}: impossible: {proof}")
ALL_OF, ANY_DEAL = Kind("all_of", "{parts:listed}"), Kind("all_of", "any deal")
PUBLICLY_WITHOUT = Kind(
    "cannot_hold", "{who:players} cannot hold {card:card}: everybody knows that"
)
CANNOT_HOLD = Kind("cannot_hold", "{who:player} cannot hold {card:card}: {reason}")
SEES_NOT = Kind("sees", "{who:player} sees that {card:card} is not in their own hand")
SEES_CARD = Kind("sees", "{who:player} sees {card:card} in their own hand")
DEAL_IS = Kind("deal", "deal {number}:")
TRUE_IF, FALSE_IF = Kind("either_way", "true if"), Kind("either_way", "false if")
CAN_BE_BOTH = Kind("certain", "that {formula:called} can be true and can be false")
ALWAYS_TRUE = Kind("certain", "that {formula:called} is true whatever the cards are")
ALWAYS_FALSE = Kind("certain", "that {formula:called} is false whatever the cards are")
LIES_TRUE = Kind("told", "as the cards lie, {formula:called} is true")
LIES_FALSE = Kind("told", "as the cards lie, {formula:called} is false")
ALL_KNOW_TRUE = Kind("told", "everybody knows that {formula:called} is true")
ALL_KNOW_FALSE = Kind("told", "everybody knows that {formula:called} is false")
ALL_KNOW_NOT = Kind("told", "the record does not show whether {formula:called}")
YOU_KNOW_TRUE = Kind("told", "you know that {formula:called} is true")
YOU_KNOW_FALSE = Kind("told", "you know that {formula:called} is false")
YOU_KNOW_NOT = Kind("told", "you do not know whether {formula:called}")
LIKELY = Kind("likely", "{told}: true with {chance:called}")
