import Foundation

/// What outlives the app's process.
public protocol SessionMemory: AnyObject {
  /// The thermostat that the user has chosen.
  var thermostat: UUID? { get set }
  /// The image that is to be installed, until the thermostat has said that it uses it.
  var pendingImage: Data? { get set }
}

/// In the app's defaults.
public final class DefaultsMemory: SessionMemory {
  private let defaults: UserDefaults

  public init(defaults: UserDefaults = .standard) { self.defaults = defaults }

  public var thermostat: UUID? {
    get { defaults.string(forKey: "thermostat").flatMap(UUID.init(uuidString:)) }
    set { defaults.set(newValue?.uuidString, forKey: "thermostat") }
  }

  public var pendingImage: Data? {
    get { defaults.data(forKey: "pendingImage") }
    set { defaults.set(newValue, forKey: "pendingImage") }
  }
}
