import BLECore
import BLECrypto
import BLEReports
import BLESession
import Foundation
import Testing

@testable import BLEGateway

@Suite("Private addresses, with keys of the configuration")
struct IdentityKeysTests {
  /// The example of the specification (Core, Vol 3 Part H D.7).
  private static let key = SecretKey(
    mostSignificantFirst: [UInt8](hexadecimal: "ec0234a357c8ad05341010a60a397d9b") ?? [])
  private static let address = DeviceAddress(0x7081_940D_FBAA, kind: .random)

  private func files(_ names: [String: SecretKey]) -> GatewayKeyFiles {
    var files = GatewayKeyFiles()
    files.identities = names
    return files
  }

  private final class Numbers: EntropySource {
    func next() -> UInt64 { .random(in: 0 ... .max) }
  }

  private func discovery(_ name: String, at seconds: Int64) -> Discovery {
    Discovery(identifier: UUID(), name: name, rssi: -40, lastSeen: .seconds(seconds))
  }

  @Test("I17.1 the specification's example of a private address has the name of its key, and no other address has it")
  func resolves() {
    let keys = IdentityKeys()
    keys.replace(["phone": Self.key])
    #expect(keys.name(of: Self.address) == "phone" && keys.name(of: Self.address) == "phone")
    #expect(keys.name(of: DeviceAddress(Self.address.value, kind: .public)) == nil)
    #expect(keys.name(of: DeviceAddress(Self.address.value ^ 1, kind: .random)) == nil)
    #expect(keys.name(of: DeviceAddress(0xC081_940D_FBAA, kind: .random)) == nil && keys.name(of: nil) == nil)
    keys.replace([:])
    #expect(keys.name(of: Self.address) == nil, "what was found is forgotten with the key")
  }

  @Test("I17.1 the private addresses of one device are one device: a new address does not begin its limits again")
  func oneDevice() throws {
    let resolver = IdentityResolver(irk: Self.key)
    let listener = AdvertisementListener(
      .init(rule: .any, onChange: false, interval: .seconds(10)), GatewayKeys(files(["phone": Self.key])))
    var published: [String] = []
    for second in Int64(0)..<20 {
      let address = resolver.makeAddress(Numbers())
      if let heard = listener.take(discovery("x", at: second), address: address) {
        published.append(heard.device)
        #expect(heard.sighting.address == address, "the message has the address that was heard")
      }
    }
    #expect(published == ["phone", "phone"] && listener.count == 1)
    let stranger = IdentityResolver(irk: .random(Numbers())).makeAddress(Numbers())
    let heard = try #require(listener.take(discovery("x", at: 30), address: stranger))
    #expect(heard.device == stranger.description.filter(\.isHexDigit))
  }

  @Test("I17.1 a flood of private addresses takes bounded memory, and the known device keeps its name")
  func flood() {
    let keys = IdentityKeys()
    keys.replace(["phone": Self.key])
    for _ in 0..<(IdentityKeys.mostAddresses + 500) {
      _ = keys.name(of: DeviceAddress(0x4000_0000_0000 | UInt64.random(in: 0..<(1 << 46)), kind: .random))
    }
    #expect(keys.count <= IdentityKeys.mostAddresses)
    #expect(keys.name(of: Self.address) == "phone")
  }
}
