"""Players for Quaternity: what each of them asks, and what it answers when it has a choice."""
