"""What to judge so that two runs can be told apart, or one run's level is known, and when enough is judged: pure numpy, no Django.

Carterette, Allan & Sitaraman (SIGIR 2006) judge first what weighs most in the difference of two runs.
"""
