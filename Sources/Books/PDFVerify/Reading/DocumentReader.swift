import BookExpectations
import ImageCore

/// Reads what a document declares about itself, and how it opens, in the notation of `DocumentExpectation`.
struct DocumentReader: Sendable {
  private let file: PDFFile
  private let catalogue: [String: PDFValue]
  /// Page numbers, from 1, by the object number of the page.
  private let numbers: [Int: Int]
  private static let maximumEntries = 1_000_000

  /// - Parameter counterparts: for each page of the file, the expected page, from 0. Destinations are then described by
  ///   expected pages; if nil, by actual pages.
  init(_ file: PDFFile, pages: [PageRecord], counterparts: [Int?]?) {
    self.file = file
    catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    let numbered = pages.enumerated().compactMap { index, page -> (Int, Int)? in
      let number = counterparts == nil ? index : counterparts?[index]
      return number.map { (page.object, $0 + 1) }
    }
    numbers = Dictionary(numbered, uniquingKeysWith: { first, _ in first })
  }

  func read() -> DocumentExpectation {
    var document = DocumentExpectation()
    document.info = info()
    document.catalogue = DocumentExpectation.catalogueKeys.compactMap { key in
      let value = file.resolve(catalogue[key])
      return value == .null ? nil : .init(key, words(key, value))
    }
    if let bytes = Metadata.bytes(file, catalogue) {
      document.metadata = XMPForm(bytes)?.digest ?? ShortDigest(SHA256.digest(of: bytes))
    }
    document.outline = outline()
    return document
  }

  private func info() -> [DocumentExpectation.Entry] {
    let entries = file.resolve(file.trailer["Info"]).dictionary ?? [:]
    return entries.sorted { $0.key < $1.key }.compactMap { key, value in
      switch file.resolve(value) {
      case .string(let bytes): bytes.isEmpty ? nil : .init(key, TextString.text(bytes))
      case .null: nil
      case let value: .init(key, word(value))
      }
    }
  }

  private func words(_ key: String, _ value: PDFValue) -> String {
    switch (key, value) {
    case ("OpenAction", _): target(value)
    case ("PageLabels", _): labels(value)
    case ("OutputIntents", _): (value.array ?? []).map(outputIntent).joined(separator: " ")
    case ("AA", _), ("AcroForm", _), ("Names", _):
      (value.dictionary ?? [:]).keys.sorted().joined(separator: ", ")
    case (_, .dictionary(let entries)):
      entries.sorted { $0.key < $1.key }.map { "\($0.key) \(word(file.resolve($0.value)))" }.joined(separator: ", ")
    default: word(value)
    }
  }

  private func outputIntent(_ value: PDFValue) -> String {
    var entries = file.resolve(value).dictionary ?? [:]
    let profile = entries.removeValue(forKey: "DestOutputProfile")?.reference.flatMap(file.object)
    let bytes = profile.flatMap { $0.stream == nil ? nil : file.decoded($0, limit: 16 << 20) }
    var left = Self.maximumValues
    return DocumentExpectation.outputIntent(
      entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value.digestText(file, &left)) },
      profile: bytes.map { ShortDigest(SHA256.digest(of: $0)) })
  }

  private static let maximumValues = 1_000

  private func word(_ value: PDFValue) -> String {
    switch value {
    case .name(let name): name
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): FaultText.number(value, decimals: 4)
    case .string(let bytes): TextString.text(bytes)
    default: "of an unknown kind"
    }
  }

  /// Describes a destination (12.3.2.2) or an action (12.6).
  func target(_ value: PDFValue) -> String {
    switch file.resolve(value) {
    case .array(let items):
      guard let page = number(items), let kind = items.dropFirst().first?.name else {
        return "an unknown place"
      }
      return DocumentExpectation.opening(page: page, kind: kind, numbers: items.dropFirst(2).compactMap(\.number))
    case .dictionary(let action):
      switch action["S"]?.name {
      case "GoTo": return target(action["D"] ?? .null)
      case "URI": return file.text(action["URI"]) ?? "no address"
      case let kind: return "an action of the kind \(kind ?? "unknown")"
      }
    case .string(let name): return "the place called '\(TextString.text(name))'"
    case .name(let name): return "the place called '\(name)'"
    default: return "nothing"
    }
  }

  private func number(_ destination: [PDFValue]) -> Int? {
    destination.first?.reference.flatMap { numbers[$0] }
  }

  /// Reads the number tree of page labels (7.9.7) in the notation of the option `page_labels`.
  private func labels(_ root: PDFValue) -> String {
    var found: [String] = []
    var visited: Set<Int> = []
    func walk(_ node: PDFValue, _ depth: Int) {
      guard depth < 16, found.count < Self.maximumEntries else { return }
      let entries = file.resolve(node).dictionary ?? [:]
      let items = file.resolve(entries["Nums"]).array ?? []
      for index in stride(from: 0, to: items.count - 1, by: 2) {
        let label = file.resolve(items[index + 1]).dictionary ?? [:]
        found.append(
          DocumentExpectation.label(
            page: (file.resolve(items[index]).integer ?? -1) &+ 1,
            style: file.resolve(label["S"]).name ?? "",
            start: file.resolve(label["St"]).integer ?? 1, prefix: file.text(label["P"]) ?? ""))
      }
      for kid in file.resolve(entries["Kids"]).array ?? [] {
        if let number = kid.reference, !visited.insert(number).inserted { continue }
        walk(kid, depth + 1)
      }
    }
    walk(root, 0)
    return found.joined(separator: " ")
  }

  /// Reads the outline (12.3.3). A list ends at an entry that was already visited.
  private func outline() -> [DocumentExpectation.OutlineEntry] {
    var found: [DocumentExpectation.OutlineEntry] = []
    var visited: Set<Int> = []
    let root = file.resolve(catalogue["Outlines"]).dictionary ?? [:]
    // Entries that have not been read yet; the last one is next.
    var open: [(entry: PDFValue?, depth: Int)] = [(root["First"], 0)]
    while let (entry, depth) = open.popLast() {
      guard let number = entry?.reference, visited.insert(number).inserted,
        found.count < Self.maximumEntries, let entries = file.object(number)?.value.dictionary
      else { continue }
      let target = entries["Dest"] ?? file.resolve(entries["A"]).dictionary?["D"]
      let page = file.resolve(target).array.flatMap { self.number($0) } ?? 0
      found.append(.init(depth: depth, page: page, title: file.text(entries["Title"]) ?? ""))
      open.append((entries["Next"], depth))
      if entries["First"] != nil { open.append((entries["First"], depth + 1)) }
    }
    return found
  }
}
