import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// What programs read in the errors that they get, and what the newest of Apple's symbols answer.
@Suite("A3: errors", .keepsCapture)
struct ErrorTextTests {
  /// A central that has connected to a peripheral and knows its one characteristic, FF22, whose reads end with one code after another.
  private static func start(_ codes: [Int] = []) async throws -> (reader: CentralApp, refuser: PeripheralApp, World) {
    let world = World()
    let refuser = PeripheralApp(
      "refuser", on: world.makeDevice("refuser"),
      services: [CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read)])])
    var codes = codes
    refuser.judge = { _ in CBATTError.Code(rawValue: codes.removeFirst()) ?? .unlikelyError }
    let reader = CentralApp(world.makeDevice("reader").options)
    reader.seek("refuser")
    try await world.wait(within: .seconds(30)) { reader.isWalked }
    return (reader, refuser, world)
  }

  @Test("R3.1 every code of the Attribute Protocol arrives with Apple's domain, number and text")
  func attributeErrors() async throws {
    let texts = [
      0x01: "The handle is invalid.", 0x02: "Reading is not permitted.", 0x03: "Writing is not permitted.",
      0x04: "The command is invalid.", 0x06: "The request is not supported.", 0x07: "The offset is invalid.",
      0x08: "Authorization is insufficient.", 0x09: "The prepare queue is full.",
      0x0A: "The attribute could not be found.", 0x0B: "The attribute is not long.",
      0x0D: "The value's length is invalid.", 0x0E: "Unlikely error.", 0x10: "The group type is unsupported.",
      0x11: "Resources are insufficient.", 0x80: "Unknown ATT error.", 0x9F: "Unknown ATT error.",
      0xE0: "Unknown ATT error.", 0xFF: "Unknown ATT error.",
    ]
    let codes = texts.keys.sorted()
    let (reader, refuser, world) = try await Self.start(codes)
    for _ in codes { reader.read("FF22") }
    try await world.wait(within: .seconds(30)) { reader.errors.count == codes.count }
    for (code, error) in zip(codes, reader.errors) {
      let number = error as NSError
      #expect(number.domain == CBATTErrorDomain && number.code == code)
      #expect(error.localizedDescription == texts[code] && number.localizedDescription == texts[code])
      #expect(number.userInfo[NSLocalizedDescriptionKey] as? String == texts[code])
      #expect((error as? CBATTError)?.code.rawValue == code && (error as? CBError) == nil)
    }
    withExtendedLifetime(refuser) {}
  }

  @Test("R3.1 symbols newer than iOS 18 exist, and answer that they are not supported")
  func newerThanTarget() async throws {
    let (reader, refuser, world) = try await Self.start()
    #expect(!CBCentralManager.supports(.channelSounding))
    reader.peripheral?.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    try await world.wait(within: .seconds(1)) { reader.told.last?.hasPrefix("sounded") == true }
    #expect((reader.errors.last as? CBError)?.code == .operationNotSupported)
    reader.peripheral?.cancelChannelSoundingSession()
    await world.settle()
    #expect(reader.told.count { $0.hasPrefix("sounded") } == 1 && reader.peripheral?.state == .connected)
    withExtendedLifetime(refuser) {}
  }
}
