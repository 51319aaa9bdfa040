"""Rankers judged by questions whose answers are known: metrics, comparison, the baseline gate."""
