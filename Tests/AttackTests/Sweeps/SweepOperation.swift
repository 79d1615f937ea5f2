import BLEPairing
import CoreBluetooth
import TestSupport
import Testing

/// An operation that a program starts, and the callbacks until it has ended.
struct SweepOperation: Sendable, CustomTestStringConvertible {
  let name: String
  var stage = SweepScene.Stage.walked
  var pairing = PairingKind.justWorks
  /// The whole ledger of the central's program in the undisturbed run.
  var ledger: [String] = []
  let begin: @Sendable (SweepScene) -> Void
  /// For operations that end elsewhere than with the ledger's last line.
  var isDone: (@Sendable (SweepScene) -> Bool)?
  /// Done when the link has ended.
  var afterwards: (@Sendable (SweepScene) -> Void)?

  var testDescription: String { name }
  var connects: Bool { stage == .met || stage == .bonded }

  func hasEnded(_ scene: SweepScene) -> Bool { isDone?(scene) ?? (scene.central.ledger.count >= ledger.count) }
}

/// The capabilities of the two devices decide how they pair.
enum PairingKind: String, CaseIterable, Sendable {
  case justWorks, passkeyShownByPhone, passkeyShownBySensor, numericComparison, outOfBand
  case legacyJustWorks, legacyPasskeyShownByPhone, legacyPasskeyTypedOnBoth

  var isSecureConnections: Bool { !rawValue.hasPrefix("legacy") }

  var capabilities: (phone: PairingCapability, sensor: PairingCapability) {
    switch self {
    case .justWorks, .outOfBand, .legacyJustWorks: (.noInputNoOutput, .noInputNoOutput)
    case .passkeyShownByPhone, .legacyPasskeyShownByPhone: (.displayOnly, .keyboardOnly)
    case .passkeyShownBySensor: (.keyboardOnly, .displayOnly)
    case .numericComparison: (.displayYesNo, .displayYesNo)
    case .legacyPasskeyTypedOnBoth: (.keyboardOnly, .keyboardOnly)
    }
  }
}

extension SweepOperation {
  static let all = discovering + values + updates + links + pairings

  private static let discovering = [
    SweepOperation(name: "discover services", stage: .connected, ledger: ["services"]) {
      $0.central.found?.discoverServices(nil)
    },
    SweepOperation(
      name: "discover services, characteristics and descriptors", stage: .connected,
      ledger: [
        "services", "characteristics FF60", "characteristics FF70", "characteristics FF50", "descriptors FF51",
      ]
    ) { scene in
      scene.central.walks = true
      scene.central.found?.discoverServices(nil)
    },
    SweepOperation(name: "discover included services", ledger: ["included FF50"]) { scene in
      scene.central.withService { $0.discoverIncludedServices(nil, for: $1) }
    },
    SweepOperation(name: "discover characteristics that are known", ledger: ["characteristics FF50"]) { scene in
      scene.central.withService { $0.discoverCharacteristics(nil, for: $1) }
    },
    SweepOperation(name: "discover descriptors that are known", ledger: ["descriptors FF53"]) { scene in
      scene.central.with("FF53") { $0.discoverDescriptors(for: $1) }
    },
  ]

  private static let values = [
    SweepOperation(name: "read", ledger: ["value FF51 5"]) { $0.central.with("FF51") { $0.readValue(for: $1) } },
    SweepOperation(name: "long read", ledger: ["value FF52 500"]) {
      $0.central.with("FF52") { $0.readValue(for: $1) }
    },
    SweepOperation(
      name: "read answered late",
      begin: { scene in
        scene.peripheral.app.answersRequests = false
        scene.central.with("FF51") { $0.readValue(for: $1) }
      }, isDone: { !$0.peripheral.app.waiting.isEmpty },
      afterwards: { scene in
        scene.peripheral.app.answersRequests = true
        scene.peripheral.app.answerWaiting()
      }),
    SweepOperation(name: "read a descriptor", ledger: ["descriptor 2901"]) { scene in
      scene.central.withDescriptor { $0.readValue(for: $1) }
    },
    SweepOperation(name: "write", ledger: ["wrote FF51"]) {
      $0.central.with("FF51") { $0.writeValue(Data("text".utf8), for: $1, type: .withResponse) }
    },
    SweepOperation(name: "long write", ledger: ["wrote FF52"]) {
      $0.central.with("FF52") { $0.writeValue(SweepPeripheral.longValue, for: $1, type: .withResponse) }
    },
    SweepOperation(
      name: "write without response",
      begin: { scene in
        scene.central.with("FF51") { found, characteristic in
          for number in 0..<20 {
            found.writeValue(Data([UInt8(number)]), for: characteristic, type: .withoutResponse)
          }
        }
      }, isDone: { $0.peripheral.writes.count == 20 }),
    SweepOperation(
      name: "a queue of everything",
      ledger: ["value FF51 5", "wrote FF51", "value FF52 500", "notifying FF53 true", "wrote FF52", "value FF51 5"]
    ) { scene in
      scene.central.with("FF51") { $0.readValue(for: $1) }
      scene.central.with("FF51") { $0.writeValue(Data("text".utf8), for: $1, type: .withResponse) }
      scene.central.with("FF52") { $0.readValue(for: $1) }
      scene.central.with("FF53") { $0.setNotifyValue(true, for: $1) }
      scene.central.with("FF52") { $0.writeValue(SweepPeripheral.longValue, for: $1, type: .withResponse) }
      scene.central.with("FF51") { $0.readValue(for: $1) }
    },
  ]

  private static let updates = [
    SweepOperation(name: "subscribe", ledger: ["notifying FF53 true"]) {
      $0.central.with("FF53") { $0.setNotifyValue(true, for: $1) }
    },
    SweepOperation(name: "unsubscribe", stage: .subscribed, ledger: ["notifying FF53 false"]) {
      $0.central.with("FF53") { $0.setNotifyValue(false, for: $1) }
    },
    SweepOperation(
      name: "notify", stage: .subscribed, ledger: Array(repeating: "value FF53 1", count: 5)
    ) { $0.peripheral.push(5, "FF53") },
    SweepOperation(
      name: "indicate", stage: .subscribed, ledger: Array(repeating: "value FF54 1", count: 5)
    ) { $0.peripheral.push(5, "FF54") },
    SweepOperation(name: "Service Changed", ledger: ["modified FF70"]) { $0.peripheral.takeServiceAway() },
  ]

  private static let links = [
    SweepOperation(name: "connect, with features and MTU", stage: .met, ledger: ["connected"]) { $0.central.connect() },
    SweepOperation(name: "connect with a bond, encrypted again", stage: .bonded, ledger: ["connected"]) {
      $0.central.connect()
    },
    SweepOperation(name: "read RSSI", ledger: ["rssi"]) { $0.central.found?.readRSSI() },
    SweepOperation(name: "open a channel", ledger: ["opened"]) { $0.openChannel() },
    SweepOperation(
      name: "send over a channel", stage: .channelOpen,
      begin: { scene in
        let octets = Array(SweepPeripheral.longValue + SweepPeripheral.longValue)
        for channel in scene.central.channels + scene.peripheral.app.channels {
          _ = channel.outputStream.write(octets, maxLength: octets.count)
        }
      }, isDone: { $0.receivedOverChannels == [1000, 1000] }),
  ]

  private static let pairings = PairingKind.allCases.map { kind in
    SweepOperation(name: "pair: \(kind.rawValue)", pairing: kind, ledger: ["value FF55 5"]) {
      $0.central.with("FF55") { $0.readValue(for: $1) }
    }
  }
}
