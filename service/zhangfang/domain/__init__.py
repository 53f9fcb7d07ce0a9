"""Tables, hands, players and transfers as event-sourced state: ``decide(books, command) -> events``, ``evolve``."""
