"""Message templates for the events of Quarto."""

from quaternity.base.sentences import MessageTemplate

PLACES = MessageTemplate("places", "{who:player} places {piece} on {cell}")
HANDS_OVER = MessageTemplate("hands_over", "{who:player} hands over {piece}")
QUARTO = MessageTemplate("quarto", "{who:player} has a quarto: {row}, all {shared:listed}")
QUARTO_ROW = MessageTemplate("alike", "{row}: {pieces:listed} are {shared:listed}")
DRAW = MessageTemplate("draw", "the board is full without a quarto: a draw")
