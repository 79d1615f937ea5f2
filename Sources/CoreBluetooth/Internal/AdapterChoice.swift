internal import BLEAdapter
internal import Synchronization

/// Which adapter a manager is on.
enum AdapterChoice {
  static func adapter(_ options: [String: Any]?) -> any Adapter {
    guard let value = options?[CBManagerOptionAdapterKey] else {
      ManagersElsewhere.countOne()
      return DefaultAdapter.shared
    }
    guard let adapter = value as? any Adapter else {
      raise("The value of CBManagerOptionAdapterKey is an `any Adapter`, not \(type(of: value))")
    }
    return adapter
  }
}

/// Managers that were made without an adapter in their options. In a test that is nearly always one that was forgotten.
package enum ManagersElsewhere {
  private static let made = Atomic(0)

  /// How many there were so far in this process.
  package static var count: Int { made.load(ordering: .relaxed) }

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
