import ImageCore

/// `resize` for pictures in a book's cells if the script does not say what to keep: crops little off the top.
///
/// It is a type of its own, so that the same `resize` in a script counts as another picture.
package struct BookFill: ResizeShortForm {
  package static let descriptor = Resize.descriptor

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    var resize = try Resize(arguments)
    resize.keepsHeads = true
    self.resize = resize
  }
}
