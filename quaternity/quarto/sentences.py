"""Message templates for the events of Quarto."""

from quaternity.base.sentences import Kind

PLACES = Kind("places", "{who:player} places {piece} on {cell}")
HANDS_OVER = Kind("hands_over", "{who:player} hands over {piece}")
QUARTO = Kind("quarto", "{who:player} has a quarto: {row}, all {shared:listed}")
ALIKE = Kind("alike", "{row}: {pieces:listed} are {shared:listed}")
DRAW = Kind("draw", "the board is full without a quarto: a draw")
