"""From blocks to the main text: features, classify, post-analysis, second opinion, verdict."""
