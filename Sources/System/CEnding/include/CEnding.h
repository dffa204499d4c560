// How a process ends before its time: with one line, and without its temporary files.
#pragma once

/// A temporary file that is removed however this process ends, unless SIGKILL ends it.
typedef struct CEndingFile CEndingFile;

/// Makes a file in an open folder, for reading and writing: openat(2) with O_CREAT | O_EXCL. NULL with `errno` set where
/// that fails, EINTR after `cending_remove_files`. Does not return once `cending_end` has been called. Its descriptor goes to `*descriptor`. The name has at most 47 bytes.
CEndingFile *cending_make_file(int folder, const char *name, unsigned mode, int *descriptor);

/// Forgets a file, which stays where it is. Call it before the folder is closed.
void cending_forget_file(CEndingFile *file);

/// How many there are.
int cending_file_count(void);

/// Removes all, and has no more made. A signal handler may call it, from any thread.
void cending_remove_files(void);

/// Removes all files, writes a line that ends with a line feed to standard error, and ends the process. Of several
/// threads the first is heard; the others sleep until the process has ended. A signal handler may call it.
_Noreturn void cending_end(int status, const char *line);
