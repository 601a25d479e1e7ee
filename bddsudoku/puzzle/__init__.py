"""What is asked: every puzzle makes a Model and decodes a cover; it knows no engine."""
