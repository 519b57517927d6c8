#!/bin/bash
# Writes the page templates into Swift files, so that the binary runs from anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."

# embed FILE TYPE SUMMARY: the file in Config, the type that holds it, what the page is.
embed() {
    local source=Config/$1
    local target=Sources/coordd/Configuration/$2.swift
    if grep -q '"""##' "$source"; then
        echo "$source: must not contain \"\"\"##" >&2
        exit 1
    fi
    {
        cat <<SWIFT
// Written by \`make template\` from $source; a test compares them.

/// $3
package enum $2 {
    /// The template that is used when the configuration names none.
    package static let builtIn = ##"""
SWIFT
        # A blank line needs no indentation; the text ends with a line feed, hence the empty last
        # line.
        sed 's/^\(.\)/        \1/' "$source"
        printf '\n        """##\n}\n'
    } >"$target"
}

embed genius.html GeniusTemplate \
    'The page that plays Genius Sports content (contract: domain, section 5.1).'
embed sportradar.html SportradarTemplate \
    'The page around a Sportradar widget (contract: domain, section 5.4).'
