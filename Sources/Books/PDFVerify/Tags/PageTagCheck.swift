import BookExpectations
import ImageCore

/// Holds one page's marked content against the document's structure.
struct PageTagCheck {
  let file: PDFFile
  let tags: TagTree
  /// The page's object, its entries, and its content as read.
  let page: Int
  let entries: [String: PDFValue]
  let content: ContentReader
  private static let maximumFaults = 8

  func check(_ faults: inout [Fault]) {
    guard tags.isThere else { return }
    var found: [Fault] = []
    checkMarks(&found)
    for annotation in file.resolve(entries["Annots"]).array ?? [] { check(annotation, &found) }
    if tags.isMarked, content.paintsUnmarked { found.append(.untagged) }
    faults += found.prefix(Self.maximumFaults)
  }

  /// Each mark must be in the content once, and the parent tree lead from it to the element that names it.
  private func checkMarks(_ faults: inout [Fault]) {
    let named = tags.marks(ofPage: page)
    let all = Set(named).union(content.marks.keys).sorted()
    guard !all.isEmpty else { return }
    guard let key = file.resolve(entries["StructParents"]).integer else {
      faults.append(.pageTags("the page has no key in the parent tree"))
      return
    }
    let parents = tags.parent(key).array ?? []
    for mark in all {
      let count = content.marks[mark] ?? 0
      guard let owner = tags.owner(ofMark: mark, onPage: page) else {
        faults.append(.unowned(mark))
        continue
      }
      if count == 0 {
        faults.append(
          .pageTags("the element in object \(owner) has MCID \(mark), which the content lacks"))
      } else if count > 1 {
        faults.append(.pageTags("the content has MCID \(mark) \(count) times"))
      }
      let parent = mark >= 0 && mark < parents.count ? parents[mark].reference : nil
      if parent != owner {
        faults.append(
          .pageTags(
            "the parent tree leads from MCID \(mark) to \(parent.map { "object \($0)" } ?? "nothing") "
              + "instead of the element in object \(owner)"))
      }
    }
  }

  /// An annotation with a key must be named by the element that the key leads to.
  private func check(_ annotation: PDFValue, _ faults: inout [Fault]) {
    guard let number = annotation.reference,
      let key = file.resolve(file.object(number)?.dictionary["StructParent"]).integer
    else { return }
    let owner = tags.owner(ofAnnotation: number)
    if owner == nil || tags.parentReference(key) != owner {
      faults.append(
        .pageTags(
          "the parent tree does not lead from the annotation in object \(number) to its element"))
    }
  }

  /// The tags must be what was written.
  func check(_ meant: ShortDigest?, _ faults: inout [Fault]) {
    guard let meant, tags.isThere, tags.seal(ofPage: page) != meant else { return }
    faults.append(.tagsChanged)
  }

  /// What is read instead of each picture must be what was written.
  func check(_ meant: [PictureExpectation], _ faults: inout [Fault]) {
    guard meant.count == content.draws.count else { return }
    for (index, picture) in meant.enumerated() where !picture.alternative.isEmpty {
      let owner = content.draws[index].mark.flatMap { tags.owner(ofMark: $0, onPage: page) }
      let text = owner.flatMap { tags.alternative(of: $0) }
      if text != picture.alternative {
        faults.append(.alternative(index + 1, expected: picture.alternative, found: text))
      }
    }
  }
}
