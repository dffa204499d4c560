import Platform

/// Temporary files without a name, which disappear when they are closed, however the process ends.
package enum NamelessFile {
  /// Makes a file in the folder that `TMPDIR` names, else `/tmp`.
  package static func make() throws(FileError) -> Int32 {
    do throws(FileError) { return try make(in: temporaryFolder) } catch { throw .temporary(error.code) }
  }

  /// Makes a file that only this user can access, open for reading and writing, and returns its descriptor, which the
  /// caller must close. Wraps `open(2)` and `unlink(2)`.
  package static func make(in folder: String) throws(FileError) -> Int32 {
    let place = openFile(folder, openPathOnly | O_DIRECTORY | O_CLOEXEC, isForWriting: true)
    guard place >= 0 else { throw FileError(.create, path: folder, code: errno) }
    defer { close(place) }
    let name = ".imghost-stage-" + String(UInt64.random(in: .min ... .max), radix: 16)
    let descriptor = openat(place, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(.create, path: folder, code: errno) }
    unlinkat(place, name, 0)
    return descriptor
  }
}
