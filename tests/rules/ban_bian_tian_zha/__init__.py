"""半邊天炸, rule by rule."""
