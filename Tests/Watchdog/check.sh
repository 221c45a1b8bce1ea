#!/usr/bin/env bash
# Runs a test in which two threads wait for each other, and checks the report. The arguments are passed to `swift test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export AMALGAM_WATCHDOG_PROBE=1 AMALGAM_WATCHDOG_SECONDS=2

source scripts/swift.sh
swift_build --build-tests "$@"
start=$SECONDS
if output="$(swift test --skip-build "$@" --filter WatchdogProbes 2>&1)"; then
    printf '%s\n' "$output" "The deadlock was not reported." >&2
    exit 1
fi
# The report names the test, but no finished tests, and shows what both threads wait for.
for expected in "Deadlock? .*twoThreadsWaitForEachOther.* has not ended" "waitForFirst.*WatchdogProbes.swift" \
    "waitForSecond.*WatchdogProbes.swift"; do
    grep -q "$expected" <<<"$output" || {
        printf '%s\n' "$output" "There is no line with: $expected" >&2
        exit 1
    }
done
if grep -q -- "- .*aTestThatEndsIsLeftAlone" <<<"$output"; then
    printf '%s\n' "$output" "A test that has ended is reported." >&2
    exit 1
fi
echo "A deadlock is reported within $((SECONDS - start)) seconds, with the stacks of both threads."
