import BLECore

/// A radio on the air: what `Air` keeps of each controller.
final class AirNode {
  /// Kept by the controller.
  unowned let air: Air
  /// Counts the nodes of an air from 1; what is random about a node belongs to this number.
  let number: Int
  let chance: SeededEntropy
  /// Until the controller is closed: a radio is on the air whether anybody looks at it or not.
  var controller: VirtualController?
  private(set) var station: Station
  /// The node has vanished without a word: it neither sends nor hears.
  private(set) var isSilent = false
  /// Connections whose course depends on how this node hears and is heard.
  var links = LinkSet()
  /// What of this node listens on the advertising channels now.
  var listeners: [any AdvertisingListener] = []

  init(air: Air, number: Int, station: Station) {
    self.air = air
    self.number = number
    self.station = station
    chance = SeededEntropy(seed: air.seed).fork(UInt64(number))
  }

  var position: Position { station.position }
  /// In dBm.
  var transmitPower: Int8 { station.transmitPower }
  var antennaOffset: Double { station.antennaOffset }

  /// Puts the radio elsewhere, at once.
  func move(to position: Position) {
    let old = station.position
    station.position = position
    air.nodeMoved(self, from: old)
    air.pathsChanged(of: self)
  }

  /// In dBm.
  func setTransmitPower(_ power: Int8) {
    station.transmitPower = power
    air.pathsChanged(of: self)
  }

  /// What antenna and body add to each packet sent and heard, in dB.
  func setAntennaOffset(_ offset: Double) {
    station.antennaOffset = offset
    air.pathsChanged(of: self)
  }

  /// The radio vanishes without a word, as if its battery had been taken out.
  func silence() {
    isSilent = true
    air.pathsChanged(of: self)
  }

  /// The radio is there again and goes on where it stood.
  func comeBack() {
    isSilent = false
    air.pathsChanged(of: self)
  }
}
