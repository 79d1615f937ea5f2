import BLECore
import BLEHCI
import BLEWire
import Testing

@Suite("Starting a controller")
struct StartUpTests {
  @Test("the controller is reset, read and configured, and then ready")
  func ready() async throws {
    let bench = HostBench()
    bench.controller.start()
    #expect(bench.heard.states == [.starting])
    await bench.settle()
    let features = try #require(bench.controller.features)
    #expect(features.version == .v5_4)
    #expect(features.publicAddress == DeviceAddress(0x0012_3456_789A, kind: .public))
    #expect(features.aclDataPacketLength == 27)
    #expect(features.aclDataPacketCount == 4)
    #expect(features.maximumTransmitOctets == 251)
    #expect(features.advertisingSetCount == 4)
    #expect(features.maximumAdvertisingDataLength == 1650)
    #expect(features.transmitPower == -20...8)
    #expect(features.supportsExtendedAdvertising)
    #expect(bench.heard.states == [.starting, .ready(features)])
    #expect(bench.chip.sentCommands.first == HCIReset.opcode)
    #expect(bench.chip.sentCommands.contains(LESetEventMask.opcode))
    #expect(!bench.chip.sentCommands.contains(HCIReadBufferSize.opcode))
    #expect(!bench.chip.sentCommands.contains(HCIWriteLEHostSupport.opcode))
  }

  @Test("a controller without buffers for LE shares those of BR/EDR")
  func sharedBuffers() async {
    let bench = await HostBench.started { chip, _ in chip.lowEnergyBuffers = (0, 0) }
    #expect(bench.controller.features?.aclDataPacketLength == 1021)
    #expect(bench.controller.features?.aclDataPacketCount == 6)
  }

  @Test("a controller with only the required commands is ready too, with fewer features")
  func oldController() async {
    let bench = await HostBench.started { chip, _ in
      chip.commands = HCISupportedCommands(octets: [])
      chip.leFeatures = []
    }
    #expect(bench.controller.features?.supportsExtendedAdvertising == false)
    #expect(bench.controller.features?.supportsDataLengthExtension == false)
    #expect(bench.controller.features?.publicAddress == nil)
  }

  @Test("a controller with too small buffers is unusable, and is not tried again")
  func noBuffers() async {
    let bench = HostBench { chip, _ in
      chip.lowEnergyBuffers = (0, 0)
      chip.sharedBuffers = (20, 1)
    }
    bench.controller.start()
    await bench.settle()
    guard case .failed(.unsuitable) = bench.controller.state else {
      Issue.record("\(bench.controller.state)")
      return
    }
    #expect(bench.chipCount == 1)
  }

  @Test("I13.1 a controller without LE commands is unusable, and is not tried again", arguments: [false, true])
  func noLowEnergy(comesBack: Bool) async {
    let opcode = LEReadLocalSupportedFeatures.opcode
    let bench = HostBench { chip, _ in
      chip.comesBack = comesBack
      chip.answers[opcode] = [HCIPacket.commandStatus(.unknownCommand, of: opcode)]
    }
    bench.controller.start()
    await bench.advance(.seconds(600))
    #expect(bench.controller.state == .failed(.unsuitable("the controller does not support Bluetooth LE")))
    #expect(bench.chipCount == 1)
  }

  @Test("a refusal of a required command leads to a bounded number of tries")
  func refusal() async {
    let refusal = HCIPacket.commandStatus(.hardwareFailure, of: LESetEventMask.opcode)
    let bench = HostBench { chip, _ in chip.answers[LESetEventMask.opcode] = [refusal] }
    bench.controller.start()
    await bench.settle()
    #expect(bench.controller.state == .failed(.refused(LESetEventMask.opcode, .hardwareFailure)))
    #expect(bench.chipCount == 6)
  }

  @Test("a transport that cannot be reached is tried again; one that is not permitted is not")
  func unreachable() async {
    let unreachable = TransportError(.unreachable, "nobody listens")
    let bench = HostBench { chip, number in if number < 2 { chip.openError = unreachable } }
    bench.controller.start()
    #expect(bench.controller.state == .resetting(.transport(unreachable)))
    await bench.settle()
    #expect(bench.controller.features != nil)
    #expect(bench.chipCount == 3)

    let denied = TransportError(.notPermitted, "no")
    let other = HostBench { chip, _ in chip.openError = denied }
    other.controller.start()
    #expect(other.controller.state == .failed(.transport(denied)))
  }

  @Test("nothing is sent and nothing times out before the transport is ready")
  func lateTransport() async {
    let bench = HostBench { chip, _ in chip.isReady = false }
    bench.controller.start()
    await bench.advance(.seconds(60))
    #expect(bench.controller.state == .starting)
    #expect(bench.chip.sent.isEmpty)
    bench.chip.becomeReady()
    await bench.settle()
    #expect(bench.controller.features != nil)
  }

  @Test(
    "I12.1 a controller that the transport waits for is started when it appears, and its loss counts as no failure")
  func waiting() async {
    let bench = await HostBench.started { chip, number in chip.isReady = number == 0 }
    let cause = TransportError(.switchedOff, "rfkill")
    // More often than a failing controller is tried.
    for number in 1...20 {
      bench.chip.fail(TransportError(.closed, "unplugged"))
      await bench.settle()
      #expect(bench.controller.state == .starting && bench.chipCount == number + 1)
      bench.chip.wait(cause)
      #expect(bench.controller.state == .waiting(cause))
      await bench.advance(.seconds(60))
      bench.controller.start()
      #expect(bench.controller.state == .waiting(cause) && bench.chip.sent.isEmpty)
      bench.chip.becomeReady()
      await bench.settle()
      #expect(bench.controller.features != nil)
      // Too late: it is there.
      bench.chip.wait(cause)
      #expect(bench.controller.features != nil)
      #expect(bench.controller.counters.losses == number && bench.controller.counters.returns == number)
    }
    bench.chip.fail(TransportError(.closed, "unplugged"))
    await bench.settle()
    bench.chip.wait(cause)
    bench.controller.stop()
    #expect(bench.controller.state == .stopped && !bench.chip.isOpen)
    bench.chip.becomeReady()
    #expect(bench.controller.state == .stopped && bench.chip.sent.isEmpty)
  }

  @Test("I12.1 a controller whose transport comes back is tried without a limit, finally twice a minute")
  func comesBack() async {
    let unreachable = TransportError(.unreachable, "not yet")
    let bench = HostBench { chip, number in
      chip.comesBack = true
      if number < 24 { chip.openError = unreachable }
    }
    bench.controller.start()
    // 8.6 s for the first five tries, then 30 s for each.
    await bench.advance(.milliseconds(8_600 + 17 * 30_000))
    #expect(bench.controller.state == .resetting(.transport(unreachable)) && bench.chipCount == 23)
    await bench.advance(.seconds(61))
    #expect(bench.controller.features != nil && bench.chipCount == 25)

    let denied = TransportError(.notPermitted, "no")
    let other = HostBench { chip, _ in
      chip.comesBack = true
      chip.openError = denied
    }
    other.controller.start()
    #expect(other.controller.state == .failed(.transport(denied)))
  }

  @Test("a transport that ends is resetting and ready again on a new one")
  func death() async {
    let bench = await HostBench.started()
    let first = bench.chip
    let error = TransportError(.closed, "unplugged")
    first.fail(error)
    #expect(bench.controller.state == .resetting(.transport(error)))
    #expect(!first.isOpen)
    await bench.settle()
    #expect(bench.controller.features != nil)
    #expect(bench.chipCount == 2)
    // Packets of the old one are ignored.
    let events = bench.heard.events.count
    first.connect(1)
    #expect(bench.heard.events.count == events)
    #expect(bench.controller.link(ConnectionHandle(1)) == nil)
  }

  @Test("a controller that fails repeatedly is given up; one that was stable is not")
  func flapping() async {
    let bench = await HostBench.started()
    for _ in 0..<5 {
      bench.chip.fail(TransportError(.closed, "gone"))
      await bench.settle()
    }
    #expect(bench.controller.features != nil)
    bench.chip.fail(TransportError(.closed, "gone"))
    #expect(bench.controller.state == .failed(.transport(TransportError(.closed, "gone"))))

    bench.controller.start()
    await bench.settle()
    for _ in 0..<20 {
      await bench.advance(.seconds(11))
      bench.chip.fail(TransportError(.closed, "gone"))
      await bench.settle()
    }
    #expect(bench.controller.features != nil)
  }

  @Test("stopping silences the controller, closes the transport and can be followed by a start")
  func stopping() async {
    let bench = await HostBench.started()
    let chip = bench.chip
    bench.controller.stop()
    #expect(chip.sentCommands == [HCIReset.opcode])
    #expect(!chip.isOpen)
    #expect(bench.controller.state == .stopped)
    await bench.start()
    #expect(bench.controller.features != nil)
  }

  @Test("a tap gets both directions")
  func tap() async {
    final class Tap: HCITap {
      var heard: [(HCIPacketKind, HCIDirection)] = []
      func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
        heard.append((packet.kind, direction))
      }
    }
    let tap = Tap()
    let bench = HostBench()
    bench.controller.tap = tap
    await bench.start()
    #expect(tap.heard[0] == (.command, .toController))
    #expect(tap.heard[1] == (.event, .toHost))
  }
}
