/// Checks that a book with expectations has the plain form (see `PlainForm`), so that all readers show the same
/// document.
struct FormCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard document.isWritten else { return [] }
    // A damaged file does not have the plain form either, but the faults that report the damage say more.
    let known = document.file.faults + document.objects.faults + document.objects.lengths.values
    guard !known.contains(where: { $0.asWritten().severity == .error }) else { return [] }
    guard let fault = PlainForm.fault(in: document.file.mapping) else { return [] }
    // Missing and replaced pages leave unused objects, which the faults for missing pages already explain.
    if case .unused = fault, document.alignment?.faults.isEmpty == false { return [] }
    return [.form(fault)]
  }
}
