import ImageCore
import Platform

/// A file that an earlier run has written and that is as it was written. An output of equal pixels takes its bytes.
package struct EarlierFile: Sendable {
  package let path: String
  /// Whether the output has the same metadata, too.
  package let hasMetadata: Bool
  /// Returns whether a status is still that of the file.
  private let isStatus: @Sendable (stat) -> Bool
  /// The file, if it is open because this run may replace it before it is needed.
  private let opened: InputFile?

  package init(
    path: String, hasMetadata: Bool, opened: InputFile? = nil, isStatus: @escaping @Sendable (stat) -> Bool
  ) {
    (self.path, self.hasMetadata, self.opened, self.isStatus) = (path, hasMetadata, opened, isStatus)
  }

  /// Returns the same file, opened, if it can be.
  package func openedNow() -> EarlierFile {
    EarlierFile(path: path, hasMetadata: hasMetadata, opened: open(), isStatus: isStatus)
  }

  /// Opens the file; nil if there is another one now.
  func open() -> InputFile? {
    guard let file = opened ?? (try? InputFile(path: path)), isUnchanged(file) else { return nil }
    return file
  }

  /// Whether the open file is as it was.
  func isUnchanged(_ file: InputFile) -> Bool {
    var status = stat()
    return fstat(file.descriptor, &status) == 0 && isStatus(status)
  }
}
