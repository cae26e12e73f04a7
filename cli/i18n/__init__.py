"""Translation of the interface: catalogues, the choice of a language, messages of lower layers."""
