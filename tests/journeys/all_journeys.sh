#!/bin/sh
# Runs in the new root. Each journey has its own folder and prints its steps.
set -eu
here=/journeys
for journey in application_tester ml_engineer delegate_author chip_vendor python_user packager; do
  echo "== $journey"
  mkdir -p "/tmp/$journey"
  cd "/tmp/$journey"
  sh -eu "$here/$journey.sh" "$here"
done
