"""What makes a password good enough: the rules of Django, in our words."""

from django.contrib.auth import password_validation


class LengthValidator(password_validation.MinimumLengthValidator):
    def get_error_message(self) -> str:
        return f"This password is too short. Use at least {self.min_length} characters."

    def get_help_text(self) -> str:
        return f"At least {self.min_length} characters."


class CommonValidator(password_validation.CommonPasswordValidator):
    def get_error_message(self) -> str:
        return "Many people use this password. Choose another one."

    def get_help_text(self) -> str:
        return "Not a common password."


class DigitsValidator(password_validation.NumericPasswordValidator):
    def get_error_message(self) -> str:
        return "This password has only digits. Add letters."

    def get_help_text(self) -> str:
        return "Not only digits."


class SimilarityValidator(password_validation.UserAttributeSimilarityValidator):
    def get_error_message(self) -> str:
        return "This password is too similar to your %(verbose_name)s. Choose another one."

    def get_help_text(self) -> str:
        return "Not similar to your name or username."
