import ImageCore

/// The `resize` of a picture to a cell of a book if the script does not choose the part to keep. It crops only a little
/// off the top.
///
/// It is a separate type because a script's `resize` with equal arguments has a different result, so the two must not
/// be treated as equal pictures.
package struct BookFill: ResizeShortForm {
  package static let descriptor = Resize.descriptor

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    var resize = try Resize(arguments)
    resize.keepsHeads = true
    self.resize = resize
  }
}
