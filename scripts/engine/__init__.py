"""The engine room: how Amalgam's SQLite is fetched, verified, built, sealed, tested and released.

The story, one module per concept:

    lock.py          a pinned source: its version, its hashes, its origins  (vendor/sqlite/sqlite.lock)
    catalogue.py     which compile options exist for us, and why            (vendor/sqlite/options)
    choice.py        which of them this build uses                          (vendor/sqlite/choice)
    sources.py       tries the cache and the origins in order until one delivers
    debian.py, website.py, pypi.py    the origins
    cache.py         verified source, kept for the next time
    archive.py       unpacks what the origins deliver, without trusting it
    provenance.py    proof that a source tree is SQLite's, by SQLite's own hashes
    amalgamation.py  SQLite's own build step: the source tree becomes sqlite3.c
    symbols.py       the global symbols of the compiled object, and the seal on them
    calls.py         the functions that Swift calls, which a build must have
    headers.py       the generated headers
    record.py        what was built, from what, verified how                (vendor/sqlite/build.json)
    build.py         one build: all of the above, in order
    installation.py  puts a finished set of files in place: all of them or none
    reports.py       what --list and --check print
    bootstrap.py     the command

    testfixture.py   SQLite's own test program, with our options
    testrunner.py    SQLite's own suite, run by an unprivileged user
    sqlite_tests.py  the command that does both, and weighs the failures
    seal.py          the command that checks the seal
    release.py       the command that makes a release

    project.py       where things lie in the repository
    files.py         digests, folders for work in progress, locks
    system.py        compilers, packages and libraries of the machine
    terminal.py      progress, colours, tables
    refusal.py       what a user reads when the answer is no
    script.py        how every script begins and ends

Standard library only, Python 3.9 or newer: a bare machine must be able to run it.
"""
