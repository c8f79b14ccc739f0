"""The paragraph SVM (Novotný 2016, Plzeň)."""
