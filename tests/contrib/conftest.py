"""Without the features, their tests are left out."""

from dlqconsole.features import features

collect_ignore_glob = [] if features() else ["*"]
