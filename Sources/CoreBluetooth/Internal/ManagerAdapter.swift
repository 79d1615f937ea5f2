internal import BLEAdapter
internal import BLEDefaultStack
internal import Synchronization

/// The adapter of a manager.
enum ManagerAdapter {
  /// The adapter of managers without `CBManagerOptionAdapterKey`.
  static var standard: any Adapter { DefaultStack.adapter }

  static func adapter(_ options: [String: Any]?) -> any Adapter {
    switch options?[CBManagerOptionAdapterKey] {
    case nil:
      ManagersElsewhere.countOne()
      return standard
    case let name as String:
      ManagersElsewhere.countOne()
      return DefaultStack.adapter(named: name)
    case let adapter as any Adapter: return adapter
    case let value?:
      raise("The value of CBManagerOptionAdapterKey is an `any Adapter` or its name, not \(type(of: value))")
    }
  }
}

/// Managers that were created without an adapter in their options, or with the name of one. In a test nearly always one whose
/// options were forgotten.
package enum ManagersElsewhere {
  private static let made = Atomic(0)

  /// Their number so far in this process.
  package static var count: Int { made.load(ordering: .relaxed) }

  /// From now on managers without an adapter in their options have none, unless the environment names one: they are tested in a world.
  package static func enterWorld() { DefaultStack.enterWorld() }

  static func countOne() { made.add(1, ordering: .relaxed) }
}

extension [String: Any] {
  /// An option that is `Bool` or a number; absent or anything else: false.
  func flag(_ key: String) -> Bool {
    switch self[key] {
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    case let number as Int: number != 0
    default: false
    }
  }

  /// An option that is a number of seconds.
  func seconds(_ key: String) -> Double? {
    switch self[key] {
    case let number as NSNumber: number.doubleValue
    case let number as Double: number
    case let number as Int: Double(number)
    default: nil
    }
  }
}
