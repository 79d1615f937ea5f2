internal import BLEAdapter

/// Which adapter a manager is on.
enum AdapterChoice {
  static func adapter(_ options: [String: Any]?) -> any Adapter {
    guard let value = options?[CBManagerOptionAdapterKey] else { return DefaultAdapter.shared }
    guard let adapter = value as? any Adapter else {
      raise("The value of CBManagerOptionAdapterKey is an `any Adapter`, not \(type(of: value))")
    }
    return adapter
  }
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
