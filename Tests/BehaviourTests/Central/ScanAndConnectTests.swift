import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 2 and 3: scanning and connecting on different controllers", .keepsCapture)
struct CentralScanAndConnectTests {
  /// Controllers that scan and connect simultaneously, those that don't, and those of before version 5.0.
  private static let quirks: [ControllerQuirks] = [
    [], .scanExcludesInitiating, .noExtendedAdvertising, [.scanExcludesInitiating, .noExtendedAdvertising],
  ]

  /// An app on a phone with such a controller, which scans with duplicates; a tag that waits, and another that advertises often.
  private func scene(_ quirks: ControllerQuirks) async throws -> (Meeting, CBPeripheral) {
    let meeting = try await Meeting.withTag { _, phone in
      phone.setController(ControllerConfiguration(quirks: quirks))
      phone.powerOff()
      phone.powerOn()
    }
    meeting.world.makeScriptedDevice("chatter").advertise(Advertisement.named("chatter"), isConnectable: false)
    meeting.central.scanWhenPoweredOn(allowingDuplicates: true)
    await meeting.world.advance(by: .seconds(1))
    meeting.central.forget()
    return (meeting, meeting.found)
  }

  private func chatterCount(_ meeting: Meeting, in duration: Duration) async -> Int {
    meeting.central.sightings = []
    await meeting.world.advance(by: duration)
    return meeting.central.names.count { $0 == "chatter" }
  }

  @Test(
    "B2.8 a scan continues while an app connects and when it is connected, whatever the controller", arguments: quirks)
  func scanGoesOn(_ quirks: ControllerQuirks) async throws {
    let (meeting, found) = try await scene(quirks)
    meeting.central.manager.connect(found)
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["connected tag"])
    #expect(meeting.central.manager.isScanning)
    let takesTurns = meeting.world.logLines.contains { $0.text.contains("they take turns") }
    #expect(takesTurns == quirks.contains(.scanExcludesInitiating))
    #expect(await chatterCount(meeting, in: .seconds(10)) > 50)
  }

  @Test(
    "B2.8 a scan continues during a pending connection, and the awaited device is found when it appears",
    arguments: quirks)
  func patientConnecting(_ quirks: ControllerQuirks) async throws {
    let (meeting, found) = try await scene(quirks)
    meeting.tag?.cutPower()
    await meeting.world.advance(by: .seconds(1))
    meeting.central.manager.connect(found)
    // Two intervals of each: half of what a scan alone receives.
    for _ in 0..<4 { #expect(await chatterCount(meeting, in: .seconds(10)) > 30) }
    #expect(found.state == .connecting && meeting.central.told.isEmpty)
    meeting.tag?.restorePower()
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["connected tag"])
    #expect(await chatterCount(meeting, in: .seconds(10)) > 50)
  }

  @Test("B2.8 an app may stop its scan right after it has requested a connection", arguments: quirks)
  func stoppedScan(_ quirks: ControllerQuirks) async throws {
    let (meeting, found) = try await scene(quirks)
    meeting.central.queue.sync {
      meeting.central.manager.connect(found)
      meeting.central.manager.stopScan()
    }
    await meeting.world.advance(by: .seconds(5))
    #expect(meeting.central.told == ["connected tag"])
  }

  @Test("B2.8 a scan that starts during a pending connection finds devices", arguments: quirks)
  func laterScan(_ quirks: ControllerQuirks) async throws {
    let (meeting, found) = try await scene(quirks)
    meeting.central.manager.stopScan()
    meeting.tag?.cutPower()
    await meeting.world.advance(by: .seconds(1))
    meeting.central.manager.connect(found)
    await meeting.world.advance(by: .seconds(5))
    meeting.central.forget()
    meeting.central.manager.scanForPeripherals(withServices: nil)
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.names == ["chatter"])
    meeting.central.manager.cancelPeripheralConnection(found)
    meeting.central.manager.stopScan()
    meeting.tag?.restorePower()
    meeting.central.manager.connect(found)
    await meeting.world.advance(by: .seconds(5))
    #expect(meeting.central.told == ["disconnected tag", "connected tag"])
  }

  @Test("B3.8 a controller that refuses to end a connection is asked again", arguments: [1, 5])
  func stubbornController(_ refusals: Int) async throws {
    let meeting = try await Meeting.withTag().connected()
    // HCI_Disconnect, Command Disallowed.
    meeting.phone.inject(.refuseCommands(opcode: 0x0406, error: 0x0C, count: refusals))
    await meeting.world.settle()
    meeting.central.manager.cancelPeripheralConnection(meeting.found)
    await meeting.world.settle()
    #expect(meeting.central.told == ["disconnected tag"])
    meeting.central.manager.connect(meeting.found)
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["disconnected tag", "connected tag"] && meeting.tag?.connectionCount == 2)
    #expect(meeting.complaints.count == refusals)
  }
}
