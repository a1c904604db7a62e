"""Model providers: adapters, continuations, and the turn that joins them."""
