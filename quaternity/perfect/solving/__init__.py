"""All canonical states of a game, who can force and prevent what, and what players prefer."""
