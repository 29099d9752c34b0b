"""Makes the word table that lets questions in other languages find English code; README.md describes the steps."""
