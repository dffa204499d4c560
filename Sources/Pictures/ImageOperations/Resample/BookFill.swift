import ImageCore

/// `resize` for a picture in a cell of a book if the script does not choose the part to keep. It crops only a little
/// off the top.
///
/// The operation has a separate type, so that its result is not confused with that of the same `resize` in a script.
package struct BookFill: ResizeShortForm {
  package static let descriptor = Resize.descriptor

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    var resize = try Resize(arguments)
    resize.keepsHeads = true
    self.resize = resize
  }
}
