import BLECapture
import BLEClone
import BLECore
import BLEDeviceFiles
import BLESession
import BLESessionCryptography
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension WorldClock: SessionClock {}
extension WorldTimer: SessionTimer {}

/// Clones of logs of whole sessions: how much of the log they reproduce, and whether the same program notices the difference.
@Suite(.keepsCapture) struct CloneTests {
  /// What a program in the central role has seen, as text.
  private typealias Program = (World, Device) async throws -> [String]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/Devices")

  private static func description(_ name: String) throws -> DeviceDescription {
    try DeviceDescription(contentsOf: folder.appendingPathComponent(name))
  }

  /// Runs the program with the original, clones it of the phone's log, and runs the program with the clone.
  private func clone(
    as file: ([CapturedPacket]) -> [UInt8], _ program: Program,
    of original: (World, Device) async throws -> Any,
    playing: (World, RecordedDevice) async throws -> Any = { world, recording in
      let scripted = world.makeScriptedDevice("clone")
      scripted.play(recording)
      return scripted
    }
  ) async throws -> LearnedDevice {
    let first = World()
    let phone = first.makeDevice("phone")
    let device = try await original(first, first.makeDevice("original"))
    let expected = try await program(first, phone)
    withExtendedLifetime(device) {}
    #expect(!expected.isEmpty)

    let log = try LogFiles.device(file(try LogFiles.traffic(of: first)))
    let learned = DeviceLearner.learn(log)
    let report = CloneReplay(log, learned.recording).run()
    #expect(report.share >= 9_500, "\(report)")
    #expect(report.total >= 20)

    // The file, not the value in memory, is what is played.
    let text = try #require(DeviceDescription(name: learned.name, recording: learned.recording).recordingText)
    let read = try DeviceDescription(text: text, file: "clone.json")
    let second = World()
    let otherPhone = second.makeDevice("phone")
    let played = try await playing(second, try #require(read.recording))
    let found = try await program(second, otherPhone)
    withExtendedLifetime(played) {}
    #expect(found == expected)
    return learned
  }

  /// A device of Examples/Devices.
  private func simulated(_ file: String) -> (World, Device) async throws -> Any {
    { world, device in
      let simulated = try SimulatedDevice(
        try Self.description(file), options: device.options, clock: world.clock, cryptography: SystemCryptography())
      device.setManufacturerData(simulated.manufacturerData.map { Array($0) })
      try await world.perform { try await simulated.start() }
      return simulated
    }
  }

  private static func text(_ readings: [FieldReading]) -> String {
    readings.map { "\($0.name)=\($0.description)" }.joined(separator: " ")
  }

  /// A described device, connected.
  private static func connected(_ file: String, _ world: World, _ phone: Device) async throws -> DescribedDevice {
    let central = Central(options: phone.options, clock: world.clock)
    await world.settle()
    let device = try DescribedDevice(try description(file), in: central, cryptography: SystemCryptography())
    try await world.perform { try await device.connect() }
    return device
  }

  private static func perform(
    _ device: DescribedDevice, _ world: World, _ command: String, _ values: [String: FieldValue] = [:]
  ) async -> String {
    do {
      return command + ": " + text(try await world.perform { try await device.perform(command, values) })
    } catch {
      return command + ": \(error)"
    }
  }

  @Test("I14.1 a lock with handshake and frames is cloned of a PacketLogger file, and its app cannot tell")
  func lock() async throws {
    let learned = try await clone(as: LogFiles.packetLogger) { world, phone in
      let lock = try await Self.connected("lock.json", world, phone)
      var seen: [String] = []
      for (command, values) in [
        ("status", [:]), ("unlock", ["pin": "123456"]), ("status", [:]), ("lock", [:]), ("unlock", ["pin": "999999"]),
        ("status", [:]),
      ] as [(String, [String: FieldValue])] {
        seen.append(await Self.perform(lock, world, command, values))
        await world.advance(by: .milliseconds(300))
      }
      return seen
    } of: {
      try await self.simulated("lock.json")($0, $1)
    }
    #expect(learned.recording.manufacturerData != nil)
    #expect(learned.counts.rules > 0)
  }

  @Test("I14.1 a band that notifies every two seconds is cloned of an Android log, and its app cannot tell")
  func band() async throws {
    let learned = try await clone(as: LogFiles.androidLog) { world, phone in
      let band = try await Self.connected("smart-band.json", world, phone)
      let heard = Guarded<[String]>([])
      let stream = band.notifications()
      let listening = world.start {
        for await notification in stream {
          heard.with { $0.append("\(notification.name) \(Self.text(notification.readings))") }
        }
      }
      await world.advance(by: .seconds(11))
      var seen = [await Self.perform(band, world, "steps")]
      seen.append(await Self.perform(band, world, "set-alarm", ["hour": 7, "minute": 30]))
      seen.append(await Self.perform(band, world, "alarm"))
      await world.advance(by: .seconds(5))
      listening.cancel()
      return seen + heard.with { $0 }
    } of: {
      try await self.simulated("smart-band.json")($0, $1)
    }
    #expect(learned.counts.streams > 0)
  }

  @Test(
    "I14.1 a thermometer that indicates and demands pairing is cloned with what it demands, and played by Core Bluetooth"
  )
  func thermometer() async throws {
    let learned = try await clone(as: LogFiles.androidLog) { world, phone in
      let app = CentralApp(phone.options)
      let found = try await app.meet("Thermometer", in: world)
      await found.read(try found.characteristic("2A1D"), in: world)
      await found.notify(true, try found.characteristic("2A1C"), in: world)
      await world.advance(by: .milliseconds(8_500))
      await found.notify(false, try found.characteristic("2A1C"), in: world)
      await found.read(try found.characteristic("FF32"), in: world)
      await found.write(Data([5]), to: try found.characteristic("FF32"), in: world)
      await found.read(try found.characteristic("FF32"), in: world)
      app.manager.cancelPeripheralConnection(found)
      await world.settle()
      return app.told.filter { $0.hasPrefix("value") || $0.hasPrefix("wrote") || $0.hasPrefix("notif") }
    } of: { world, device in
      let app = PeripheralApp(
        "Thermometer", on: device,
        services: [
          CBMutableService(
            "1809",
            [
              CBMutableCharacteristic("2A1C", [.indicate]),
              CBMutableCharacteristic("2A1D", [.read], value: Data([2])),
            ]),
          CBMutableService(
            "FF30",
            [CBMutableCharacteristic("FF32", [.read, .write], [.readEncryptionRequired, .writeEncryptionRequired])]),
        ])
      app.values[.of("FF32")] = Data([9])
      app.onWrite = { manager, requests in
        for request in requests { app.values[request.characteristic.uuid] = request.value }
        if let request = requests.first { manager.respond(to: request, withResult: .success) }
      }
      let ticking = world.start {
        for number in 0... as PartialRangeFrom<UInt8> {
          try await world.continuousClock.sleep(for: .seconds(2))
          app.push(Data([0, 0x6E + number, 0x01, 0, 0xFF]), "2A1C")
        }
      }
      await world.settle()
      return (app, ticking)
    } playing: { world, recording in
      #expect(ClonedRadio.obstacle(recording) != nil)
      let device = world.makeDevice("clone")
      let simulated = try SimulatedDevice(
        DeviceDescription(name: "Thermometer", recording: recording), options: device.options, clock: world.clock)
      try await world.perform { try await simulated.start() }
      return simulated
    }
    #expect(learned.recording.security.isEncrypted)
    #expect(learned.recording.attributes.contains { $0.readRefusal?.endsWithEncryption == true })
  }

  @Test("I14.1 a device out of a log is played in a world by a scripted device")
  func aCloneInAWorld() async throws {
    var log = LogScript()
    log.advertise(LogScript.lamp, [2, 1, 6, 5, 9] + Array("Lamp".utf8))
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.ask([0x0A, 0x03, 0])
    log.answer([0x0B] + Array("Lamp".utf8))
    let text = DeviceDescription(
      name: "Lamp", recording: DeviceLearner.learn(log.device(LogScript.lamp)).recording
    ).recordingText
    let description = try DeviceDescription(text: text ?? "", file: "lamp.json")

    let world = World()
    let lamp = world.makeScriptedDevice("lamp")
    if let recording = description.recording { lamp.play(recording) }
    let app = CentralApp(world.makeDevice("phone").options)
    let found = try await app.meet("Lamp", in: world)
    #expect(try found.characteristic("FFF1").properties == [.write, .writeWithoutResponse])
    #expect(found.services?.map(\.uuid.uuidString) == ["FFF0"])
  }
}
