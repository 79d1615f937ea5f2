import BLECore
import Foundation

/// What the program around an explorer knows and Apple's API does not tell.
package struct ExplorerSurroundings: Sendable {
  /// The adapter, in words.
  package var adapter: String
  /// The program's version.
  package var version: String
  /// The address under which this machine last met a peer.
  package var address: @Sendable (UUID) -> DeviceAddress? = { _ in nil }
  /// The simulated air, where there is one.
  package var radio: (any RadioControl)?
  /// The devices with which the adapter has paired.
  package var bonds: (any BondControl)?
  /// The options of its peripheral manager.
  package var peripheralOptions: @Sendable () -> [String: Any]? = { nil }
  /// What the adapters have counted.
  package var adapters: @Sendable () async -> [AdapterMetrics] = { [] }

  package init(adapter: String, version: String) {
    self.adapter = adapter
    self.version = version
  }
}
