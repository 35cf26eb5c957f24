from django.db import migrations

# Whose they are can't be told any more if the site has changed its provider: two providers may call two people by the same
# key. People are linked again by their verified address at their next sign-in.
FORGET_LINKS_WITHOUT_ADDRESS = "DELETE FROM socialaccount_socialaccount WHERE provider = 'oidc'"


class Migration(migrations.Migration):
    serves_version_before = "it links people again by their address, too"

    dependencies = [
        ('judgments', '0035_draft_readings'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
    ]

    operations = [
        migrations.RunSQL(FORGET_LINKS_WITHOUT_ADDRESS, migrations.RunSQL.noop),
    ]
