"""Snowball's stemmers: how they become one C file, how a build does without them, and what is refused."""

from __future__ import annotations

import shutil
import unittest
from pathlib import Path

from support import EngineTest, sha256, write_distribution

from engine import choice, release, stemmers

# A compiler that makes a stemmer of the same names for every language, as Snowball's does.
COMPILER = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
    char path[4096];
    if (count != 7 || strcmp(words[2], "-o") || strcmp(words[4], "-ep") || strcmp(words[6], "-utf8")) return 1;
    snprintf(path, sizeof(path), "%s.c", words[3]);
    FILE *file = fopen(path, "w");
    fprintf(file,
        "#include \"header.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
        "extern int %sstem(struct SN_env * z);\n#ifdef __cplusplus\n}\n#endif\n"
        "static const symbol s_0[1] = { 'a' };\nstatic int r_R1(struct SN_env * z) { return s_0[0] + z->l; }\n"
        "static const symbol s_0_1[2] = { 'e', 'n' };\nstatic const struct among a_0[2] =\n{\n{ 0, 0, -1, 1, 0},\n"
        "{ 2, s_0_1, 0, 1, 0}\n};\n"
        "static int r_end(struct SN_env * z) {\n    if (!(find_among_b(z, a_0, 2))) return 0;\n"
        "    return !(eq_s_b(z, 1, s_0));\n}\n"
        "extern int %sstem(struct SN_env * z) { return r_R1(z) + r_end(z); }\n"
        "extern struct SN_env * %screate_env(void) { return SN_create_env(); }\n"
        "extern void %sclose_env(struct SN_env * z) { free(z); }\n", words[5], words[5], words[5], words[5]);
    return fclose(file);
}
"""
MODULES = """# The stemmers.
english         UTF_8,ISO_8859_1        english,en,eng
german          ISO_8859_1,UTF_8        german,de,ger,deu
latin           ISO_8859_1              latin,la
porter          UTF_8                   porter          english
#lovins         UTF_8                   lovins          english
"""
FILES = {
    "COPYING": "Copyright (c) Martin Porter\n  1. Retain this.\n\nTHIS COMES AS IT IS.\n",
    "compiler/driver.c": COMPILER,
    "libstemmer/modules.txt": MODULES,
    "algorithms/english.sbl": "english",
    "algorithms/german.sbl": "german",
    "runtime/api.h": "typedef unsigned char symbol;\nstruct SN_env { int l; };\nextern struct SN_env * SN_create_env(void);\n",
    "runtime/header.h": '#include "api.h"\n#define HEAD 8\nstruct among { int s_size; const symbol * s; int i; int result; int (* f)(struct SN_env *); };\n'
    "extern int find_among_b(struct SN_env * z, const struct among * v, int v_size);\n"
    "extern int eq_s_b(struct SN_env * z, int s_size, const symbol * s);\n",
    "runtime/api.c": '#include "header.h"\n'
    "extern struct SN_env * SN_create_env(void) { return (struct SN_env *)calloc(1, sizeof(struct SN_env)); }\n",
    "runtime/utilities.c": "static void *grown(void *p) { return realloc(p, 2); }\n"
    "extern int find_among_b(struct SN_env * z, const struct among * v, int v_size) { return z->l + v[v_size - 1].s_size; }\n"
    "extern int eq_s_b(struct SN_env * z, int s_size, const symbol * s) { return z->l + s[s_size - 1]; }\n",
}
ARCHIVE = "snowball_2.2.0.orig.tar.gz"


class StemmerTests(EngineTest):
    def setUp(self) -> None:
        super().setUp()
        self.pin(FILES)

    def pin(self, files: dict[str, str]) -> None:
        """Pins an archive with these files, which is in the cache."""
        packed = {f"snowball-2.2.0/{name}": text for name, text in files.items()}
        self.archive = write_distribution(self.folder / ARCHIVE, packed)
        digest = sha256(self.archive.read_bytes())
        (self.project.home / stemmers.LOCK).write_text(
            f"name Snowball\nversion 2.2.0\norigin github.com\n    archive {ARCHIVE} {digest}\n"
        )
        self.cache.mkdir(exist_ok=True)
        shutil.copy(self.archive, self.cache)

    @property
    def file(self) -> Path:
        return self.project.home / stemmers.NAME

    def test_the_file_has_each_stemmer_under_its_own_names(self) -> None:
        run = self.built("--offline")
        self.assertIn("Translating 2 stemmers of Snowball 2.2.0", run.errors)
        text = self.file.read_text()
        for words in ("static int english_r_R1(", "german_s_0[0] + z->l", '{"german", " de ger deu ", german_create_env'):
            self.assertIn(words, text)
        endings = (
            "static const struct among german_single_endings[1] = {\n    {1, german_s_0, -1, 0, 0},\n};",
            "german_endings[] = {\n    {german_a_0, 2},\n    {german_single_endings, 1},\n    {0, 0},\n};",
            "german_stem, german_endings},",
        )
        for words in endings:
            self.assertIn(words, text)
        for words in ("extern", "__cplusplus", '#include "', "latin", "porter", "lovins"):
            self.assertNotIn(words, text)

    def test_the_file_begins_with_the_licence(self) -> None:
        self.built("--offline")
        licence = "** Snowball\n** Copyright (c) Martin Porter\n**   1. Retain this.\n**\n** THIS COMES AS IT IS.\n*/"
        self.assertIn(licence, self.file.read_text())
        self.assertTrue(release.licence(self.file, "Snowball").startswith("Snowball\nCopyright (c) Martin Porter\n  1. "))
        record = self.project.record()
        assert record is not None
        self.assertIn("snowball.c is Snowball 2.2.0, translated to C", release.notice(self.project, record))

    def test_the_build_records_the_version(self) -> None:
        self.built("--offline")
        self.assertEqual(self.record()["stemmers"], {"name": "Snowball", "version": "2.2.0"})
        self.assertIn('#define AMALGAM_SNOWBALL_VERSION "2.2.0"', self.header("amalgam_build.h"))
        self.assertIn("vendor/sqlite/snowball.c", self.record()["files"])
        self.assertIn("Snowball 2.2.0", self.bootstrap("--check").output)

    def test_a_build_without_stemmers_has_no_file(self) -> None:
        self.built("--offline")
        run = self.built("--offline", "--without-stemmers")
        self.assertIn("the default options and --without-stemmers", run.errors)
        self.assertFalse(self.file.exists())
        self.assertIsNone(self.record()["stemmers"])
        self.assertEqual(self.record()["chosen"], ["stemmers none"])
        self.assertNotIn("SNOWBALL", self.header("amalgam_build.h"))
        self.assertIn("nothing to do", self.bootstrap().output)
        self.built("--offline", "--default")
        self.assertTrue(self.file.is_file())

    def test_the_choice_survives_the_file(self) -> None:
        made = choice.from_arguments([], [], self.project.catalogue(), has_cipher=False, has_stemmers=False)
        self.assertEqual(str(made), "--cipher none --without-stemmers")
        (self.project.home / "choice").write_text(choice.written(made))
        self.assertEqual(choice.read(self.project.home / "choice"), made)

    def test_a_project_without_a_lock_file_has_no_stemmers(self) -> None:
        (self.project.home / stemmers.LOCK).unlink()
        self.built("--offline")
        self.assertFalse(self.file.exists())

    def test_an_archive_that_cant_be_had_is_refused_with_the_way_out(self) -> None:
        (self.cache / ARCHIVE).unlink()
        run = self.bootstrap("--origin", self.tree, "--offline")
        self.refused(run, "The source of Snowball 2.2.0 could not be fetched", f"no {ARCHIVE}", "--without-stemmers")

    def test_a_changed_archive_is_not_used(self) -> None:
        (self.cache / ARCHIVE).write_bytes(self.archive.read_bytes() + b"\0")
        self.refused(self.bootstrap("--origin", self.tree, "--offline"), f"no {ARCHIVE}")

    def test_a_global_symbol_is_refused(self) -> None:
        self.pin({**FILES, "runtime/utilities.c": "int leak;\n"})
        self.refused(self.bootstrap("--origin", self.tree, "--offline"), "Snowball has global symbols", "leak")

    def test_a_file_of_another_build_doesnt_compile(self) -> None:
        self.built("--offline")
        self.assertIn("#if AMALGAM_OPTIONS_SET != 0x", self.file.read_text())


if __name__ == "__main__":
    unittest.main()
