"""The register of questions the brain could not answer. It lies outside the vault."""
