"""How models are asked: one module a language, one registry, the answer model beside each prompt."""
