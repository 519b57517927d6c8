#!/bin/bash
# Writes the page template into a Swift file, so that the binary runs from anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."

source=Config/genius.html
target=Sources/coordd/Configuration/GeniusTemplate.swift
if grep -q '"""##' "$source"; then
    echo "$source: must not contain \"\"\"##" >&2
    exit 1
fi
{
    cat <<'SWIFT'
// Written by `make template` from Config/genius.html; a test compares them.

/// The page that plays Genius Sports content (contract: domain, section 5.1).
package enum GeniusTemplate {
    /// The template that is used when the configuration names none.
    package static let builtIn = ##"""
SWIFT
    # A blank line needs no indentation; the text ends with a line feed, hence the empty last line.
    sed 's/^\(.\)/        \1/' "$source"
    printf '\n        """##\n}\n'
} >"$target"
