"""Games of collected sets whose hands are unknown: Quaternity, Kwartet, Quarto and SET."""
