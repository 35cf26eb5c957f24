"""Accounts, members, invitations, sign-in and its throttle."""
