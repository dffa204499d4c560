import BookExpectations
import ImageCore

/// Compares one page's marked content with the document's structure of tags.
struct PageTags {
  let file: PDFFile
  let tags: TagTree
  /// The number of the page's object.
  let page: Int
  let entries: [String: PDFValue]
  let content: ContentReader
  private static let maximumFaults = 8

  func check(_ faults: inout [Fault]) {
    guard tags.isThere else { return }
    var found: [Fault] = []
    checkMarks(&found)
    for annotation in file.resolve(entries["Annots"]).array ?? [] { check(annotation, &found) }
    if tags.isMarked, content.paintsUnmarked { found.append(.tags(.untagged)) }
    faults += found.prefix(Self.maximumFaults)
  }

  /// Checks that each mark is in the content once, and that the parent tree leads from it to the element that names it.
  private func checkMarks(_ faults: inout [Fault]) {
    let named = tags.marks(ofPage: page)
    let all = Set(named).union(content.marks.keys).sorted()
    guard !all.isEmpty else { return }
    guard let key = file.resolve(entries["StructParents"]).integer else {
      faults.append(.tags(.pageBroken("the page has no key in the parent tree")))
      return
    }
    let parents = tags.parent(key).array ?? []
    for mark in all {
      let count = content.marks[mark] ?? 0
      guard let owner = tags.owner(ofMark: mark, onPage: page) else {
        faults.append(.tags(.unowned(mark)))
        continue
      }
      if count == 0 {
        faults.append(.tags(.pageBroken("the element in object \(owner) has MCID \(mark), which the content lacks")))
      } else if count > 1 {
        faults.append(.tags(.pageBroken("the content has MCID \(mark) \(count) times")))
      }
      let parent = mark >= 0 && mark < parents.count ? parents[mark].reference : nil
      if parent != owner {
        faults.append(
          .tags(
            .pageBroken(
              "the parent tree leads from MCID \(mark) to \(parent.map { "object \($0)" } ?? "nothing") "
                + "instead of the element in object \(owner)")))
      }
    }
  }

  /// Checks that the element at an annotation's key in the parent tree names the annotation.
  private func check(_ annotation: PDFValue, _ faults: inout [Fault]) {
    guard let number = annotation.reference,
      let key = file.resolve(file.object(number)?.dictionary["StructParent"]).integer
    else { return }
    let owner = tags.owner(ofAnnotation: number)
    if owner == nil || tags.parentReference(key) != owner {
      faults.append(
        .tags(.pageBroken("the parent tree does not lead from the annotation in object \(number) to its element")))
    }
  }

  /// Checks that the tags are as written.
  func check(_ meant: ShortDigest?, _ faults: inout [Fault]) {
    guard let meant, tags.isThere, tags.digest(ofPage: page) != meant else { return }
    faults.append(.tags(.changed))
  }

  /// Checks that the alternative text of each picture is as written.
  func check(_ meant: [PictureExpectation], _ faults: inout [Fault]) {
    guard meant.count == content.draws.count else { return }
    for (index, picture) in meant.enumerated() where !picture.alternative.isEmpty {
      let owner = content.draws[index].mark.flatMap { tags.owner(ofMark: $0, onPage: page) }
      let text = owner.flatMap { tags.alternative(of: $0) }
      if text != picture.alternative {
        faults.append(.tags(.alternative(index + 1, expected: picture.alternative, found: text)))
      }
    }
  }
}
