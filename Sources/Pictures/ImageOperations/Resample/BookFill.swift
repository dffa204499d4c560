import ImageCore

/// `resize` for pictures in a book's cells if the script does not choose the part to keep: little is cropped off the
/// top.
///
/// It is a type of its own, so that its result is not confused with that of the same `resize` in a script.
package struct BookFill: ResizeShortForm {
  package static let descriptor = Resize.descriptor

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    var resize = try Resize(arguments)
    resize.keepsHeads = true
    self.resize = resize
  }
}
