"""Every game's codec, by the game's name: adding a game adds one line here and one in ``rules.games``."""
