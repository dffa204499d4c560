/// Checks that a book with expectations is in the plain form, so that no other reader shows another document.
struct FormCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard document.isWritten else { return [] }
    // A damaged file has left that form, and its damage says more.
    let known = document.file.faults + document.objects.faults + document.objects.lengths.values
    guard !known.contains(where: { $0.asWritten().severity == .error }) else { return [] }
    guard let fault = PlainForm.fault(in: document.file.mapping) else { return [] }
    // Missing and exchanged pages leave objects over, which are no news.
    if case .unused = fault, document.alignment?.faults.isEmpty == false { return [] }
    return [.form(fault)]
  }
}
