import BLEAdapter
import BLECore
import BLEHCI
import Dispatch
import Testing

@testable import BLEBlueZ

@Suite("Attributes through BlueZ's daemon")
struct AttributeTests {
  private static let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
  private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"
  private static let value = AttributeHandle(0x000C)
  private static let characteristic = ScriptedDaemon.device + "/service000a/char000b"

  /// A service that includes another, with a characteristic that has all properties and one that only indicates.
  private static func fill(_ world: DaemonWorld) {
    world.addService("0001", uuid: "00001800-0000-1000-8000-00805f9b34fb")
    world.addService("000a", uuid: heartRate, includes: ["0020"])
    world.addCharacteristic(
      "000a", "000b", uuid: "00002a37-0000-1000-8000-00805f9b34fb",
      flags: ["read", "write", "notify", "reliable-write"],
      value: [1, 2, 3])
    world.addDescriptor(characteristic, 0x000E, uuid: "00002901-0000-1000-8000-00805f9b34fb", value: [0x68, 0x69])
    world.addCharacteristic("000a", "0010", uuid: "2A38", flags: ["write-without-response", "indicate", "?"])
    world.addService("0020", uuid: battery, isPrimary: false)
  }

  private func linked() async throws -> (BlueZFixture, ScriptedDaemon) {
    let (fixture, daemon) = try await BlueZFixture.withDevice(Self.fill)
    try await fixture.connected()
    return (fixture, daemon)
  }

  private func services(_ fixture: BlueZFixture) async throws -> [RemoteService] {
    try await fixture.result { $0.discoverServices(nil, $1) }.get()
  }

  private func characteristics(_ fixture: BlueZFixture) async throws -> [RemoteCharacteristic] {
    let service = try #require(try await services(fixture).first)
    return try await fixture.result { $0.discoverCharacteristics(nil, of: service, $1) }.get()
  }

  @Test("I12.2 services, includes, characteristics and descriptors have their handles")
  func discovery() async throws {
    let (fixture, daemon) = try await linked()
    let services = try await services(fixture)
    #expect(services.map(\.uuid.description) == ["180D"])
    #expect(services.first?.handles == AttributeHandle(0x000A)...AttributeHandle(0x001F))
    let service = try #require(services.first)
    let includes = try await fixture.result { $0.discoverIncludedServices(nil, of: service, $1) }.get()
    #expect(includes.map(\.uuid.description) == ["180F"] && includes.first?.isPrimary == false)
    let found = try await characteristics(fixture)
    #expect(found.map(\.uuid.description) == ["2A37", "2A38"])
    #expect(found.map(\.value.rawValue) == [0x000C, 0x0011] && found.map(\.end.rawValue) == [0x000F, 0x001F])
    #expect(found.map(\.properties) == [0x9A, 0x24])
    let first = try #require(found.first)
    let descriptors = try await fixture.result { $0.discoverDescriptors(of: first, $1) }.get()
    #expect(
      descriptors.map(\.uuid.description) == ["2902", "2901"] && descriptors.map(\.handle.rawValue) == [0x0D, 0x0E])
    let none = try await fixture.result { $0.discoverServices([BLEUUID(0x1234)], $1) }.get()
    #expect(none.isEmpty)
    _ = daemon
  }

  @Test("I12.2 operations wait until the daemon has found the services, and run in order")
  func waiting() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      Self.fill(world)
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        world.change(["Connected": .boolean(true)])
        request.answer()
      }
    }
    try await fixture.connected()
    async let found = services(fixture)
    async let read: Result<ArraySlice<UInt8>, OperationError> = fixture.result { $0.read(Self.value, $1) }
    try await daemon.run { $0.change(["ServicesResolved": .boolean(true)]) }
    #expect(try await found.count == 1)
    #expect(try await read.get() == [1, 2, 3])
  }

  @Test("I12.5 attributes that are announced after ServicesResolved are found, and subscribed to")
  func lateAnnouncement() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        world.late = { [unowned world] in Self.fill(world) }
        world.answer(request)
      }
    }
    try await fixture.connected()
    let found = try await characteristics(fixture)
    #expect(found.map(\.uuid.description) == ["2A37", "2A38"])
    let first = try #require(found.first)
    try await fixture.result { $0.setNotify(true, for: first, $1) }.get()
    #expect(try await daemon.run { $0.count("StartNotify", at: Self.characteristic) } == 1)
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("invalidated") })
  }

  @Test("I12.2 values are read and written, long ones and descriptors too")
  func values() async throws {
    let (fixture, daemon) = try await linked()
    let long = [UInt8](repeating: 7, count: 512)
    try await fixture.result { $0.write(long, to: Self.value, $1) }.get()
    #expect(try await fixture.result { $0.read(Self.value, $1) }.get() == long[...])
    #expect(try await fixture.result { $0.read(AttributeHandle(0x000E), $1) }.get() == [0x68, 0x69])
    let written = try await daemon.run { $0.arguments["WriteValue \(Self.characteristic)"]?.first?.last }
    #expect(written == .options(["type": .string("request")]))
    let recorder = fixture.recorder
    let peer = try fixture.peer.identifier
    await fixture.run { _ in
      for number: UInt8 in 1...20 {
        recorder.links[peer]?.writeCommand([number], to: AttributeHandle(0x0011)) { recorder.note("sent \(number)") }
      }
    }
    await recorder.wait(for: "sent 20")
    let commands = try await daemon.run {
      $0.arguments["WriteValue \(ScriptedDaemon.device)/service000a/char0010"] ?? []
    }
    #expect(commands.map(\.first) == (1...20).map { .octets([$0]) })
    #expect(commands.last?.last == .options(["type": .string("command")]))
    #expect(recorder.lines.filter { $0.hasPrefix("sent") } == (1...20).map { "sent \($0)" })
  }

  @Test("I12.2 a refusal of the peer or the daemon is an error of that operation alone")
  func errors() async throws {
    let (fixture, daemon) = try await linked()
    let path = Self.characteristic
    let answers: [(answer: BusError?, error: OperationError)] = [
      (BusError("org.bluez.Error.NotPermitted", "Read not permitted"), .attribute(code: 2)),
      (BusError("org.bluez.Error.Failed", "Operation failed with ATT error: 0x81"), .attribute(code: 0x81)),
      // An answer of a wrong type.
      (nil, .protocolViolation("the Bluetooth daemon's answer to ReadValue")),
    ]
    for (answer, error) in answers {
      try await daemon.run { world in
        world.script("ReadValue", at: path) { request, _ in
          if let answer { request.refuse(answer) } else { request.answer([.string("text")]) }
        }
      }
      #expect(await error == (try fixture.result { $0.read(Self.value, $1) }).failure)
    }
    try await daemon.run { $0.script("ReadValue", at: path, nil) }
    let nothing: Result<ArraySlice<UInt8>, OperationError> = try await fixture.result {
      $0.read(AttributeHandle(0x0999), $1)
    }
    #expect(nothing.failure == .attribute(code: 1))
    #expect(try await fixture.result { $0.read(Self.value, $1) }.get() == [1, 2, 3])
    let rssi: Result<Int8, OperationError> = try await fixture.result { $0.readRSSI($1) }
    guard case .notSupported = rssi.failure else {
      Issue.record("an RSSI of nowhere: \(rssi)")
      return
    }
  }

  /// A kernel that reports the strength of one link.
  private final class Strengths: LinkStrengths {
    var asked: [String] = []
    var strength: Int8? = -61
    /// The loop's.
    var queue: DispatchQueue?
    func read(_ peer: DeviceAddress, on index: UInt16, _ completion: @escaping (Int8?) -> Void) {
      asked.append("\(peer) \(peer.kind) \(index)")
      let bound = LoopBound((completion, strength))
      queue?.async { bound.value.0(bound.value.1) }
    }
  }

  @Test("I12.2 a link's strength is the kernel's where it has one, else that of advertisements while they are received")
  func strength() async throws {
    let strengths = LoopBound<any LinkStrengths>(Strengths())
    let (fixture, daemon) = try await BlueZFixture.withDevice(strengths: strengths)
    try await fixture.connected()
    let queue = fixture.stack.stackLoop.queue
    await fixture.run { _ in (strengths.value as? Strengths)?.queue = queue }
    #expect(try await fixture.result { $0.readRSSI($1) } == .success(-61))
    try await daemon.run { $0.change(["RSSI": .int16(-40), "Name": .string("Heard")]) }
    await fixture.recorder.wait(for: "name Heard")
    #expect(try await fixture.result { $0.readRSSI($1) } == .success(-61))
    await fixture.run { _ in (strengths.value as? Strengths)?.strength = nil }
    #expect(try await fixture.result { $0.readRSSI($1) } == .success(-40))
    let asked = await fixture.run { _ in (strengths.value as? Strengths)?.asked }
    #expect(asked == [String](repeating: "C0:12:34:56:78:9A random 0", count: 3))
  }

  @Test(
    "I12.2 an operation whose object vanishes, or that is never answered, ends with the link and not before another one"
  )
  func vanished() async throws {
    let (fixture, daemon) = try await linked()
    try await daemon.run { world in
      world.script("ReadValue", at: Self.characteristic) { request, world in
        world.remove(Self.characteristic)
        request.refuse(BusError(BusError.unknownObject, "gone"))
      }
    }
    let gone: Result<ArraySlice<UInt8>, OperationError> = try await fixture.result { $0.read(Self.value, $1) }
    #expect(gone.failure == .attribute(code: 1))
    try await daemon.run { world in
      world.script("WriteValue", at: ScriptedDaemon.device + "/service000a/char0010") { request, world in
        world.held.append(request)
      }
    }
    let peer = try fixture.peer.identifier
    let recorder = fixture.recorder
    await fixture.run { _ in
      for number in 1...100 {
        recorder.links[peer]?.write([1], to: AttributeHandle(0x0011)) { _ in recorder.note("answer \(number)") }
      }
    }
    await daemon.wait(for: "WriteValue", at: ScriptedDaemon.device + "/service000a/char0010")
    try await daemon.run { $0.change(["Connected": .boolean(false)]) }
    await recorder.wait(for: "disconnected closedByPeer")
    let late: Result<ArraySlice<UInt8>, OperationError> = try await fixture.result { $0.read(Self.value, $1) }
    #expect(late.failure == .notConnected)
    #expect(!recorder.lines.contains { $0.hasPrefix("answer") })
  }

  @Test("I12.2 values come in order, a read is no notification, and the last unsubscription ends it")
  func notifications() async throws {
    let (fixture, daemon) = try await linked()
    let characteristic = try #require(try await characteristics(fixture).first)
    try await fixture.result { $0.setNotify(true, for: characteristic, $1) }.get()
    try await daemon.run { world in
      for number: UInt8 in 0..<100 {
        world.set(Self.characteristic, BlueZName.gattCharacteristic, ["Value": .octets([number])])
      }
    }
    await fixture.recorder.wait(for: "value 0x000C 63")
    #expect(fixture.recorder.lines.filter { $0.hasPrefix("value") }.count == 100)
    // A notification arrives during a read: one of the two equal values is the answer.
    try await daemon.run { world in
      world.script("ReadValue", at: Self.characteristic) { request, world in
        world.set(Self.characteristic, BlueZName.gattCharacteristic, ["Value": .octets([0xAA])])
        world.set(Self.characteristic, BlueZName.gattCharacteristic, ["Value": .octets([0xBB])])
        world.answer(request)
      }
    }
    #expect(try await fixture.result { $0.read(Self.value, $1) }.get() == [0xBB])
    await fixture.recorder.wait(for: "value 0x000C bb")
    #expect(fixture.recorder.lines.filter { $0 == "value 0x000C bb" }.count == 1)
    #expect(fixture.recorder.lines.filter { $0 == "value 0x000C aa" }.count == 1)
    try await fixture.result { $0.setNotify(false, for: characteristic, $1) }.get()
    #expect(try await daemon.run { $0.count("StopNotify", at: Self.characteristic) } == 1)
  }

  @Test(
    "I12.2 what the daemon signals of a value that is read is received only while that characteristic is subscribed to")
  func readSignals() async throws {
    let (fixture, daemon) = try await linked()
    let path = Self.characteristic
    try await daemon.run { world in
      world.script("ReadValue", at: path) { request, world in
        // Counted where it is received, because it is nested too deep to be read.
        let deep = (0..<40).reduce(BusValue.octet(1)) { value, _ in .variant(value) }
        world.emit(
          "PropertiesChanged", of: BlueZName.properties, at: path,
          [.string(BlueZName.gattCharacteristic), .options(["Value": deep]), .texts([])])
        request.answer([.octets([7])])
      }
    }
    let found = try await characteristics(fixture)
    let steps = [(0, false, 0), (1, true, 0), (0, true, 1), (1, false, 2), (0, false, 2)]
    for (index, isSubscribed, received) in steps {
      try await fixture.result { $0.setNotify(isSubscribed, for: found[index], $1) }.get()
      #expect(try await fixture.result { $0.read(Self.value, $1) }.get() == [7])
      #expect(await fixture.run { _ in fixture.stack.presence.bus?.unreadableSignals } == received)
    }
  }

  @Test("I12.2 more subscriptions than the bus takes rules for: each value is received once, and none after their end")
  func manySubscriptions() async throws {
    let count = CharacteristicSignals.limit + 40
    // Handles in hexadecimal digits, from 0x0100 on.
    let numbers = (0..<count).map { String(String(0x10100 + 4 * $0, radix: 16).dropFirst()) }
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.addService("000a", uuid: Self.heartRate)
      for number in numbers { world.addCharacteristic("000a", number, uuid: "2A37", flags: ["notify"]) }
    }
    try await fixture.connected()
    let found = try await characteristics(fixture)
    #expect(found.count == count)
    let notify = { (number: UInt8) in
      try await daemon.run { world in
        for each in numbers {
          world.set(
            ScriptedDaemon.device + "/service000a/char\(each)", BlueZName.gattCharacteristic,
            ["Value": .octets([number])])
        }
      }
      // Behind the signals.
      _ = try await fixture.result { $0.read(found[0].value, $1) }.get()
    }
    let received = { fixture.recorder.lines.filter { $0.hasPrefix("value") } }
    for characteristic in found { try await fixture.result { $0.setNotify(true, for: characteristic, $1) }.get() }
    try await notify(1)
    #expect(Set(received()).count == count && received().count == count)
    for characteristic in found { try await fixture.result { $0.setNotify(false, for: characteristic, $1) }.get() }
    try await notify(2)
    #expect(received().count == count)
    // There is room for single rules again.
    let last = try #require(found.last)
    try await fixture.result { $0.setNotify(true, for: last, $1) }.get()
    try await notify(3)
    #expect(received().count == count + 1)
  }

  @Test("I12.2 the MTU of a second link is known as well, and its change is reported, with and without a subscription")
  func transmissionUnit() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.addService("000a", uuid: Self.heartRate)
      world.addCharacteristic("000a", "000b", uuid: "2A37", flags: ["read", "notify"], ["MTU": .uint16(185)])
    }
    let (recorder, peer) = (fixture.recorder, try fixture.peer.identifier)
    for count in 1...2 {
      try await fixture.connect()
      await recorder.wait(for: "connected \(ScriptedDaemon.address)", count: count)
      _ = try await fixture.result { $0.read(Self.value, $1) }.get()
      #expect(await fixture.run { _ in recorder.links[peer]?.maximumTransmissionUnit } == 185)
      if count == 2 { break }
      try await daemon.run { $0.change(["Connected": .boolean(false)]) }
      await recorder.wait(for: "disconnected closedByPeer")
    }
    let characteristic = try #require(try await characteristics(fixture).first)
    for (isSubscribed, octets) in [(false, 247), (true, 185), (false, 100)] as [(Bool, UInt16)] {
      try await fixture.result { $0.setNotify(isSubscribed, for: characteristic, $1) }.get()
      try await daemon.run { $0.set(Self.characteristic, BlueZName.gattCharacteristic, ["MTU": .uint16(octets)]) }
      _ = try await fixture.result { $0.read(Self.value, $1) }.get()
      #expect(await fixture.run { _ in recorder.links[peer]?.maximumTransmissionUnit } == Int(octets))
    }
  }

  @Test(
    "I12.2 a subscription that is not offered, or refused, is an error; one without a link is not kept by the daemon")
  func subscriptions() async throws {
    let (fixture, daemon) = try await linked()
    let found = try await characteristics(fixture)
    let first = try #require(found.first)
    let mute = RemoteCharacteristic(
      uuid: first.uuid, declaration: first.declaration, value: first.value, end: first.end, properties: 0x02)
    let refused: Result<Void, OperationError> = try await fixture.result { $0.setNotify(true, for: mute, $1) }
    #expect(refused.failure == .attribute(code: 6))
    try await daemon.run { world in
      world.script("StartNotify", at: Self.characteristic) { request, _ in
        request.refuse(BusError("org.bluez.Error.NotPermitted", "Not paired"))
      }
    }
    let unpaired: Result<Void, OperationError> = try await fixture.result { $0.setNotify(true, for: first, $1) }
    #expect(unpaired.failure == .attribute(code: 5))
    try await daemon.run { $0.script("StartNotify", at: Self.characteristic, nil) }
    try await fixture.result { $0.setNotify(true, for: first, $1) }.get()
    try await daemon.run { $0.change(["Connected": .boolean(false)]) }
    await daemon.wait(for: "StopNotify", at: Self.characteristic)
    let bare = try #require(found.last)
    try await fixture.connect()
    await fixture.recorder.wait(for: "connected \(ScriptedDaemon.address)", count: 2)
    try await daemon.run { world in
      world.remove(ScriptedDaemon.device + "/service000a/char0010/desc0012")
      world.change(["Name": .string("Bare")])
    }
    await fixture.recorder.wait(for: "name Bare")
    let unconfigured: Result<Void, OperationError> = try await fixture.result { $0.setNotify(true, for: bare, $1) }
    #expect(unconfigured.failure == .attribute(code: 10))
  }

  @Test("I12.2 added and removed services, a new name and an MTU are reported")
  func changes() async throws {
    let (fixture, daemon) = try await linked()
    // Changes of what nothing has been discovered of are not reported.
    #expect(try await services(fixture).map(\.uuid.description) != ["1234"])
    try await daemon.run { world in
      world.remove(ScriptedDaemon.device + "/service000a")
      world.addService("0030", uuid: "1234")
      world.change(["Name": .string("Renamed")])
    }
    await fixture.recorder.wait(for: "invalidated 0x000A...0x0030")
    await fixture.recorder.wait(for: "name Renamed")
    #expect(try await services(fixture).map(\.uuid.description) == ["1234"])
    try await daemon.run { $0.addCharacteristic("0030", "0031", uuid: "2A39", flags: ["read"], ["MTU": .uint16(185)]) }
    await fixture.recorder.wait(for: "mtu 185")
    let peer = try fixture.peer.identifier
    let recorder = fixture.recorder
    #expect(await fixture.run { _ in recorder.links[peer]?.maximumTransmissionUnit } == 185)
  }
}

extension Result {
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
