"""Zhangfang 账房: the settlement service behind four Chinese card games."""
