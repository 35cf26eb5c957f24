"""Compressed blocks are stored as they are; the hits of a ranking come in pairs."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial")]

    operations = [
        migrations.RunSQL(
            """
            ALTER TABLE evaluation_ranking ALTER COLUMN documents SET STORAGE EXTERNAL;
            ALTER TABLE evaluation_ranking ALTER COLUMN scores SET STORAGE EXTERNAL;
            ALTER TABLE evaluation_ranking ADD CONSTRAINT ranking_hits_aligned
                CHECK (cardinality(hit_ranks) = cardinality(hit_documents));
            """,
            """
            ALTER TABLE evaluation_ranking DROP CONSTRAINT ranking_hits_aligned;
            ALTER TABLE evaluation_ranking ALTER COLUMN documents SET STORAGE EXTENDED;
            ALTER TABLE evaluation_ranking ALTER COLUMN scores SET STORAGE EXTENDED;
            """,
        )
    ]
