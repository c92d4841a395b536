"""Kwartet: real hidden hands, public requests, and exact knowledge for every seat."""
