import BLETestKit
import BLEVirtualRadio
import CoreBluetooth
import TestSupport
import Testing

/// Controllers that stop or hang, as the SweynTooth attacks make them do: the host cannot repair them; it has to notice, reset and report
/// that.
@Suite("S18 controllers that stop or hang")
struct ControllerFaultTests {
  @Test("S18 hardware that fails at any moment is reported and reset, and everything works afterwards")
  func hardwareFailures() async throws {
    // Scanning, connecting, discovering, reading: the failure falls into each of these.
    for step in 1...24 {
      try await withWorld(seed: UInt64(step) + 1) { world in
        let patient = Patient(in: world)
        await world.advance(by: .milliseconds(20 * step))
        patient.device.resetController()
        await world.advance(by: .seconds(60))
        #expect(patient.hasRecovered, "step \(step): \(patient.app.told)")
        #expect(patient.app.values.last == Patient.value, "step \(step): \(patient.app.told)")
      }
    }
  }

  @Test("S18 a controller that hangs during a link is noticed and reset, and that is reported")
  func hang() async throws {
    for step in 0..<6 {
      try await withWorld(seed: UInt64(step) + 1) { world in
        let patient = Patient(in: world)
        await world.advance(by: .milliseconds(2_000 + 37 * step))
        #expect(!patient.app.values.isEmpty, "\(patient.app.told)")
        patient.device.inject(.hang)
        patient.app.read("FFF1")
        // The request's time-out of 30 s, then the command's of 10 s.
        await world.advance(by: .seconds(90))
        #expect(patient.hasRecovered, "\(patient.app.told)")
        #expect(patient.app.values.count > 1 && patient.app.values.last == Patient.value, "\(patient.app.told)")
      }
    }
  }

  @Test("S18 a controller that runs but delivers nothing ends in the request's time-out, not in a hang")
  func silentLink() async throws {
    try await withWorld(seed: 3) { world in
      let patient = Patient(in: world)
      await world.advance(by: .seconds(2))
      let read = patient.app.values.count
      #expect(read > 0)
      patient.device.inject(.loseDataToHost(packets: 1))
      patient.app.read("FFF1")
      await world.advance(by: .seconds(60))
      #expect(patient.app.told.count { $0.hasPrefix("disconnected") } == 1, "\(patient.app.told)")
      #expect(patient.app.values.count > read, "\(patient.app.told)")
      #expect(patient.app.manager.state == .poweredOn)
    }
  }
}

/// A central that wants one value of `server`, and starts over whenever it loses it.
private struct Patient {
  static let value = Data("still here".utf8)
  let device: Device
  let app: CentralApp
  private let server: PeripheralApp

  init(in world: World) {
    device = world.makeDevice("patient")
    app = CentralApp(device.options)
    // Requested each time: a value cached by the stack would hide a dead link.
    let characteristic = CBMutableCharacteristic("FFF1", .read)
    server = PeripheralApp(
      "server", on: world.makeDevice("server"), services: [CBMutableService("FFF0", [characteristic])])
    server.value = Self.value
    app.onWalked = { [unowned app] in app.read("FFF1") }
    for end in ["disconnected", "failed"] { app.reactions[end] = { [unowned app] in app.seekAgain() } }
    app.seek("server")
  }

  /// The fault was reported, and after it that Bluetooth is on again.
  var hasRecovered: Bool {
    guard let fault = app.told.lastIndex(of: "state 1") else { return false }
    return app.told[fault...].contains("state 5") && app.manager.state == .poweredOn
  }
}
