import BLECore

extension Fuzzer {
  static let stateful: [Fuzzer] = [.world]

  /// A whole host with small tables on a simulated air, with hostile radios around it: an input is a list of what they, the host's
  /// program and its user do, and of time that passes. Run under the address sanitizer.
  static let world = Fuzzer(name: "world") { octets in
    var input = ActionReader(octets)
    let world = FuzzedWorld(circumstances: input.octet() ?? 0)
    while let (action, argument) = input.next() { world.play(action, argument, &input) }
    world.end()
  } seeds: {
    func input(_ actions: [(Action, UInt8)]) -> [UInt8] { [0] + actions.flatMap { [$0.0.rawValue, $0.1] } }
    return [
      // An unknown device pairs from a private address and leaves.
      input([
        (.takeAddress, 4), (.connect, 0), (.milliseconds, 60), (.pair, 12), (.seconds, 1), (.disconnect, 0),
        (.seconds, 0),
      ]),
      // A device is heard, makes room for others in the table, and is heard again.
      input([
        (.scan, 4), (.advertise, 0), (.milliseconds, 60), (.stopAdvertising, 0), (.passBy, 29), (.advertise, 0),
        (.milliseconds, 60),
      ]),
      input([(.scan, 0), (.advertise, 0), (.seconds, 1), (.callIn, 0), (.seconds, 2), (.sendSecurity, 0)]),
      input([(.scan, 1), (.takeAddress, 5), (.advertise, 4), (.connect, 0), (.milliseconds, 50), (.pair, 0)]),
      input([(.connect, 2), (.milliseconds, 60), (.pair, 2), (.seconds, 2), (.disconnect, 2), (.advertise, 2)]),
      input(
        [(.scan, 0)] + (0..<8).map { (.advertise, $0 * 4 + $0 % 4) } + [(.switchOff, 0), (.seconds, 1), (.scan, 0)]),
    ]
  }
}

@main
struct StatefulFuzzers {
  static func main() { FuzzTool.main(Fuzzer.stateful) }
}
