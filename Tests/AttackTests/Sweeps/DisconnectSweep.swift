import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Links that end at every step of every operation.
@Suite("Disconnect sweep")
struct DisconnectSweep {
  @Test(
    "A6 a link that ends at any step of any operation, in any way: all ends exactly once, and the next connection works",
    arguments: SweepOperation.all)
  func everyStep(_ operation: SweepOperation) async throws {
    let undisturbed = try await SweepScene(operation.stage, pairing: operation.pairing)
    undisturbed.central.startLedger()
    operation.begin(undisturbed)
    let steps = try await undisturbed.run(until: operation.hasEnded)
    await undisturbed.world.settle()
    #expect(undisturbed.central.ledger == operation.ledger)
    // Before the first step, after each, and a little later. Where there are very many steps, the kinds of cuts alternate.
    let cuts = SweepCut.allCases
    let moments = Array(-1...(steps + 2))
    let isLong = moments.count > Self.longOperation
    var runs = 0
    for (number, step) in moments.enumerated() {
      for cut in isLong ? [cuts[number % cuts.count]] : cuts {
        try await run(operation, cut, at: step, whole: undisturbed.peripheral.writes)
        runs += 1
      }
    }
    let ways = isLong ? 1 : cuts.count
    print(
      "sweep: \(operation.name): cut at \(moments.count) steps, in \(ways) of \(cuts.count) ways each: \(runs) runs")
  }

  private static let longOperation = 40

  @Test(
    "A6 a program that disconnects within any callback gets the end, and no other callback",
    arguments: SweepOperation.all.filter { !$0.ledger.isEmpty })
  func leavingInCallback(_ operation: SweepOperation) async throws {
    for count in 1...operation.ledger.count {
      let note = Comment(rawValue: "\(operation.name), left in callback \(count)")
      let scene = try await SweepScene(operation.stage, pairing: operation.pairing)
      scene.central.startLedger(leavingAfter: count)
      operation.begin(scene)
      await scene.world.advance(by: .seconds(45))
      // Callbacks that became due together with it still come.
      #expect(scene.central.ledger.count > count && scene.central.ledger.last == "disconnected", note)
      expectEndedOnce(scene.central.ledger, operation, isGoingOn: false, note)
      do { try await scene.expectNewConnectionWorks(after: .phoneLeaves, note) } catch { Issue.record(error, note) }
    }
  }

  private func run(_ operation: SweepOperation, _ cut: SweepCut, at step: Int, whole: [Data]) async throws {
    let note = Comment(rawValue: "\(operation.name), \(cut) at step \(step)")
    let scene = try await SweepScene(operation.stage, pairing: operation.pairing)
    scene.central.startLedger()
    operation.begin(scene)
    if step >= 0 { try await scene.run(steps: step) }
    let before = scene.central.ledger
    cut.make(on: scene)
    // Longer than any time-out that might still be running.
    await scene.world.advance(by: .seconds(45))
    let ledger = scene.central.ledger
    if cut == .phoneDies {
      #expect(ledger == before, note)
    } else {
      expectEndedOnce(ledger, operation, isGoingOn: scene.central.found?.state != .disconnected, note)
    }
    // Writes arrive whole and once, or not at all.
    #expect(scene.peripheral.writes == Array(whole.prefix(scene.peripheral.writes.count)), note)
    #expect(scene.peripheral.subscriptions.faults == 0, note)
    // Data received before the end is read first.
    _ = scene.receivedOverChannels
    for channel in scene.central.channels where cut != .phoneDies {
      #expect(channel.inputStream.isOver && channel.outputStream.isOver, note)
    }
    if cut != .sensorDies {
      for channel in scene.peripheral.app.channels {
        #expect(channel.inputStream.isOver && channel.outputStream.isOver, note)
      }
      #expect(scene.peripheral.subscriptions.uuids.isEmpty, note)
    }
    operation.afterwards?(scene)
    await scene.world.settle()
    #expect(scene.central.ledger == ledger, note)
    do { try await scene.expectNewConnectionWorks(after: cut, note) } catch { Issue.record(error, note) }
  }

  /// The callbacks are those of the undisturbed run, up to some point, then the end of the connection, and only changes of
  /// state after that. Only a program that requests a connection may have one again, or still have it pending.
  private func expectEndedOnce(_ ledger: [String], _ operation: SweepOperation, isGoingOn: Bool, _ note: Comment) {
    let common = zip(ledger, operation.ledger).prefix { $0 == $1 }.count
    let rest = ledger.dropFirst(common)
    let ends = rest.filter { $0.hasPrefix("disconnected") || $0.hasPrefix("failed") }
    let states = rest.filter { $0 == "state" }
    #expect(ends.count + states.count == rest.count, "\(note): \(ledger)")
    #expect(!isGoingOn || operation.connects, note)
    #expect(ends.count <= 1 && ends.count + min(states.count, 1) >= (isGoingOn ? 0 : 1), "\(note): \(ledger)")
  }
}

extension Stream {
  /// No further packet is sent or received.
  fileprivate var isOver: Bool { [.notOpen, .atEnd, .closed, .error].contains(streamStatus) }
}
