import Foundation

/// One entry of the list of Core Bluetooth's symbols, as far as it is compared.
struct ListedSymbol: Decodable, Sendable {
  /// Tells overloads apart: `CBPeripheral.readValue(for:)#descriptor`.
  let id: String
  /// The Swift name with its owners: `CBError.Code.unknown`.
  let symbol: String
  /// `type`, `protocol`, `protocol-method`, `method`, `property`, `init`, `case`, `constant`, ...
  let kind: String
  let declaration: String
  let owner: String?
  let optional: Bool?
  let rawValue: Int?
  let stringValue: String?
  /// By system, with the version.
  let introduced: [String: String]
  /// By system, with the version; `message` is what to use instead.
  let deprecated: [String: String]?
  let unavailableOn: [String]
  /// Newer than the systems whose interface this package follows: there, and answered with "not supported".
  let newerThanTarget: Bool
  let discardableResult: Bool?
  let typeKind: String?
  let superclass: String?
  let conformances: [String]?
  let access: String?
  let rawType: String?
  let frozen: Bool?

  /// An initializer that Apple's headers take away.
  var isUnavailable: Bool { kind == "unavailable-init" }

  var isType: Bool { kind == "type" || kind == "protocol" }

  /// The last part of the name.
  var name: String { String(symbol.split(separator: ".", maxSplits: ownerDepth).last ?? "") }

  private var ownerDepth: Int { owner.map { $0.split(separator: ".").count } ?? 0 }

  /// A name that begins with an underscore, or an operator, is not in symbol graphs: the compiler is asked.
  var isHiddenFromGraphs: Bool { declaration.contains("_nsError") || kind == "func" }

  static func list(at path: String) throws -> [ListedSymbol] {
    try JSONDecoder().decode([ListedSymbol].self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
