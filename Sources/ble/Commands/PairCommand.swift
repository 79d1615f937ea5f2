import BLEHost
import BLEProfileFiles
import Foundation

/// `ble pair`: pairs with a device and stores the keys.
struct PairCommand: ToolCommand {
  static let level = Parameter.option(
    "level", "level", standard: "encrypted",
    "What the pairing must reach: encrypted; authenticated, with protection against a man in the middle; or secure, the same "
      + "with Secure Connections.", \LevelName.level)

  static let node = CommandNode(
    "pair", abstract: "Pair with a device, and keep the keys.",
    discussion: """
      Connects, pairs and says how: the method, whether it protects against a man in the middle, and the size of the \
      key. If stored keys are sufficient, the link is encrypted with them without pairing.

      Passkeys and comparisons are asked on the terminal; '--passkey', '--io' and '--oob' answer beforehand. Other \
      commands pair by themselves where a value is protected.

        ble pair Lock --level authenticated --passkey 123456
        ble pair Lock --make-oob mine.oob --oob lock.oob
      """,
    ExploreCommand.target, level, make: Self.init)

  let target: Target
  let level: SecurityLevel

  func run(in session: Session) async throws(ToolError) {
    let level = level
    session.pairing.isStream = session.output.isJSON
    session.pairing.leavesEnds = true
    let (report, title, who) = try await KeptDevice.use(target, KeptDevice.onceWithoutServices, in: session) {
      (device) async throws(ToolError) in
      let report = try await device.pair(level)
      let who = JSONValue.object([
        "identifier": .string(orNull: device.identifier?.uuidString), "address": .string(orNull: report.address),
        "name": .string(orNull: device.name),
      ])
      return (report, device.title, who)
    }
    let more = JSONValue.object(["bonded": .bool(report.isBonded), "earlier": .bool(report.isEarlier)])
    let verb = report.isEarlier ? "Already paired" : "Paired"
    let kept = report.isBonded ? "" : "; the keys are not kept"
    let security = report.security.map { ": \($0.summary)" } ?? ""
    session.output.event(
      "paired", .combined(who, report.security?.json ?? .object([:]), more), "\(verb) with \(title)\(security)\(kept).")
  }
}
