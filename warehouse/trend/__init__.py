"""Follows a figure over runs, and finds the runs at which it changed."""
