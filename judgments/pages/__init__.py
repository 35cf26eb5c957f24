"""What pages of every room share: requests, breadcrumbs, error pages, the archive's guard; and what the API of every room shares."""
