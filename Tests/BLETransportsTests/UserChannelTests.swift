import BLECore
import BLEHCI
import BLEWire
import Dispatch
import Glibc
import Testing

@testable import BLETransports

/// The user channel's transport, with a controller's host on it, on a scripted kernel.
@Suite("The user channel", .timeLimit(.minutes(10)))
struct UserChannelTests {
  private struct Scene {
    let rig = Rig()
    let kernel: LoopBound<ScriptedKernel>

    init(
      _ selector: KernelAdapterSelector = .any, _ prepare: @escaping @Sendable (ScriptedKernel) -> Void = { _ in }
    ) async {
      let rig = rig
      kernel = await rig.run { rig in
        let kernel = ScriptedKernel(on: rig.loop.queue)
        prepare(kernel)
        var configuration = HCIController.Configuration()
        configuration.commandTimeout = .milliseconds(50)
        configuration.restartDelays = Array(repeating: .milliseconds(1), count: 3)
        configuration.lastRestartDelay = .milliseconds(1)
        let host = HCIController(loop: rig.loop, configuration: configuration) { () throws(TransportError) in
          UserChannelTransport(selector, loop: rig.loop, kernel: kernel.kernel)
        }
        host.delegate = rig
        rig.host = host
        host.start()
        return LoopBound(kernel)
      }
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable (ScriptedKernel, HCIController) -> Value) async -> Value? {
      await rig.run { rig in rig.host.map { body(kernel.value, $0) } }
    }

    /// Waits until the adapter has been ready this many times.
    func ready(_ count: Int) async { await rig.until { $0.readyCount >= count } }

    /// Waits for a cause of waiting; the next one, where there are some already.
    func waiting(_ number: Int = 1) async -> TransportError? {
      await rig.until { $0.causes.count >= number }
      return await rig.run { $0.happened.causes[number - 1] }
    }

    func tearDown() async { await rig.tearDown() }
  }

  @Test("I12.1 an adapter is used in the state it was found in, and left in that state", arguments: [true, false])
  func taken(_ isPowered: Bool) async {
    let scene = await Scene { $0.plug(2, .init(isPowered: isPowered)) }
    await scene.ready(1)
    await scene.tearDown()
    let asked = await scene.run { kernel, _ in kernel.asked }
    #expect(asked == (isPowered ? ["off 2", "open 2", "on 2"] : ["open 2"]))
  }

  @Test("I12.1 an adapter that is unplugged while nothing is sent to it ends the channel")
  func errorAlone() async {
    let queue = DispatchQueue(label: "channel")
    let error: Int32 = await withCheckedContinuation { continuation in
      queue.async {
        final class Kept { var channel: UserChannel? }
        let (kept, socket) = (Kept(), Self.deadEnd())
        kept.channel = UserChannel(socket, on: queue, receive: { _ in }) { error in
          kept.channel = nil
          continuation.resume(returning: error)
        }
        _ = Glibc.write(socket.number, "x", 1)
      }
    }
    #expect(error == ECONNREFUSED)
  }

  @Test(
    "I12.1 a channel of which the kernel has dropped packets ends: what they said is not known",
    arguments: [false, true])
  func dropped(_ isOverrun: Bool) async {
    let queue = DispatchQueue(label: "channel")
    let (socket, sender) = Self.datagrams()
    // Each with what makes it an event; more than there is room for, or fewer.
    for _ in 0..<(isOverrun ? 2_000 : 100) { _ = Glibc.write(sender.number, [0x04, 0xFF, 0x00], 3) }
    final class Kept {
      var channel: UserChannel?
      var received = 0
    }
    let outcome: (error: Int32, received: Int) = await withCheckedContinuation { continuation in
      queue.async {
        let kept = Kept()
        kept.channel = UserChannel(
          socket, on: queue,
          receive: { _ in
            kept.received += 1
            guard !isOverrun, kept.received == 100 else { return }
            kept.channel?.close()
            continuation.resume(returning: (0, kept.received))
          },
          end: { error in
            kept.channel = nil
            continuation.resume(returning: (error, kept.received))
          })
      }
    }
    #expect(outcome == (isOverrun ? (ENOBUFS, 64) : (0, 100)))
    withExtendedLifetime(sender) {}
  }

  /// Two sockets of which the first has room for what the second sends as the kernel's Bluetooth sockets have.
  private static func datagrams() -> (receiver: FileDescriptor, sender: FileDescriptor) {
    let ends = (0..<2).map { _ in FileDescriptor(socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var (length, room) = (socklen_t(MemoryLayout<sockaddr_in>.size), Int32(106_496))
    setsockopt(ends[0].number, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = Glibc.bind(ends[0].number, address, length)
        _ = getsockname(ends[0].number, address, &length)
        _ = Glibc.connect(ends[1].number, address, length)
      }
    }
    ends[0].setNonBlocking()
    return (ends[0], ends[1])
  }

  /// A socket whose peer has gone. Writing leaves an error and nothing to read, as with an adapter that is unplugged.
  private static func deadEnd() -> FileDescriptor {
    let (end, gone) = (socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0), socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = Glibc.bind(gone, address, length)
        _ = getsockname(gone, address, &length)
        _ = Glibc.connect(end, address, length)
      }
    }
    Glibc.close(gone)
    let descriptor = FileDescriptor(end)
    descriptor.setNonBlocking()
    return descriptor
  }

  @Test("I12.1 without an adapter the transport waits for one, and looks only when one comes or goes")
  func noAdapter() async {
    let scene = await Scene()
    let cause = await scene.waiting()
    #expect(cause?.kind == .unreachable && cause?.description.contains("no Bluetooth adapter: plug one in") == true)
    #expect(await scene.run { kernel, _ in kernel.looks } == 1)
    _ = await scene.run { kernel, _ in kernel.plug(0) }
    await scene.ready(1)
    #expect(await scene.run { kernel, _ in kernel.looks } == 2)
    await scene.tearDown()
  }

  @Test(
    "I12.1 an adapter unplugged 20 times comes back each time; a later one with its number is left unchanged"
  )
  func removals() async {
    let scene = await Scene(.index(1)) {
      $0.plug(0)
      $0.plug(1)
    }
    for number in 1...20 {
      await scene.ready(number)
      // A controller that appears immediately, and one that appears only when it is waited for.
      _ = await scene.run { kernel, _ in kernel.unplug(1) }
      if number % 2 == 0 { _ = await scene.waiting(number / 2) }
      _ = await scene.run { kernel, _ in kernel.plug(1, .init(isPowered: number % 3 == 0)) }
    }
    await scene.ready(21)
    let counters = await scene.run { _, host in host.counters }
    #expect(counters?.losses == 20 && counters?.returns == 20)
    await scene.tearDown()
    let asked = await scene.run { kernel, _ in kernel.asked } ?? []
    #expect(!asked.contains { $0.hasSuffix(" 0") })
    // The last was off when it appeared.
    #expect(asked.count { $0 == "off 1" } == asked.count { $0 == "forget 1" } && !asked.contains("on 1"))
  }

  @Test(
    "I12.1 an adapter blocked by rfkill is off for programs, and comes back when it is unblocked, without polling"
  )
  func blocked() async {
    let scene = await Scene { $0.plug(0, .init(isPowered: false, isBlocked: true)) }
    let cause = await scene.waiting()
    #expect(cause?.kind == .switchedOff && cause?.description.contains("rfkill unblock bluetooth") == true)
    // Another one comes and goes: this one is read, and not requested again.
    for _ in 0..<20 {
      _ = await scene.run { kernel, _ in
        kernel.plug(1, .init(supportsLowEnergy: false))
        kernel.unplug(1)
      }
    }
    #expect(await scene.run { kernel, _ in kernel.asked } == ["open 0"])
    #expect(await scene.run { kernel, _ in kernel.looks } ?? 0 < 45)
    _ = await scene.run { kernel, _ in kernel.change(0) { $0.isBlocked = false } }
    await scene.ready(1)
    await scene.tearDown()
  }

  @Test(
    "I12.1 the error names the kind of block, and what to do",
    arguments: [
      ("hci0", false, true, "Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth"),
      ("hci0", true, false, "a switch of the machine has Bluetooth off (hard block of rfkill): find the switch"),
      (
        "platform-bt", true, true,
        "a switch of the machine has Bluetooth off (hard block of rfkill): find the switch, then rfkill unblock bluetooth"
      ),
      ("hci0", false, false, "Bluetooth is blocked by rfkill: rfkill unblock bluetooth, or the switch of the machine"),
    ])
  func kindsOfBlocks(_ name: String, _ isHard: Bool, _ isSoft: Bool, _ text: String) async {
    let scene = await Scene {
      $0.radioSwitches = [
        RadioSwitch(name: "hci7", isHardBlocked: false, isSoftBlocked: false),
        RadioSwitch(name: name, isHardBlocked: isHard, isSoftBlocked: isSoft),
      ]
      $0.plug(0, .init(isPowered: false, isBlocked: true))
    }
    #expect(await scene.waiting() == TransportError(.switchedOff, "hci0: \(text)"))
    await scene.tearDown()
  }

  @Test("I12.1 where rfkill cannot be read, a blocked adapter is read from time to time")
  func blockedInTheDark() async {
    let scene = await Scene {
      $0.tellsSwitches = false
      $0.plug(0, .init(isPowered: false, isBlocked: true))
    }
    #expect(await scene.waiting()?.kind == .switchedOff)
    _ = await scene.run { kernel, _ in kernel.change(0) { $0.isBlocked = false } }
    await scene.ready(1)
    await scene.tearDown()
  }

  @Test("I12.1 a blocked adapter that is unplugged is no longer switched off but missing")
  func causeChanges() async {
    let scene = await Scene { $0.plug(0, .init(isPowered: false, isBlocked: true)) }
    #expect(await scene.waiting()?.kind == .switchedOff)
    _ = await scene.run { kernel, _ in kernel.unplug(0) }
    #expect(await scene.waiting(2)?.kind == .unreachable)
    _ = await scene.run { kernel, _ in kernel.plug(0) }
    await scene.ready(1)
    await scene.tearDown()
  }

  @Test(
    "I12.1 without the privilege there is no waiting, and the error has the command to type", arguments: [true, false])
  func unprivileged(_ isPowered: Bool) async {
    let scene = await Scene {
      $0.isPrivileged = false
      $0.plug(0, .init(isPowered: isPowered))
    }
    await scene.rig.until { $0.failure != nil }
    let failure = await scene.rig.run { $0.happened.failure }
    #expect(failure?.kind == .notPermitted)
    #expect(failure?.description.contains("sudo setcap cap_net_admin+ep /") == true)
    _ = await scene.run { kernel, _ in kernel.plug(1) }
    #expect(await scene.run { kernel, _ in kernel.looks } == 1)
    await scene.tearDown()
  }

  @Test("I12.1 an adapter in use by another program is waited for until that program releases it")
  func takenByAnother() async {
    let scene = await Scene(.index(0)) { $0.plug(0, .init(isPowered: false, isTaken: true)) }
    #expect(await scene.waiting()?.kind == .unreachable)
    _ = await scene.run { kernel, _ in kernel.change(0) { $0.isTaken = false } }
    await scene.ready(1)
    await scene.tearDown()
  }

  @Test("I12.1 an adapter that is busy for a moment is tried again", arguments: [EBUSY, EALREADY, ENODEV])
  func busy(_ error: Int32) async {
    let scene = await Scene { $0.plug(0, .init(refusals: (error, 2))) }
    await scene.ready(1)
    await scene.tearDown()
    #expect(await scene.run { kernel, _ in kernel.asked.last } == "on 0")
  }

  @Test(
    "I12.1 an adapter that stays busy is reported after 30 tries with cause and remedy, and used when it is free",
    arguments: [
      (
        EBUSY, TransportError.Kind.unreachable,
        "hci: hci0 is in use (Device or resource busy): stop what uses it: sudo systemctl stop bluetooth"
      ),
      (
        EALREADY, .unreachable,
        "hci: hci0 is still being switched on or off (Operation already in progress): stop what does so: sudo systemctl stop bluetooth"
      ),
      (ENODEV, .closed, "hci: hci0 comes and goes (No such device): plug it in again"),
    ])
  func busyForLong(_ error: Int32, _ kind: TransportError.Kind, _ text: String) async {
    let scene = await Scene { $0.plug(0, .init(refusals: (error, AdapterSearch.attempts))) }
    #expect(await scene.waiting() == TransportError(kind, text))
    let asked = await scene.run { kernel, _ in kernel.asked } ?? []
    // No event says that it is free: it is tried again a second later, which may have passed.
    #expect((30...31).contains(asked.count { $0 == "open 0" }) && asked.contains("on 0"))
    await scene.ready(1)
    await scene.tearDown()
  }

  @Test("I13.1 an adapter without LE is reported, and not waited for")
  func unsuitable() async {
    let scene = await Scene(.index(0)) { $0.plug(0, .init(supportsLowEnergy: false)) }
    let cause = TransportError(.unsuitable, "hci:0: hci0 cannot do Bluetooth LE")
    await scene.rig.until { $0.contains(.state(.failed(.transport(cause)))) }
    #expect(await scene.run { kernel, _ in kernel.asked.isEmpty } == true)
    await scene.tearDown()
  }

  @Test("I12.1 an adapter that is missing, or not configured, is reported and waited for")
  func unconfigured() async {
    let scene = await Scene(.index(0)) { _ in }
    _ = await scene.waiting()
    _ = await scene.run { kernel, _ in kernel.plug(0, .init(isUnconfigured: true)) }
    let cause = await scene.waiting(2)
    #expect(cause?.description.contains("sudo btmgmt --index hci0 public-addr <address>") == true)
    #expect(await scene.run { kernel, _ in kernel.asked.isEmpty } == true)
    _ = await scene.run { kernel, _ in kernel.plug(0) }
    await scene.ready(1)
    await scene.tearDown()
  }

  @Test(
    "I12.1 a controller that stops answering, as after a suspension, is restarted, more often than it could fail"
  )
  func silence() async {
    let scene = await Scene { $0.plug(0) }
    for number in 1...8 {
      await scene.ready(number)
      _ = await scene.run { kernel, host in
        kernel.channels[0]?.isSilent = true
        host.send(HCIReset()) { _ in }
      }
    }
    await scene.ready(9)
    await scene.tearDown()
  }

  @Test("I12.1 a transport that is closed at any step leaves the adapter as it was", arguments: 0..<12)
  func closedInTheMiddle(_ turns: Int) async {
    let scene = await Scene { $0.plug(0) }
    for _ in 0..<turns { _ = await scene.run { _, _ in } }
    await scene.tearDown()
    // Earlier requests are answered, and their consequences follow.
    for _ in 0..<12 { _ = await scene.run { _, _ in } }
    let asked = await scene.run { kernel, _ in kernel.asked } ?? []
    #expect(asked.count { $0 == "off 0" } == asked.count { $0 == "on 0" }, "\(asked)")
    #expect(await scene.run { kernel, _ in kernel.adapters[0]?.isPowered } == true)
  }
}

extension [Rig.Happening] {
  /// Why the controller was waited for.
  var causes: [TransportError] {
    compactMap { if case .state(.waiting(let cause)) = $0 { cause } else { nil } }
  }
}
