import ImageCore
import Platform

/// An unchanged output file of an earlier run. A new output with the same pixels copies its coded bytes.
package struct EarlierFile: Sendable {
  package let path: String
  /// Whether the new output has the same metadata, too.
  package let hasMetadata: Bool
  /// Returns whether a file's status shows that the file is unchanged. A file that was opened in advance may have lost
  /// its name since then.
  private let isStatus: @Sendable (_ status: stat, _ mayLackName: Bool) -> Bool
  /// The open file. It is opened in advance if this run may replace it before its bytes are needed; nil otherwise.
  private let opened: InputFile?

  package init(
    path: String, hasMetadata: Bool, opened: InputFile? = nil,
    isStatus: @escaping @Sendable (_ status: stat, _ mayLackName: Bool) -> Bool
  ) {
    (self.path, self.hasMetadata, self.opened, self.isStatus) = (path, hasMetadata, opened, isStatus)
  }

  /// Returns the same value with the file opened, if possible.
  package func openedNow() -> EarlierFile {
    EarlierFile(path: path, hasMetadata: hasMetadata, opened: open(), isStatus: isStatus)
  }

  /// Opens the file; nil if it has been replaced or changed.
  func open() -> InputFile? {
    guard let file = opened ?? (try? InputFile(path: path)), isUnchanged(file) else { return nil }
    return file
  }

  /// Returns whether the open file is unchanged.
  func isUnchanged(_ file: InputFile) -> Bool {
    var status = stat()
    return fstat(file.descriptor, &status) == 0 && isStatus(status, opened != nil)
  }
}
