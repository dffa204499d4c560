/// The reason why an XMP packet cannot be used, as a clause about it.
package enum XMPFault: Error, Sendable, Hashable {
  case tooLarge(Int)
  case notUTF8
  case documentType
  case entity(String)
  case tooDeep
  case tooMany
  case malformed(Int)
  case noDescription
  case incomplete
}

extension XMPFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLarge(let count): "it has \(count) bytes, more than 1 MB"
    case .notUTF8: "it is not UTF-8"
    case .documentType: "it has a document type"
    case .entity(let name): "it has the unknown entity '\(name)'"
    case .tooDeep: "its elements are nested more than \(XMPParser.maximumDepth) deep"
    case .tooMany: "it has more than \(XMPParser.maximumCount) elements and attributes"
    case .malformed(let place): "it is damaged at byte \(place)"
    case .noDescription: "it has no rdf:RDF"
    case .incomplete: "a part of it is missing"
    }
  }
}
