"""The one door: what a push, an agent or a promotion adds is judged here, then lands."""
