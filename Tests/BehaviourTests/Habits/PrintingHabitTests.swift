import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Habits of apps: printing", .keepsCapture)
struct PrintingHabitTests {
  @Test("I11.20 I11.habits the description of a peripheral has the MTU between name and state, and keeps the last one")
  func peripheral() async throws {
    let pair = try await Pair.start([], mtu: 185)
    func text(_ mtu: Int, _ state: String) -> String {
      "identifier = \(pair.peripheral.identifier.uuidString), name = device, mtu = \(mtu), state = \(state)>"
    }
    #expect(pair.peripheral.description.hasPrefix("<CBPeripheral: 0x"))
    #expect(pair.peripheral.description.hasSuffix(", " + text(185, "connected")))
    #expect("\([pair.peripheral])".hasSuffix(text(185, "connected") + "]"))
    #expect(String(format: "%@", pair.peripheral) == pair.peripheral.description)
    await pair.disconnect()
    #expect(pair.peripheral.description.hasSuffix(text(185, "disconnected")))
    let other = CentralApp(pair.phone.options)
    await pair.world.settle()
    let again = other.manager.retrievePeripherals(withIdentifiers: [pair.peripheral.identifier])
    #expect(again.first?.description.hasSuffix(text(0, "disconnected")) == true)
  }

  @Test("I11.32 I11.habits a printed error has its text where Apple's has it, however it is printed")
  func errors() async throws {
    let pair = try await Pair.start([CBMutableService("FF11", [CBMutableCharacteristic("FF22", .notify)])])
    try await pair.read("FF22")
    pair.device.cutPower()
    await pair.world.advance(by: .seconds(20))
    let texts = [
      "Error Domain=CBATTErrorDomain Code=2 \"Reading is not permitted.\" "
        + "UserInfo={NSLocalizedDescription=Reading is not permitted.}",
      "Error Domain=CBErrorDomain Code=6 \"The connection has timed out unexpectedly.\" "
        + "UserInfo={NSLocalizedDescription=The connection has timed out unexpectedly.}",
    ]
    #expect(pair.central.errors.map { "\($0)" } == texts)
    #expect(pair.central.errors.map { String(describing: $0) } == texts)
    #expect(pair.central.errors.map { String(reflecting: $0) } == texts)
    let last: (any Error)? = pair.central.errors.last
    #expect("disconnected \(last as Any)" == "disconnected Optional(\(texts[1]))")
    #expect(last?.localizedDescription == "The connection has timed out unexpectedly.")
    // Made by the program, with the given text.
    #expect("\(CBError(.unknown))" == "Error Domain=CBErrorDomain Code=0 \"(null)\"")
    let own = CBATTError(.unlikelyError, userInfo: ["b": 2, "a": 1])
    #expect("\(own)" == "Error Domain=CBATTErrorDomain Code=14 \"(null)\" UserInfo={a=1, b=2}")
  }

  @Test("I11.habits a value is printed with its octets, a long one with its beginning and its end")
  func values() async throws {
    let pair = try await Pair.start([
      CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read), CBMutableCharacteristic("2A29", .read)])
    ])
    let characteristic = try pair.characteristic("FF22")
    #expect(characteristic.description.hasPrefix("<CBCharacteristic: 0x"))
    #expect(characteristic.description.hasSuffix(", UUID = FF22, properties = 0x2, value = (null), notifying = NO>"))
    #expect("\(try pair.characteristic("2A29"))".contains(", UUID = Manufacturer Name String, "))
    let values = [
      Data(), Data([0, 0, 0x81, 0xFF]), Data(0..<24), Data(0..<25),
    ]
    let texts = [
      "{length = 0, bytes = 0x}", "{length = 4, bytes = 0x000081ff}",
      "{length = 24, bytes = 0x000102030405060708090a0b0c0d0e0f1011121314151617}",
      "{length = 25, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... 11121314 15161718 }",
    ]
    for (value, text) in zip(values, texts) {
      pair.publisher.value = value
      await pair.peripheral.read(characteristic, in: pair.world)
      #expect(characteristic.description.contains(", value = \(text), notifying"))
    }
  }

  @Test("I11.habits published objects are printed with their contents, and a central and a channel with their identity")
  func published() async throws {
    let line = CBMutableCharacteristic("FF22", [.read, .notify], [.readable, .writeable])
    let service = CBMutableService("FF11", [line])
    let pair = try await Pair.start([service])
    let plain = "UUID = FF22, Value = (null), Properties = 0x12, Permissions = 0x3, Descriptors = (null)"
    #expect(line.description.hasPrefix("<CBMutableCharacteristic: 0x"))
    #expect(line.description.hasSuffix(" \(plain), SubscribedCentrals = (\n)>"))
    try await pair.subscribe("FF22")
    let central = try #require(pair.publisher.subscribers.first)
    #expect(central.description.hasPrefix("<CBCentral: 0x"))
    let length = central.maximumUpdateValueLength
    #expect(central.description.hasSuffix(" identifier = \(central.identifier.uuidString), MTU = \(length)>"))
    #expect(line.description.hasSuffix("SubscribedCentrals = (\n    \"\(central)\"\n)>"))
    #expect(service.description.hasPrefix("<CBMutableService: 0x"))
    #expect(
      service.description.contains(" Primary = YES, UUID = FF11, Included Services = (null), Characteristics = (\n"))
    pair.publisher.manager.publishL2CAPChannel(withEncryption: false)
    await pair.world.settle()
    let psm = try #require(pair.publisher.multiplexers.first)
    pair.peripheral.openL2CAPChannel(psm)
    await pair.world.settle()
    let channel = try #require(pair.central.channels.first)
    #expect(channel.description.hasPrefix("<CBL2CAPChannel: 0x"))
    #expect(channel.description.hasSuffix(" peer = \(pair.peripheral), psm = \(psm)>"))
  }
}
