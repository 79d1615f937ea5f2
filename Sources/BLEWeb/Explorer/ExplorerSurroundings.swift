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
  /// The MTU of the Attribute Protocol on the link to a peer; `nil` where the system does not tell it.
  package var maximumTransmissionUnit: @Sendable (UUID) -> Int? = { _ in nil }
  /// The simulated air, where there is one.
  package var radio: (any RadioControl)?
  /// The devices with which the adapter has paired.
  package var bonds: (any BondControl)?
  /// The options of its peripheral manager.
  package var peripheralOptions: @Sendable () -> [String: Any]? = { nil }
  /// Sets what the adapter advertises besides what Core Bluetooth offers; `nil` for nothing.
  package var setManufacturerData: @Sendable ([UInt8]?) -> Void = { _ in }
  /// The last packets of the adapter; `nil` where it has none to show.
  package var packets: (any PacketLog)?
  /// What was recorded earlier.
  package var recordings: [any RecordingFile] = []
  /// The gateways of a broker, where one is looked at.
  package var fleet: (any FleetSource)?
  /// What the adapters have counted.
  package var adapters: @Sendable () async -> [AdapterMetrics] = { [] }

  package init(adapter: String, version: String) {
    self.adapter = adapter
    self.version = version
  }
}
