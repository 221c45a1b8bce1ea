"""The codec of the trait Encryption: derived, checked, applied with our cures, left out, and what of it is sealed."""

from __future__ import annotations

import shutil
import unittest
from pathlib import Path

from support import FILES, EngineTest, check_in, pypi_origin, sha256, write_distribution, write_tree

from engine import choice, cipher, cures, lock, patch, symbols, system
from engine.catalogue import REFUSED
from engine.headers import CIPHER_OPTIONS
from engine.project import HERE

CODEC = """#ifdef SQLITE_HAS_CODEC
typedef struct sqlcipher_provider { int x; } sqlcipher_provider;
int sqlite3_key(void);
int sqlite3CodecAttach(void);
int sqlite3_key(void) { return 0; }
int sqlite3CodecAttach(void) { return sqlite3_key(); }
void sqlcipher_log_write() {}
int xoshiro_next() { return 4; }
static int sqlcipher_private(void) { return 0; }
int sqlcipher_extra_shutdown(void) { return sqlcipher_private(); }
#ifdef SQLCIPHER_CRYPTO_OPENSSL
int sqlcipher_openssl_setup(sqlcipher_provider *provider);
int sqlcipher_openssl_setup(sqlcipher_provider *provider) { return provider->x; }
#endif
#ifdef SQLCIPHER_CRYPTO_CC
int sqlcipher_cc_setup(sqlcipher_provider *provider);
int sqlcipher_cc_setup(sqlcipher_provider *provider) { return provider->x; }
#endif
#endif
"""
CODEC_HEADER = "#ifdef SQLITE_HAS_CODEC\nSQLITE_API int sqlite3_activate_see(const char *);\n#endif\n"
OPEN = "int sqlite3_open(void) { return 0; }\n"
CURES = """A cure of what the codec fails to report.

--- a/sqlite3.c
+++ b/sqlite3.c
@@ -20,3 +20,3 @@
 int sqlite3CodecAttach(void);
-int sqlite3_key(void) { return 0; }
+int sqlite3_key(void) { return 21; }
 int sqlite3CodecAttach(void) { return sqlite3_key(); }
"""
# What the cure changes.
FAILS, CURED = "int sqlite3_key(void) { return 0; }\n", "int sqlite3_key(void) { return 21; }\n"
STOCK_ID, COPY_ID = "19:02:57 bf7c", "19:02:57 alt1"
# What the amalgamation step of the tree makes of these options.
STOCK = {
    "sqlite3.c": FILES["src/main.c"] + "/* -DSQLITE_ENABLE_UPDATE_DELETE_LIMIT=1 */\n",
    "sqlite3.h": FILES["src/sqlite.h.in"],
}
CHANGED = {
    "sqlite3.c": STOCK["sqlite3.c"].replace(STOCK_ID, COPY_ID).replace(OPEN, OPEN + CODEC),
    "sqlite3.h": STOCK["sqlite3.h"].replace(STOCK_ID, COPY_ID) + CODEC_HEADER,
}
PATCH = sha256(patch.difference(STOCK, CHANGED).encode())
COMPILERS = [name for name in ("clang", "gcc") if shutil.which(name)]


class CipherTest(EngineTest):
    """A project whose lock file has a cipher, and a cache that has the distribution which it comes from."""

    def setUp(self) -> None:
        super().setUp()
        self.write_cures(CURES)
        self.pin(CHANGED)

    def pin(self, files: dict[str, str], digest: str = PATCH) -> None:
        """Pins a distribution with these files, which is in the cache, and a patch of this SHA-256."""
        packed = {f"sqlcipher3-0.6.4/vendor/{name}": text for name, text in files.items()}
        self.distribution = write_distribution(self.folder / "sqlcipher3-0.6.4.tar.gz", packed)
        self.write_project(pypi_origin(self.distribution, packed) + cipher_block(digest))
        self.cache.mkdir(exist_ok=True)
        shutil.copy(self.distribution, self.cache)

    def write_cures(self, text: str) -> None:
        self.project.home.mkdir(parents=True, exist_ok=True)
        (self.project.home / cipher.CURES).write_text(text)

    @property
    def cached_patch(self) -> Path:
        return self.cache / f"sqlcipher-4.19.0-{PATCH[:12]}.patch"

    def stock(self) -> str:
        """The amalgamation of the tree with the default options."""
        return self.header("sqlite3.c").rpartition("/* ")[0]

    def compile(self, *flags: str, compiler: str = "") -> Path:
        source = self.folder / "unit.c"
        names = ("amalgam_options.h", "amalgam_symbols.h", "sqlite3.c", "amalgam_build.h")
        includes = "".join(f'#include "{self.project.home / name}"\n' for name in names)
        source.write_text("#define AMALGAM_COMPILES_SQLITE 1\n" + includes)
        system.checked([compiler or system.compiler(), "-w", *flags, "-c", source, "-o", source.with_suffix(".o")])
        return source.with_suffix(".o")

    def assert_error(self, words: str) -> None:
        """The build compiles without the trait; with it, the compiler says the words."""
        self.compile()
        self.assert_refuses(words, lambda: self.compile("-DAMALGAM_CIPHER"))


def cipher_block(digest: str = PATCH) -> str:
    return (
        "cipher SQLCipher\n    version 4.19.0\n    origin pypi\n    options ENABLE_UPDATE_DELETE_LIMIT\n"
        f"    patch {digest}\n"
    )


class PatchTests(CipherTest):

    def test_the_default_build_has_the_codec_and_our_cures_and_sqlites_source_id(self) -> None:
        run = self.built()
        self.assertEqual(self.stock(), FILES["src/main.c"].replace(OPEN, OPEN + CODEC.replace(FAILS, CURED)))
        self.assertEqual(self.header("sqlite3.h"), FILES["src/sqlite.h.in"] + CODEC_HEADER)
        self.assertIn(STOCK_ID, self.header("sqlite3.c"))
        self.assertIn("return 21", self.header("sqlite3.c"))
        self.assertIn("Applying the patch of SQLCipher 4.19.0", run.errors)

    def test_without_the_trait_the_compiler_sees_sqlites_own_code(self) -> None:
        self.built()
        compiled = symbols.of_object(self.compile())
        self.built("--cipher", "none")
        self.assertEqual(symbols.of_object(self.compile()), compiled)

    def test_the_record_tells_the_codec(self) -> None:
        self.built()
        self.assertEqual(self.record()["cipher"], {"name": "SQLCipher", "version": "4.19.0", "patch": PATCH})
        self.assertEqual(self.record()["chosen"], [])
        self.assertIn('#define AMALGAM_CIPHER_VERSION "4.19.0"', self.header("amalgam_build.h"))
        self.assertIn("#define AMALGAM_CUSTOM_OPTIONS 0", self.header("amalgam_build.h"))
        self.assertIn("SQLCipher 4.19.0, with the trait Encryption", self.bootstrap("--check").output)

    def test_the_derived_patch_is_kept_and_used_offline(self) -> None:
        self.assertIn("Deriving the patch", self.built().errors)
        self.assertEqual(sha256(self.cached_patch.read_bytes()), PATCH)
        (self.cache / self.distribution.name).unlink()
        run = self.bootstrap("--offline", "--with", "SOUNDEX")
        self.assertEqual(run.code, 0, run.errors)
        self.assertNotIn("Deriving", run.errors)
        self.assertIn(CODEC[:30], self.header("sqlite3.c"))

    def test_a_damaged_patch_in_the_cache_is_derived_again(self) -> None:
        self.built()
        good = self.header("sqlite3.c")
        self.cached_patch.write_text("damaged")
        (self.project.home / "sqlite3.c").unlink()
        self.assertIn("Deriving the patch", self.built().errors)
        self.assertEqual(self.header("sqlite3.c"), good)
        self.assertEqual(sha256(self.cached_patch.read_bytes()), PATCH)

    def test_another_patch_is_refused_with_both_hashes(self) -> None:
        self.pin(CHANGED, digest="0" * 64)
        run = self.bootstrap("--origin", self.tree)
        self.refused(run, "not the one that sqlite.lock pins", "0" * 64, PATCH, "--cipher none")
        self.assertFalse((self.project.home / "sqlite3.c").exists())
        self.assertEqual(list(self.cache.glob("*.patch")), [])

    def test_a_distribution_with_other_code_is_refused(self) -> None:
        evil = {**CHANGED, "sqlite3.c": CHANGED["sqlite3.c"].replace("return 4", "return 5")}
        self.pin(evil)
        found = sha256(patch.difference(STOCK, evil).encode())
        self.refused(self.bootstrap("--origin", self.tree), "not the one that sqlite.lock pins", PATCH, found)

    def test_without_the_distribution_the_way_without_it_is_named(self) -> None:
        (self.cache / self.distribution.name).unlink()
        run = self.with_pip("--origin", self.tree)
        words = ("The source of SQLCipher 4.19.0 could not be fetched", "pypi: pip could not", "--cipher none")
        self.refused(run, *words)
        self.refused(self.bootstrap("--offline"), words[0], "pypi: no sqlcipher3-0.6.4.tar.gz in", "--cipher none")
        self.assertFalse((self.project.home / "sqlite3.c").exists())
        self.assertEqual(self.with_pip("--origin", self.tree, delivers=self.distribution).code, 0)

    def test_a_hunk_of_the_source_id_that_changes_code_too_is_refused(self) -> None:
        mixed = {**CHANGED, "sqlite3.h": CHANGED["sqlite3.h"].replace("SQLITE_OK 0", "SQLITE_OK 100")}
        self.pin(mixed, digest=sha256(patch.difference(STOCK, mixed).encode()))
        run = self.bootstrap("--origin", self.tree)
        self.refused(run, "changes SQLite's source id, and code with it", "#define SQLITE_OK 0")

    def test_cures_that_do_not_fit_are_refused(self) -> None:
        self.write_cures(CURES.replace("CodecAttach(void);", "CodecDetach(void);"))
        run = self.bootstrap("--origin", self.tree)
        self.refused(run, "cures.patch: sqlite3.c differs from what the patch expects near line 20")

    def test_from_the_distribution_itself_only_the_cures_are_applied(self) -> None:
        run = self.bootstrap("--origin", "pypi")
        self.assertEqual(run.code, 0, run.errors)
        self.assertNotIn("Deriving", run.errors)
        self.assertEqual(self.header("sqlite3.c"), CHANGED["sqlite3.c"].replace(FAILS, CURED))
        self.assertEqual(self.header("sqlite3.h"), CHANGED["sqlite3.h"])
        self.assertFalse(self.cached_patch.exists())
        self.assertEqual(self.record()["cipher"]["patch"], PATCH)

    def test_repairs_of_sqlite_are_in_every_build(self) -> None:
        repair = "\n--- a/sqlite3.c\n+++ b/sqlite3.c\n@@ -1,1 +1,1 @@\n" + "-" + OPEN + "+" + OPEN.replace("0", "7")
        (self.project.home / cures.NAME).write_text("A repair.\n" + repair)
        for arguments in ((), ("--cipher", "none")):
            self.built(*arguments)
            self.assertIn("int sqlite3_open(void) { return 7; }", self.header("sqlite3.c"))
        before = self.header("amalgam_build.h")
        (self.project.home / cures.NAME).write_text("A repair.\n" + repair.replace("7", "8"))
        self.built("--cipher", "none")
        self.assertIn("int sqlite3_open(void) { return 8; }", self.header("sqlite3.c"))
        self.assertNotEqual(self.header("amalgam_build.h"), before)
        (self.project.home / cures.NAME).write_text(repair.replace("void", "int"))
        self.refused(self.bootstrap(), "sqlite.patch: sqlite3.c differs from what the patch expects")

    def test_changed_cures_or_another_patch_make_a_build_out_of_date(self) -> None:
        self.built()
        self.assertIn("nothing to do", self.bootstrap().output)
        self.write_cures(CURES.replace("21", "7"))
        self.refused(self.bootstrap("--check"), "have changed since it was built")
        self.assertEqual(self.bootstrap("--offline").code, 0)
        self.assertIn("return 7", self.header("sqlite3.c"))
        self.pin(CHANGED, digest="0" * 64)
        self.refused(self.bootstrap("--offline"), "not the one that sqlite.lock pins")

    def test_other_cures_change_nothing_without_the_codec(self) -> None:
        self.built("--cipher", "none")
        self.write_cures("other cures")
        self.assertIn("nothing to do", self.bootstrap().output)


class WithoutTests(CipherTest):
    """`--cipher none`, and options that the codec can't be built with."""

    def test_the_amalgamation_is_sqlites_own(self) -> None:
        (self.cache / self.distribution.name).unlink()
        run = self.with_pip("--origin", self.tree, "--cipher", "none")
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(self.stock(), FILES["src/main.c"])
        self.assertEqual(self.header("sqlite3.h"), FILES["src/sqlite.h.in"])
        self.assertNotIn("xoshiro_next", self.header("amalgam_symbols.h"))

    def test_the_record_tells_that_there_is_none(self) -> None:
        self.built("--cipher", "none", "--with", "SOUNDEX")
        self.assertIsNone(self.record()["cipher"])
        self.assertEqual(self.record()["chosen"], ["+SOUNDEX", "cipher none"])
        self.assertNotIn("AMALGAM_CIPHER_VERSION", self.header("amalgam_build.h"))
        self.assertIn("#define AMALGAM_CUSTOM_OPTIONS 1", self.header("amalgam_build.h"))
        self.assertIn("+SOUNDEX, cipher none", self.bootstrap("--check").output)

    def test_it_is_kept_until_default_goes_back(self) -> None:
        run = self.built("--cipher", "none")
        self.assertIn("the default options and --cipher none", run.errors)
        run = self.bootstrap()
        self.assertIn("the default options and --cipher none: nothing to do", run.output)
        self.assertNotIn("SQLITE_HAS_CODEC", self.header("sqlite3.c"))
        self.assertEqual(self.bootstrap("--default").code, 0)
        self.assertIn("SQLITE_HAS_CODEC", self.header("sqlite3.c"))
        self.assertEqual(self.record()["chosen"], [])

    def test_it_survives_the_file_of_the_choice(self) -> None:
        made = choice.from_arguments(["SOUNDEX"], ["ENABLE_GEOPOLY"], self.project.catalogue(), has_cipher=False)
        (self.folder / "choice").write_text(choice.written(made))
        self.assertEqual(choice.read(self.folder / "choice"), made)
        self.assertEqual(str(made), "--with SOUNDEX --without ENABLE_GEOPOLY --cipher none")

    def test_the_trait_then_fails_to_compile_with_a_sentence(self) -> None:
        self.built("--cipher", "none")
        self.assert_error(
            "The trait Encryption needs SQLCipher, which this SQLite was built without: "
            "run scripts/bootstrap without --cipher none"
        )

    def test_a_project_without_a_cipher_builds_without_one(self) -> None:
        self.write_project()
        self.built()
        self.assertIsNone(self.record()["cipher"])
        self.assert_error("which this SQLite was built without")
        self.refused(self.bootstrap("--cipher", "verify"), "names no cipher")

    def test_an_option_of_another_value_excludes_the_trait_only(self) -> None:
        for value in ("1", "2"):
            self.built("--with", f"TEMP_STORE={value}")
            self.assertEqual((self.record()["cipher"], self.record()["chosen"]), (None, [f"+TEMP_STORE={value}"]))
            self.assert_error(
                "The trait Encryption needs SQLITE_TEMP_STORE=3, "
                f"and this SQLite was built with SQLITE_TEMP_STORE={value}"
            )

    def test_an_option_of_the_value_that_the_codec_needs_is_defined_once(self) -> None:
        self.built("--with", "TEMP_STORE=3")
        self.assertEqual(self.header("amalgam_options.h").count("#define SQLITE_TEMP_STORE 3\n"), 1)
        self.compile("-DAMALGAM_CIPHER", "-Werror")

    def test_options_that_the_codec_does_not_compile_with_are_refused_with_the_way_without_it(self) -> None:
        code = CHANGED["sqlite3.c"].replace("return 4;", "\n#ifdef SQLITE_SOUNDEX\nundeclared;\n#endif\nreturn 4;")
        picky = {**CHANGED, "sqlite3.c": code}
        self.pin(picky, digest=sha256(patch.difference(STOCK, picky).encode()))
        self.built()
        run = self.bootstrap("--with", "SOUNDEX")
        self.refused(run, "the code of the trait Encryption doesn't", "undeclared", "scripts/bootstrap --cipher none")
        self.built("--with", "SOUNDEX", "--cipher", "none")

    def test_the_option_itself_is_refused_with_a_hint_to_the_trait(self) -> None:
        real = HERE.catalogue()
        self.assertEqual(real.options["HAS_CODEC"].kind, REFUSED)
        chosen = choice.from_arguments(["HAS_CODEC"], [], real)
        refusal = self.assert_refuses("HAS_CODEC can't be turned on", lambda: choice.resolve(chosen, real))
        self.assertIn("a trait of the package, Encryption", refusal.why)


class VerifyTests(CipherTest):

    def test_it_proves_and_says_what(self) -> None:
        run = self.bootstrap("--cipher", "verify", "--origin", self.tree)
        self.assertEqual(run.code, 0, run.errors)
        for words in ("with ENABLE_UPDATE_DELETE_LIMIT", PATCH[:12], "byte for byte", "sqlcipher3-0.6.4.tar.gz"):
            self.assertIn(words, run.output)
        self.assertFalse((self.project.home / "sqlite3.c").exists())
        self.assertEqual(self.leftovers(), [])

    def test_it_needs_no_more_than_the_cache(self) -> None:
        self.built()
        (self.cache / self.distribution.name).unlink()
        self.assertEqual(self.bootstrap("--cipher", "verify", "--offline").code, 0)

    def test_another_pinned_file_is_refused(self) -> None:
        self.built()
        text = (self.project.home / "sqlite.lock").read_text()
        for name in ("sqlite3.c", "sqlite3.h"):
            pinned = sha256(CHANGED[name].encode())
            (self.project.home / "sqlite.lock").write_text(text.replace(pinned, "0" * 64))
            run = self.bootstrap("--cipher", "verify", "--offline")
            self.refused(run, f"don't make {name} of sqlcipher3-0.6.4.tar.gz", "0" * 64, pinned)

    def test_a_file_of_the_distribution_that_differs_is_refused(self) -> None:
        evil = {f"sqlcipher3-0.6.4/vendor/{name}": text + "/* evil */\n" for name, text in CHANGED.items()}
        pinned = {f"sqlcipher3-0.6.4/vendor/{name}": text for name, text in CHANGED.items()}
        distribution = write_distribution(self.cache / self.distribution.name, evil)
        self.write_project(pypi_origin(distribution, pinned) + cipher_block())
        run = self.bootstrap("--cipher", "verify", "--origin", self.tree)
        self.refused(run, "sqlcipher3-0.6.4/vendor/sqlite3.c was tampered with")

    def test_a_tree_with_other_code_is_refused(self) -> None:
        other = {**FILES, "src/main.c": FILES["src/main.c"] + "int other;\n"}
        packed = {f"sqlcipher3-0.6.4/vendor/{name}": text for name, text in CHANGED.items()}
        self.write_project(pypi_origin(self.distribution, packed) + cipher_block(), check_in_hash=check_in(other))
        tree = write_tree(self.folder / "other", other)
        self.refused(self.bootstrap("--cipher", "verify", "--origin", tree), "not the one that sqlite.lock pins")

    def test_the_tree_is_verified_once(self) -> None:
        self.built()
        self.cached_patch.unlink()
        run = self.bootstrap("--cipher", "verify", "--offline")
        self.assertEqual(run.code, 0, run.errors)
        self.assertEqual(run.errors.count("Verifying the cached source"), 1)


class SealTests(CipherTest):
    """Symbols that exist only with the codec are sealed, too."""

    def test_names_of_sqlite_are_renamed_by_a_pragma_and_the_others_by_a_macro(self) -> None:
        self.built()
        header = self.header("amalgam_symbols.h")
        for name in ("sqlite3_key", "sqlite3CodecAttach", "sqlite3_activate_see"):
            self.assertIn(f"#pragma redefine_extname {name} amalgam_{name}\n", header)
        macros = header.partition("#ifdef AMALGAM_COMPILES_SQLITE\n")[2].partition("#endif")[0].splitlines()
        names = "sqlcipher_cc_setup sqlcipher_extra_shutdown sqlcipher_log_write sqlcipher_openssl_setup xoshiro_next"
        self.assertEqual(macros, [f"#define {name} amalgam_{name}" for name in names.split()])
        self.assertNotIn("sqlcipher_private", header)

    def test_a_file_that_only_includes_the_header_sees_no_macros(self) -> None:
        self.built()
        header = self.project.home / "amalgam_symbols.h"
        (self.folder / "unit.c").write_text(f'#include "{header}"\nint xoshiro_next;\n')
        compiled = self.folder / "unit.o"
        system.checked([system.compiler(), "-c", self.folder / "unit.c", "-o", compiled])
        self.assertEqual(symbols.of_object(compiled), ["xoshiro_next"])

    @unittest.skipUnless(COMPILERS, "neither clang nor gcc is there")
    def test_the_headers_seal_the_object_with_the_trait(self) -> None:
        self.built()
        for compiler in COMPILERS:
            for provider in ("", "-DSQLCIPHER_CRYPTO_CUSTOM=custom_setup", "-DSQLCIPHER_CRYPTO_CC"):
                names = symbols.of_object(self.compile("-DAMALGAM_CIPHER", *provider.split(), compiler=compiler))
                self.assertIn("amalgam_xoshiro_next", names)
                self.assertEqual(symbols.foreign(names), [], f"{compiler} {provider}")

    def test_a_program_with_a_name_of_the_codec_is_not_sealed(self) -> None:
        names = ["main", "sqlite3_open", "sqlcipher_log_write", "xoshiro_next", "amalgam_sqlcipher_log_write"]
        self.assertEqual(symbols.unsealed(names), ["sqlite3_open", "sqlcipher_log_write", "xoshiro_next"])

    def test_with_the_trait_the_options_are_those_of_the_codec(self) -> None:
        self.built()
        (self.folder / "unit.c").write_text(f'#include "{self.project.home / "amalgam_options.h"}"\n')
        command = [system.compiler(), "-E", "-dM", self.folder / "unit.c"]
        without = system.checked(command).splitlines()
        with_trait = system.checked([*command, "-DAMALGAM_CIPHER"]).splitlines()
        for name, value in CIPHER_OPTIONS.items():
            self.assertIn(f"#define {name} {value}", with_trait)
            self.assertNotIn(name, " ".join(without).split())


class LockTests(EngineTest):
    """The `cipher` of a lock file."""

    HEAD = "name SQLite\nversion 3.53.4\n"
    ORIGINS = ("origin debian\n    package sqlite3\n    suite sid\n", "origin pypi\n    archive x.tar.gz 00\n")

    def test_it_may_stand_anywhere_among_the_blocks(self) -> None:
        debian, pypi = self.ORIGINS
        for text in (
            self.HEAD + debian + pypi + cipher_block(),
            self.HEAD + debian + cipher_block() + pypi,
            self.HEAD + cipher_block() + debian + pypi,
            cipher_block() + debian + pypi + self.HEAD,
            debian + cipher_block() + self.HEAD + pypi,
        ):
            parsed = lock.parse(text)
            self.assertEqual(parsed, lock.parse(self.HEAD + debian + pypi + cipher_block()), text)
            self.assertEqual((parsed.name, parsed.version), ("SQLite", "3.53.4"))
            self.assertEqual([origin.name for origin in parsed.origins], ["debian", "pypi"])
            self.assertEqual(parsed.origins[0].values, {"package": ["sqlite3"], "suite": ["sid"]})
            self.assertEqual(parsed.origins[1].archive, ("x.tar.gz", "00"))
            expected = lock.Cipher("SQLCipher", "4.19.0", "pypi", ("ENABLE_UPDATE_DELETE_LIMIT",), PATCH)
            self.assertEqual(parsed.cipher, expected)

    def test_options_may_be_on_one_line_or_several(self) -> None:
        for options in ("A B\n    options C=1", "A\n    options B C=1", "A B C=1"):
            text = self.HEAD + cipher_block().replace("ENABLE_UPDATE_DELETE_LIMIT", options)
            self.assertEqual(lock.parse(text).cipher.options, ("A", "B", "C=1"))

    def test_a_lock_without_one_has_none(self) -> None:
        self.assertIsNone(lock.parse(self.HEAD + "".join(self.ORIGINS)).cipher)

    def test_a_missing_line_is_named(self) -> None:
        for key in ("version", "origin", "options", "patch"):
            lines = [line for line in cipher_block().splitlines() if not line.strip().startswith(key)]
            text = self.HEAD + "\n".join(lines)
            self.assert_refuses(f"The cipher SQLCipher of the lock file has no {key}", lambda: lock.parse(text))

    def test_an_origin_that_is_not_there_or_not_pinned_is_refused(self) -> None:
        for origins in ("", "origin pypi\n    package sqlcipher3==0.6.4\n"):
            self.write_project(origins + cipher_block())
            words = "sqlite.lock has no origin pypi with a pinned archive"
            self.assert_refuses(words, lambda: cipher.origin(self.lock))
            self.refused(self.bootstrap("--origin", self.tree), words)

    def test_the_real_one_has_the_origin_that_it_names(self) -> None:
        real = HERE.lock()
        self.assertEqual({Path(name).name for name in cipher.origin(real).files}, set(cipher.FILES))


if __name__ == "__main__":
    unittest.main()
