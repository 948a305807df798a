"""Custom Functions: functions with derivatives that the program defines."""
