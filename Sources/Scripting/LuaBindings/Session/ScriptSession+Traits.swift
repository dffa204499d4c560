import ImageCore
import ImagePipeline
import LuaRuntime
import PictureTraits

/// Properties that describe what pictures show, and the script's wishes for pictures in books.
extension ScriptSession {
  /// The properties that are measured on a small version of a picture when a script reads them.
  static let traits = ["score", "sharpness", "exposure", "contrast", "attention", "horizon"]

  func registerTraits() {
    register("hint") { (session, arguments, position) throws(LuaHostError) in
      guard arguments.count == 2, case .table(let table) = arguments[1], table.array.isEmpty, !table.fields.isEmpty
      else { throw .mistake("hint takes pictures and a table of wishes: img.hint(photo, { hero = true })") }
      session.books.hint(session.pictures(in: arguments[0]), session.options(arguments.dropFirst()), at: position)
      return []
    }
  }

  /// Returns a measured property.
  func trait(_ picture: Picture, _ name: String) throws(LuaHostError) -> LuaValue {
    let traits: PictureTraits
    do throws(Picture.Problem) {
      traits = try run.traits(of: picture)
    } catch {
      return try unknownFact(error, name == "attention" ? .table : .number)
    }
    switch name {
    case "score": return Self.number(traits.score)
    case "sharpness": return Self.number(traits.sharpness)
    case "exposure": return Self.number(traits.exposure)
    case "contrast": return Self.number(traits.contrast)
    case "horizon": return traits.horizon.map(Self.number) ?? .none
    case "attention":
      let part = traits.attention.focus
      return .table(
        LuaTable(fields: [
          ("x", Self.number(part.left)), ("y", Self.number(part.top)), ("w", Self.number(part.width)),
          ("h", Self.number(part.height)),
        ]))
    default: preconditionFailure("property '\(name)' is listed but not served")
    }
  }

  /// Rounds a value to four decimals, because smaller differences are not meaningful.
  private static func number(_ value: Double) -> LuaValue { .number((value * 10_000).rounded() / 10_000) }
}
