import BLECore
import BLEGateway
import Foundation

/// A device on the air: where it is, and who has a link to it.
final class SimulatedDevice {
  let name: String
  var (x, y): (Double, Double)
  /// Whether it advertises while it has a link, and accepts a second one.
  let isSociable: Bool
  /// Gateways, by their numbers, with the life of each.
  var links: [(gateway: Int, life: Int)] = []
  /// How many values it has sent.
  var said = 0

  init(name: String, x: Double, y: Double, isSociable: Bool) {
    self.name = name
    (self.x, self.y) = (x, y)
    self.isSociable = isSociable
  }

  var acceptsLink: Bool { links.isEmpty || isSociable && links.count < 2 }

  /// dBm, without noise.
  func strength(at gateway: SimulatedGateway) -> Double {
    let distance = max(1, ((x - gateway.x) * (x - gateway.x) + (y - gateway.y) * (y - gateway.y)).squareRoot())
    return -40 - 25 * log10(distance)
  }
}

/// One value as it is published.
struct SimulatedValue {
  let device: String
  let stamp: ValueStamp
  /// The device's own count: what the order has to be.
  let said: Int
  let number: Int

  var payload: String { "\(stamp.epoch) \(stamp.holder) \(stamp.sequence) \(said)" }
}
