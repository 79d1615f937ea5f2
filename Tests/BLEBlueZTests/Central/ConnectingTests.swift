import BLEAdapter
import BLECore
import BLEHost
import Testing

@testable import BLEBlueZ

@Suite("Connecting through BlueZ's daemon")
struct ConnectingTests {
  private let device = ScriptedDaemon.device
  private let isUp = "connected \(ScriptedDaemon.address)"

  @Test("I12.2 a device is connected and disconnected, and connections by other programs are reported")
  func connectAndLeave() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { $0.change(["UUIDs": .texts(["180D"])]) }
    try await fixture.connected()
    #expect(fixture.recorder.lines.contains("link up 180D"))
    #expect(try fixture.stack.connectedPeers(withServices: [BLEUUID(0x180D)]) == [fixture.peer])
    try await fixture.cancel()
    await fixture.recorder.wait(for: "disconnected requested")
    await daemon.wait(for: "Disconnect", at: device)
    await fixture.recorder.wait(for: "link down 180D")
    #expect(fixture.stack.connectedPeers(withServices: [BLEUUID(0x180D)]).isEmpty)
    // Again immediately, while the daemon may still be working on it.
    try await fixture.connect()
    await fixture.recorder.wait(for: isUp, count: 2)
  }

  @Test("I12.2 a connection stays pending without a time limit, whatever the daemon answers")
  func retries() async throws {
    let refusals = [
      BusError("org.bluez.Error.InProgress", "Operation already in progress"),
      BusError("org.bluez.Error.Failed", "le-connection-abort-by-local"),
      BusError(BusError.noReply, ""), BusError("org.bluez.Error.NotReady", "Resource Not Ready"),
    ]
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        let count = world.count("Connect", at: ScriptedDaemon.device)
        if count <= refusals.count { request.refuse(refusals[count - 1]) } else { world.answer(request) }
      }
    }
    try await fixture.connected()
    #expect(try await daemon.run { $0.count("Connect", at: ScriptedDaemon.device) } == 5)
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("failed") })
  }

  @Test("I12.2 a Connect that the daemon never answers is withdrawn, and called again")
  func unanswered() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice(speed: 40) { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        guard world.count("Connect", at: ScriptedDaemon.device) == 1 else { return world.answer(request) }
        world.held.append(request)
      }
    }
    try await fixture.connected()
    #expect(try await daemon.run { $0.count("Disconnect", at: ScriptedDaemon.device) } == 1)
    #expect(try await daemon.run { $0.count("Connect", at: ScriptedDaemon.device) } == 2)
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("failed") || $0.hasPrefix("disconnected") })
  }

  @Test(
    "I12.5 a daemon that does not report that the device is connected is asked",
    arguments: [true, false])
  func untold(answers: Bool) async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        world.put(ScriptedDaemon.device, BlueZName.device, ["Connected": .boolean(true)])
        if answers { request.answer() } else { world.held.append(request) }
        world.change(["ServicesResolved": .boolean(true)])
      }
    }
    try await fixture.connected()
    #expect(try await daemon.run { $0.count("Connect", at: ScriptedDaemon.device) } == 1)
  }

  @Test(
    "I12.2 a device without an object of the daemon's is found first, and found again where it was removed in between")
  func found() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.remove(ScriptedDaemon.device)
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        guard world.count("Connect", at: ScriptedDaemon.device) == 1 else { return world.answer(request) }
        // No answer, and the object is removed.
        world.held.append(request)
        world.remove(ScriptedDaemon.device)
      }
    }
    _ = try fixture.peer
    try await fixture.connect()
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
    try await daemon.run { $0.addDevice(["RSSI": .int16(-40)]) }
    await daemon.wait(for: "Connect", at: device)
    await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter, count: 2)
    try await daemon.run { $0.addDevice() }
    await fixture.recorder.wait(for: isUp)
    await daemon.wait(for: "StopDiscovery", at: ScriptedDaemon.adapter, count: 2)
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("found") })
  }

  @Test("I12.2 a pending connection is cancelled, and in the daemon with it")
  func givenUp() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in world.held.append(request) }
    }
    try await fixture.connect()
    await daemon.wait(for: "Connect", at: device)
    try await fixture.cancel()
    await fixture.recorder.wait(for: "disconnected requested")
    await daemon.wait(for: "Disconnect", at: device)
    // Its answer comes late, and twice.
    try await daemon.run { world in
      let late = world.held
      world.held = []
      world.script("Connect", at: ScriptedDaemon.device, nil)
      for request in late {
        request.refuse(BusError("org.bluez.Error.Failed", "Operation canceled"))
        request.answer()
      }
    }
    try await fixture.connected()
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("failed") })
  }

  @Test(
    "I12.2 the end of a link has the reason that newer daemons report, else the peer has closed it",
    arguments: [
      ("org.bluez.Reason.Timeout", "lost"), ("org.bluez.Reason.Remote", "closedByPeer"), ("", "closedByPeer"),
    ])
  func reasons(reason: String, shown: String) async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    try await fixture.connected()
    try await daemon.run { world in
      if !reason.isEmpty {
        world.emit("Disconnected", of: BlueZName.device, at: ScriptedDaemon.device, [.string(reason), .string("why")])
      }
      world.change(["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
    }
    await fixture.recorder.wait(for: "disconnected \(shown)")
    #expect(fixture.recorder.lines.filter { $0.hasPrefix("disconnected") }.count == 1)
  }

  @Test("I12.2 a device whose object is removed has lost its link")
  func removed() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    try await fixture.connected()
    try await daemon.run { $0.remove(ScriptedDaemon.device) }
    await fixture.recorder.wait(for: "disconnected closedByPeer")
    await fixture.recorder.wait(for: "link down ")
  }

  @Test("I12.2 a peer that has lost its keys ends the attempt")
  func bondLost() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        world.change(["Connected": .boolean(true)])
        world.emit(
          "Disconnected", of: BlueZName.device, at: ScriptedDaemon.device,
          [.string("org.bluez.Reason.Authentication"), .string("")])
        world.change(["Connected": .boolean(false)])
        request.refuse(BusError("org.bluez.Error.Failed", "le-connection-abort-by-remote"))
      }
    }
    try await fixture.connect()
    await fixture.recorder.wait(for: "failed bondLost")
    _ = daemon
  }

  @Test("I12.2 two centrals share a link, which ends with the last of them")
  func shared() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    let (stack, other) = (fixture.stack, CentralRecorder())
    let second = await fixture.run { _ in LoopBound(stack.makeCentral(events: other)) }
    let peer = try fixture.peer.identifier
    try await fixture.connected()
    await fixture.run { _ in second.value.connect(peer, options: ConnectionOptions()) }
    await other.wait(for: isUp)
    #expect(try await daemon.run { $0.count("Connect", at: ScriptedDaemon.device) } == 1)
    try await fixture.cancel()
    await fixture.recorder.wait(for: "disconnected requested")
    #expect(try await daemon.run { $0.count("Disconnect", at: ScriptedDaemon.device) } == 0)
    await fixture.run { _ in second.value.close() }
    await daemon.wait(for: "Disconnect", at: device)
  }

  @Test("I12.2 an existing link is shared, and not ended")
  func joined() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.change(["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
      world.script("Connect", at: ScriptedDaemon.device) { request, _ in
        request.refuse(BusError("org.bluez.Error.AlreadyConnected", "Already Connected"))
      }
    }
    try await fixture.connected()
    try await fixture.cancel()
    await fixture.recorder.wait(for: "disconnected requested")
    try await fixture.connect()
    await fixture.recorder.wait(for: isUp, count: 2)
    #expect(try await daemon.run { $0.count("Disconnect", at: ScriptedDaemon.device) } == 0)
  }

  /// A daemon that has been killed leaves links behind, which its successor reports until the kernel has ended them.
  @Test("I12.2 a link that ends before it had services is not taken for one that was made", arguments: [true, false])
  func leftOver(isRefused: Bool) async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.change(["Connected": .boolean(true)])
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        guard world.count("Connect", at: ScriptedDaemon.device) == 1 else { return world.answer(request) }
        if isRefused {
          request.refuse(BusError("org.bluez.Error.AlreadyConnected", "Already Connected"))
        } else {
          request.answer()
        }
        world.change(["Connected": .boolean(false)])
      }
    }
    try await fixture.connected()
    #expect(!fixture.recorder.lines.contains { $0.hasPrefix("failed") || $0.hasPrefix("disconnected") })
    try await fixture.cancel()
    await daemon.wait(for: "Disconnect", at: device)
  }

  @Test("I12.2 an existing link without services is shared once they have been waited for")
  func withoutServices() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice(speed: 40) { world in
      world.change(["Connected": .boolean(true)])
      world.script("Connect", at: ScriptedDaemon.device) { request, _ in
        request.refuse(BusError("org.bluez.Error.AlreadyConnected", "Already Connected"))
      }
    }
    try await fixture.connected()
    try await fixture.cancel()
    await fixture.recorder.wait(for: "disconnected requested")
    #expect(try await daemon.run { $0.count("Disconnect", at: ScriptedDaemon.device) } == 0)
  }

  @Test("I12.2 a link that was made after a refused Connect of this process is ended by it")
  func late() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Connect", at: ScriptedDaemon.device) { request, world in
        let isFirst = world.count("Connect", at: ScriptedDaemon.device) == 1
        world.change(["Connected": .boolean(true)])
        request.refuse(
          isFirst
            ? BusError("org.bluez.Error.Failed", "le-connection-abort-by-local")
            : BusError("org.bluez.Error.AlreadyConnected", "Already Connected"))
      }
    }
    try await fixture.connected()
    try await fixture.cancel()
    await daemon.wait(for: "Disconnect", at: device)
  }

  @Test("I12.2 a device whose identity becomes known keeps its identifier, and its link")
  func identity() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.remove(ScriptedDaemon.device)
      world.addDevice(address: "4A:12:34:56:78:9A")
    }
    let address = try #require(DeviceAddress("4A:12:34:56:78:9A", kind: .random))
    let peer = fixture.stack.directory.peer(at: address)
    await fixture.run { $0.connect(peer.identifier, options: ConnectionOptions()) }
    await fixture.recorder.wait(for: "connected 4A:12:34:56:78:9A")
    try await daemon.run { $0.change(["Address": .string("00:AA:BB:CC:DD:EE"), "AddressType": .string("public")]) }
    try await daemon.run { $0.change(["Name": .string("Known")]) }
    await fixture.recorder.wait(for: "name Known")
    let known = fixture.stack.knownPeers([peer.identifier])
    #expect(known.map(\.address.description) == ["00:AA:BB:CC:DD:EE"] && known.first?.address.kind == .public)
    await fixture.run { $0.cancelConnection(peer.identifier) }
    await daemon.wait(for: "Disconnect", at: device)
  }

  @Test("I12.2 a role that disconnects inside the event of its link does not end it for the others")
  func leavesAtOnce() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    let (stack, other) = (fixture.stack, CentralRecorder())
    let second = await fixture.run { _ in LoopBound(stack.makeCentral(events: other)) }
    let peer = try fixture.peer.identifier
    await fixture.run { first in
      fixture.recorder.reaction = { if $0.hasPrefix("connected") { first.cancelConnection(peer) } }
      first.connect(peer, options: ConnectionOptions())
      second.value.connect(peer, options: ConnectionOptions())
    }
    await other.wait(for: isUp)
    await fixture.recorder.wait(for: "disconnected requested")
    #expect(try await daemon.run { $0.count("Disconnect", at: ScriptedDaemon.device) } == 0)
  }

  @Test("I12.2 links that existed before the program are reported after the state")
  func before() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice {
      $0.change(["Connected": .boolean(true), "UUIDs": .texts(["180D"])])
    }
    await fixture.recorder.wait(for: "link up 180D")
    #expect(fixture.recorder.lines == ["state poweredOn", "link up 180D"])
    #expect(try fixture.stack.connectedPeers(withServices: [BLEUUID(0x180D)]) == [fixture.peer])
    _ = daemon
  }

  @Test("I12.2 an identifier that names no peer fails")
  func unknown() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    await fixture.run { $0.connect(PeerIdentifier(high: 1, low: 2), options: ConnectionOptions()) }
    await fixture.recorder.wait(for: "failed refused(code: 2)")
    _ = daemon
  }
}
