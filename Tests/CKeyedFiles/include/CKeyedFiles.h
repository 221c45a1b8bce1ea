/*
** Encrypts each database file that this process opens, if the environment variable AMALGAM_TEST_KEY is set: the tests of all
** modules then run on encrypted files (scripts/proof/encryption). It needs the trait Encryption.
**
** The raw key is the same for all files. A file that was written without it can't be read.
*/
#ifndef AMALGAM_CKEYEDFILES_H
#define AMALGAM_CKEYEDFILES_H

/* Whether files are encrypted. */
int keyed_files_are_on(void);

#endif
