import ImageCore

/// `resize` for pictures in a book's cells where the script says nothing of what to keep: little is cut off the top.
/// A type of its own, so that the same `resize` of a script is another picture.
public struct BookFill: ResizeShortForm {
  public static let descriptor = Resize.descriptor

  let resize: Resize

  public init(_ arguments: Arguments) throws(OperationError) {
    var resize = try Resize(arguments)
    resize.keepsHeads = true
    self.resize = resize
  }
}
