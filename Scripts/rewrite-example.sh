#!/bin/bash
# Writes Config/coordd.example.json as the table of keys says; the difference is for review.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The test attaches the text and then fails where the file differs, which is the point of this run.
swift test --disable-xctest --filter ConfigurationExampleTests --attachments-path "$folder" || true
cp "$folder/coordd.example.json" Config/coordd.example.json
echo "Config/coordd.example.json is as the table of keys says; see 'git diff'."
