import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Values that need an encrypted link", .keepsCapture)
struct PeripheralSecurityTests {
  /// A user who refuses every pairing.
  private final class Refusing: PairingAgent {
    var capability: PairingCapability { .noInputNoOutput }
    func pairing(_ request: PairingRequest) { request.refuse() }
  }

  private static func start() async throws -> Pair {
    try await Pair.start([
      CBMutableService(
        "FF11",
        [
          CBMutableCharacteristic("FF22", .read, .readEncryptionRequired),
          CBMutableCharacteristic("FF23", .write, .writeEncryptionRequired),
          CBMutableCharacteristic("FF24", .notifyEncryptionRequired),
          CBMutableCharacteristic("FF25", .indicateEncryptionRequired),
          CBMutableCharacteristic("FF26", .read, .readEncryptionRequired, value: Data([9])),
        ])
    ])
  }

  private static func use(_ uuid: String, of pair: Pair) async throws {
    let characteristic = try pair.characteristic(uuid)
    switch uuid {
    case "FF22", "FF26": pair.peripheral.readValue(for: characteristic)
    case "FF23": pair.peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
    default: pair.peripheral.setNotifyValue(true, for: characteristic)
    }
    await pair.world.advance(by: .seconds(5))
  }

  private static let uses = ["FF22", "FF23", "FF24", "FF25", "FF26"]

  @Test(
    "B5.9 B7.9 unencrypted access is refused before the program is asked, and the other side gets the reason",
    arguments: uses)
  func refused(_ uuid: String) async throws {
    let pair = try await Self.start()
    pair.device.setPairingAgent(Refusing())
    pair.phone.setPairingAgent(Refusing())
    try await Self.use(uuid, of: pair)
    #expect(pair.publisher.told.isEmpty)
    let code = try #require((pair.central.errors.first as? CBATTError)?.code)
    #expect(code == .insufficientAuthentication || code == .insufficientEncryption)
    let isNotifying = try pair.characteristic(uuid).isNotifying
    #expect(pair.central.values.isEmpty && !isNotifying)
  }

  @Test(
    "B5.9 B7.9 the system pairs and encrypts automatically, and the program is asked as for any other value",
    arguments: uses)
  func encrypted(_ uuid: String) async throws {
    let pair = try await Self.start()
    pair.publisher.value = Data([7])
    try await Self.use(uuid, of: pair)
    let told = [
      "FF22": ["read FF22 at 0"], "FF23": ["wrote 1 to FF23"], "FF24": ["subscribed FF24"], "FF25": ["subscribed FF25"],
    ]
    #expect(pair.publisher.told == told[uuid] ?? [])
    #expect(pair.central.errors.isEmpty && pair.central.told.count == 1)
    // Programs see the properties as the other side declared them.
    let properties: CBCharacteristicProperties = uuid == "FF24" ? .notify : uuid == "FF25" ? .indicate : []
    #expect(try pair.characteristic(uuid).properties.isSuperset(of: properties))
  }
}
