"""Filters and tags that every template may use (registered as built-ins)."""

from django import template

register = template.Library()
