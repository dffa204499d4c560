import ImageCore
import Scheduling

/// The bytes of the files at the start of pictures' chains.
enum SourceBytes {
  /// Returns whether the files are in the system's cache, judged by up to three places in each.
  static func areInMemory(of pictures: [Picture]) -> Bool { areInMemory(paths(of: pictures)) }

  static func areInMemory(_ paths: some Sequence<String>) -> Bool {
    paths.allSatisfy { path in
      guard let file = try? InputFile(path: path), file.byteCount > 0 else { return true }
      // A single byte shows whether its whole memory page is cached.
      let places = file.byteCount > 4_096 ? [0, file.byteCount / 2, file.byteCount - 1] : [0]
      return places.allSatisfy { FileCache.holds(file.descriptor, at: $0) }
    }
  }

  /// Reads the files, up to 256 MiB of each, into the system's cache. Must be called on a thread that may block.
  static func readAhead(of pictures: [Picture], isCancelled: () -> Bool) {
    for path in paths(of: pictures) {
      guard !isCancelled(), let file = try? InputFile(path: path) else { continue }
      file.readAhead(limit: 256 << 20, isCancelled: isCancelled)
    }
  }

  /// Returns the paths of the pictures' files. Most tasks have only one.
  private static func paths(of pictures: [Picture]) -> Set<String> { Set(pictures.compactMap { $0.origin?.path }) }
}
