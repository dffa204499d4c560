import BookExpectations
import ImageCore

/// Returns a clause for each entry of a dictionary whose key is not in `known`, the keys that are allowed there.
func strangeEntries(_ entries: [String: PDFValue], _ known: Set<String>, _ what: String) -> [String] {
  entries.keys.filter { !known.contains($0) }.sorted().map {
    "\(what) has the entry '\($0)', which imghost never writes"
  }
}

/// Searches the dictionaries outside pages for entries that imghost never writes. In a book with expectations, any such
/// entry is a change, even if poppler does not object to it.
struct WrittenDocumentCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    document.isWritten ? WrittenDocument(file: document.file).faults() : []
  }
}

private struct WrittenDocument {
  let file: PDFFile

  /// The entries of the catalogue. `Version` and `Extensions` are included because programs that rewrite files set them
  /// to declare the features that a file requires.
  private static let catalogue = Set(DocumentExpectation.catalogueKeys).union([
    "Type", "Version", "Extensions", "Pages", "Metadata", "Outlines", "StructTreeRoot", "PieceInfo",
  ])
  /// Entries of page tree nodes. Entries that pages inherit are checked with the pages.
  private static let node: Set = ["Type", "Parent", "Kids", "Count", "Resources", "MediaBox", "CropBox", "Rotate"]
  private static let outline: Set = ["Type", "First", "Last", "Count"]
  private static let outlineEntry: Set = ["Title", "Parent", "Prev", "Next", "First", "Last", "Count", "Dest"]
  /// Entries of the XMP metadata stream.
  private static let metadata: Set = [
    "Type", "Subtype", "Length", "Filter", "DecodeParms",
  ]
  /// The entries of the structure's root. RoleMap is judged by its effect on elements.
  private static let structure: Set = ["Type", "K", "ParentTree", "ParentTreeNextKey", "RoleMap"]
  /// The maximum number of entries that are reported individually.
  private static let maximum = 8

  func faults() -> [Fault] {
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    var found = strangeEntries(catalogue, Self.catalogue, "the catalogue")
    found += strangeEntries(
      file.resolve(catalogue["StructTreeRoot"]).dictionary ?? [:], Self.structure,
      "the structure of tags")
    if let metadata = catalogue["Metadata"]?.reference.flatMap(file.object)?.dictionary {
      found += strangeEntries(metadata, Self.metadata, "the XMP metadata")
      if file.resolve(metadata["Subtype"]) != .name("XML") {
        found.append("the XMP metadata has the wrong Subtype")
      }
    }
    let outline = file.resolve(catalogue["Outlines"]).dictionary ?? [:]
    found += strangeEntries(outline, Self.outline, "the outline")
    found += outlineFaults(outline["First"])
    found += nodeFaults(catalogue["Pages"])
    return found.prefix(Self.maximum).map { .document(.notAsWritten($0)) }
  }

  /// Checks that outline entries are closed and show their whole page. A list ends at an entry that was already
  /// visited.
  private func outlineFaults(_ first: PDFValue?) -> [String] {
    var faults: [String] = []
    var visited: Set<Int> = []
    var open = [first]
    while let next = open.popLast(), faults.count < Self.maximum {
      guard let number = next?.reference, visited.insert(number).inserted,
        let entry = file.object(number)?.value.dictionary
      else { continue }
      let name = "entry \(visited.count) of the outline"
      faults += strangeEntries(entry, Self.outlineEntry, name)
      let target = file.resolve(entry["Dest"]).array ?? []
      if target.count != 2 || file.resolve(target[1]) != .name("Fit") {
        faults.append("\(name) does not show the whole of a page")
      }
      if let count = file.resolve(entry["Count"]).integer, count > 0 {
        faults.append("\(name) is expanded; it was written collapsed")
      }
      open += [entry["Next"], entry["First"]]
    }
    return faults
  }

  /// Checks the nodes of the page tree.
  private func nodeFaults(_ root: PDFValue?) -> [String] {
    var faults: [String] = []
    var visited: Set<Int> = []
    var open = [root?.reference]
    while let next = open.popLast(), faults.count < Self.maximum {
      guard let number = next, visited.insert(number).inserted,
        let entries = file.object(number)?.value.dictionary, let kids = entries["Kids"]
      else { continue }
      faults += strangeEntries(entries, Self.node, "object \(number) of the page tree")
      let list = file.resolve(kids).array?.map(\.reference) ?? []
      // In a page tree that imghost writes, the children are either all nodes or all pages, so the first one decides.
      if let first = list.first ?? nil, file.object(first)?.dictionary["Kids"] != nil { open += list }
    }
    return faults
  }
}
