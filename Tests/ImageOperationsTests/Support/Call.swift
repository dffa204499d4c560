import Dispatch
import ImageCore
import ImageOperations

/// An operation with its arguments, as in a script.
struct Call: CustomStringConvertible, Sendable {
  let name: String
  let positional: [ParameterValue]
  let named: [String: ParameterValue]

  init(_ name: String, _ positional: ParameterValue..., named: [String: ParameterValue] = [:]) {
    self.name = name
    self.positional = positional
    self.named = named
  }

  var description: String { "\(name)(\(positional.map(\.text)), \(named.map { "\($0)=\($1.text)" }))" }

  struct NoSuchOperation: Error {}

  func make() throws -> any PictureOperation {
    guard let definition = OperationList.all.first(where: { $0.descriptor.name == name }) else {
      throw NoSuchOperation()
    }
    let raw = RawArguments(
      positional: positional, named: named.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    let operation = try definition.make(Arguments(raw, for: definition.descriptor))
    return operation.adapted(to: PictureMetadata()) ?? operation
  }

  /// Plans and runs the operation.
  func run(_ pictures: Picture..., stripRows: Int = 64, in context: OperationContext = .serial) throws -> Picture {
    try make().run(pictures, stripRows: stripRows, context)
  }
}

struct WrongLayout: Error {
  let promised: PictureLayout
  let found: PictureLayout
}

extension PictureOperation {
  func run(_ pictures: [Picture], stripRows: Int = 64, _ context: OperationContext = .serial) throws -> Picture {
    let layouts = pictures.map(\.layout)
    let promised = try outputLayout(of: layouts)
    let result = try Picture(open(pictures.map(\.source), nominal: layouts, context: context), stripRows: stripRows)
    guard result.layout == promised else { throw WrongLayout(promised: promised, found: result.layout) }
    return result
  }
}

extension OperationContext {
  /// A context with real threads.
  static let threaded = OperationContext(
    parallelism: 3, parallelFor: { count, body in DispatchQueue.concurrentPerform(iterations: count, execute: body) },
    isCancelled: { false })

  static let cancelled = OperationContext(
    parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } }, isCancelled: { true })
}

extension ParameterValue: ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(arrayLiteral elements: ParameterValue...) { self = .list(elements) }
}
