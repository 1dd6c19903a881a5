"""Files written from the warehouse, each with its manifest."""
