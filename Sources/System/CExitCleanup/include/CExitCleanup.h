// Ends a process early, with one line and without its temporary files.
#pragma once

/// A temporary file that `cexitcleanup_remove_files` and `cexitcleanup_end` remove.
typedef struct CExitCleanupFile CExitCleanupFile;

/// Creates a file in an open folder, for reading and writing, and sets `*descriptor`: openat(2) with O_CREAT | O_EXCL.
/// The name has at most 47 bytes. Returns NULL with `errno` set on failure; after `cexitcleanup_remove_files` that is
/// EINTR. Once `cexitcleanup_end` has been called, a failure to create the file does not return.
CExitCleanupFile *cexitcleanup_make_file(int folder, const char *name, unsigned mode, int *descriptor);

/// Stops tracking a file, and leaves it in place. Must be called before the folder is closed.
void cexitcleanup_forget_file(CExitCleanupFile *file);

/// Returns the number of temporary files.
int cexitcleanup_file_count(void);

/// Removes all files, and prevents new ones. A signal handler may call it, on any thread.
void cexitcleanup_remove_files(void);

/// Removes all files, writes a line (including its line feed) to standard error, and ends the process. If several
/// threads call it, the first one writes, and the others sleep until the process ends. A signal handler may call it.
_Noreturn void cexitcleanup_end(int status, const char *line);
