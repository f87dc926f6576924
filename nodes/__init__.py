"""What one step does: small functions, one module for each graph. A docstring says what a node reads and writes."""
