"""How far unjudged documents could change a value: pure numpy, no Django.

Every bound holds whatever grades the unjudged documents of its universe get, and some grades reach it.
"""
