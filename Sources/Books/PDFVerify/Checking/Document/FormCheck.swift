/// Checks that a book with expectations is in the plain form, so that all readers show the same document.
struct FormCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard document.isWritten else { return [] }
    // A damaged file is no longer in the plain form, and the faults that report the damage say more.
    let known = document.file.faults + document.objects.faults + document.objects.lengths.values
    guard !known.contains(where: { $0.asWritten().severity == .error }) else { return [] }
    guard let fault = PlainForm.fault(in: document.file.mapping) else { return [] }
    // Missing and exchanged pages leave unused objects; the faults of the pages already explain them.
    if case .unused = fault, document.alignment?.faults.isEmpty == false { return [] }
    return [.form(fault)]
  }
}
