import CPlatform

// The functions of the C library that take a path, for texts in the form of `PathBytes`. A call with a `String` finds
// these overloads; otherwise Swift would pass the UTF-8 form of substitute characters to the system.

public func open(_ path: String, _ flags: Int32) -> Int32 { PathBytes.withBytes(of: path) { open($0, flags) } }

public func open(_ path: String, _ flags: Int32, _ mode: UInt32) -> Int32 {
  PathBytes.withBytes(of: path) { open($0, flags, numericCast(mode)) }
}

public func openat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
  PathBytes.withBytes(of: path) { openat(folder, $0, flags) }
}

public func openat(_ folder: Int32, _ path: String, _ flags: Int32, _ mode: UInt32) -> Int32 {
  PathBytes.withBytes(of: path) { openat(folder, $0, flags, numericCast(mode)) }
}

@discardableResult
public func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
  PathBytes.withBytes(of: path) { stat($0, status) }
}

@discardableResult
public func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
  PathBytes.withBytes(of: path) { lstat($0, status) }
}

@discardableResult
public func fstatat(_ folder: Int32, _ path: String, _ status: UnsafeMutablePointer<stat>, _ flags: Int32) -> Int32 {
  PathBytes.withBytes(of: path) { fstatat(folder, $0, status, flags) }
}

public func opendir(_ path: String) -> OpaquePointer? { PathBytes.withBytes(of: path) { opendir($0) } }

/// Creates a folder without following a stranger's link in its path.
@discardableResult
public func mkdir(_ path: String, _ mode: UInt32) -> Int32 { PathBytes.withBytes(of: path) { makeFolder($0, mode) } }

@discardableResult
public func mkdirat(_ folder: Int32, _ path: String, _ mode: UInt32) -> Int32 {
  PathBytes.withBytes(of: path) { mkdirat(folder, $0, numericCast(mode)) }
}

@discardableResult
public func rename(_ path: String, _ new: String) -> Int32 {
  PathBytes.withBytes(of: path) { path in PathBytes.withBytes(of: new) { rename(path, $0) } }
}

@discardableResult
public func renameat(_ folder: Int32, _ path: String, _ newFolder: Int32, _ new: String) -> Int32 {
  PathBytes.withBytes(of: path) { path in PathBytes.withBytes(of: new) { renameat(folder, path, newFolder, $0) } }
}

@discardableResult
public func unlink(_ path: String) -> Int32 { PathBytes.withBytes(of: path) { unlink($0) } }

@discardableResult
public func unlinkat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
  PathBytes.withBytes(of: path) { unlinkat(folder, $0, flags) }
}

@discardableResult
public func rmdir(_ path: String) -> Int32 { PathBytes.withBytes(of: path) { rmdir($0) } }

public func readlink(_ path: String, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
  PathBytes.withBytes(of: path) { readlink($0, buffer, size) }
}

public func access(_ path: String, _ mode: Int32) -> Int32 { PathBytes.withBytes(of: path) { access($0, mode) } }

public func chdir(_ path: String) -> Int32 { PathBytes.withBytes(of: path) { chdir($0) } }

public func realpath(_ path: String, _ buffer: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
  PathBytes.withBytes(of: path) { realpath($0, buffer) }
}

/// Returns 0 if a name matches a pattern; wraps `fnmatch(3)`.
public func fnmatch(_ pattern: String, _ name: String, _ flags: Int32) -> Int32 {
  PathBytes.withBytes(of: pattern) { pattern in PathBytes.withBytes(of: name) { fnmatch(pattern, $0, flags) } }
}

public func openFile(_ path: String, _ flags: Int32, _ mode: UInt32 = 0, isForWriting: Bool = false) -> Int32 {
  PathBytes.withBytes(of: path) { openFile($0, flags, mode, isForWriting: isForWriting) }
}

public func openFolder(_ path: String) -> FolderStream? { PathBytes.withBytes(of: path) { openFolder($0) } }

public func isFolderWithoutLinks(_ path: String) -> Bool { PathBytes.withBytes(of: path) { isFolderWithoutLinks($0) } }

public func isStrangersLink(_ path: String, isForWriting: Bool = false) -> Bool {
  PathBytes.withBytes(of: path) { isStrangersLink($0, isForWriting: isForWriting) }
}

public func exchangeFiles(_ name: String, _ other: String, in folder: Int32) -> Int32 {
  PathBytes.withBytes(of: name) { name in PathBytes.withBytes(of: other) { exchangeFiles(name, $0, in: folder) } }
}

/// Creates a file that only this user can read and write. Other characters replace `XXXXXX` at the end of `template`.
/// Wraps `mkstemp(3)`.
///
/// - Returns: the descriptor and the path; on failure -1, with `errno` set, and the template.
public func makeTemporaryFile(_ template: String) -> (descriptor: Int32, path: String) {
  PathBytes.withBytes(of: template) { bytes in
    var name = Array(UnsafeBufferPointer(start: bytes, count: strlen(bytes) + 1))
    let descriptor = mkstemp(&name)
    return (descriptor, descriptor < 0 ? template : PathBytes.text(name))
  }
}
