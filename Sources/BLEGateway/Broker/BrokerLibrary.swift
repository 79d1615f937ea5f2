import CMosquitto

/// libmosquitto as it is loaded.
package enum BrokerLibrary {
  /// Its version, for example `2.0.11`.
  package static var version: String {
    var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
    mosquitto_lib_version(&major, &minor, &revision)
    return "\(major).\(minor).\(revision)"
  }

  private static let isPrepared = mosquitto_lib_init() == 0

  /// Has to be called before anything else of the library.
  static func prepare() { _ = isPrepared }
}
