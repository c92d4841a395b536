"""The games in numbers, for PettingZoo and for OpenSpiel."""
