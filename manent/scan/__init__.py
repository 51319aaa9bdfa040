"""Text in, spans out: personal data, secrets, and text aimed at a model."""
