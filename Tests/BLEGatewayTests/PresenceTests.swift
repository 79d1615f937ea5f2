import BLEGateway
import Testing

@Suite("Rooms by strength")
struct PresenceTests {
  private func hear(
    _ board: inout PresenceBoard, _ gateway: String, _ rssi: Int, from begin: Int, to end: Int
  ) -> [PresenceChange] {
    (begin..<end).flatMap { board.heard("tag", by: gateway, rssi: rssi, at: .seconds($0)) }
  }

  @Test("I17.3 a device is where it is heard best, and nowhere when it is not heard any more")
  func comesAndGoes() {
    var board = PresenceBoard()
    #expect(hear(&board, "hall", -60, from: 0, to: 5).map(\.room) == ["hall"])
    #expect(board.advance(to: .seconds(63)).isEmpty && board.room(of: "tag") == "hall")
    #expect(board.wake == .seconds(64))
    let gone = board.advance(to: .seconds(64))
    #expect(gone.map(\.room) == [nil] && gone.map(\.before) == ["hall"] && board.count == 0 && board.wake == nil)
  }

  @Test("I17.3 another room counts when it was stronger by the hysteresis for a while, and not before")
  func hysteresis() {
    var board = PresenceBoard()
    var changes: [(Int, PresenceChange)] = []
    func both(_ hall: Int, _ attic: Int, _ seconds: Range<Int>) {
      for second in seconds {
        for change in board.heard("tag", by: "hall", rssi: hall, at: .seconds(second)) {
          changes.append((second, change))
        }
        for change in board.heard("tag", by: "attic", rssi: attic, at: .seconds(second)) {
          changes.append((second, change))
        }
      }
    }
    both(-60, -70, 0..<10)
    both(-65, -61, 10..<40)
    #expect(changes.map(\.1.room) == ["hall"])
    both(-75, -61, 40..<60)
    #expect(changes.map(\.1.room) == ["hall", "attic"] && (45...47).contains(changes[1].0))
    #expect(changes[1].1.before == "hall" && changes[1].1.gateway == "attic")
    // Strong for less than the dwell.
    for begin in stride(from: 60, to: 120, by: 10) {
      both(-50, -61, begin..<begin + 3)
      both(-80, -61, begin + 3..<begin + 10)
    }
    #expect(changes.count == 2)
  }

  @Test("I17.3 gateways of one room count together, and a room that falls silent is left at once")
  func rooms() {
    var board = PresenceBoard(rooms: ["hall-1": "hall", "hall-2": "hall"])
    #expect(hear(&board, "hall-1", -50, from: 0, to: 3).map(\.room) == ["hall"])
    #expect(hear(&board, "hall-2", -40, from: 3, to: 20).isEmpty)
    #expect(hear(&board, "attic", -80, from: 20, to: 35).isEmpty)
    #expect(hear(&board, "attic", -80, from: 35, to: 37).map(\.room) == ["attic"])
    #expect(board.strengths(of: "tag", at: .seconds(37)) == ["attic": -80])
  }

  @Test("I17.3 devices and gateways are bounded, and names and strengths that cannot be are ignored")
  func bounds() {
    var rules = PresenceRules()
    (rules.mostDevices, rules.mostGateways) = (100, 4)
    var board = PresenceBoard(rules: rules)
    var gone = 0
    for number in 0..<1_000 {
      gone += board.heard("device-\(number)", by: "hall", rssi: -60, at: .milliseconds(number)).count { $0.room == nil }
    }
    #expect(board.count == 100 && gone == 900)
    for number in 0..<100 { _ = board.heard("tag", by: "gateway-\(number)", rssi: -100 + number, at: .seconds(1)) }
    #expect(Set(board.strengths(of: "tag", at: .seconds(1)).keys) == Set((96..<100).map { "gateway-\($0)" }))
    #expect(board.heard("a/b", by: "hall", rssi: -60, at: .seconds(1)).isEmpty && board.room(of: "a/b") == nil)
    #expect(board.heard("pen", by: "hall", rssi: 127, at: .seconds(1)).isEmpty && board.room(of: "pen") == nil)
  }
}
