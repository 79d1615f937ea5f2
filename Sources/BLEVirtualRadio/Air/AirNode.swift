import BLECore

/// A radio on the air: the part of a controller that `Air` uses.
final class AirNode {
  /// The controller retains the air.
  unowned let air: Air
  /// The number of the node on its air, from 1; the randomness of a node is derived from it.
  let number: Int
  let chance: SeededEntropy
  /// Set until the controller is closed: a radio stays on the air even if no program refers to it.
  var controller: VirtualController?
  private(set) var station: Station
  /// The radio has fallen silent: it neither sends nor receives.
  private(set) var isSilent = false
  /// The time of the radio, where the activities of the device share it.
  private(set) var radioTime: RadioTime?
  /// Connections that depend on the radio path to and from this node.
  var links = LinkSet()
  /// The scanner and the initiator of this node that listen now.
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

  /// Its activities share the time of one radio from now on.
  func share(_ time: RadioTime) {
    guard radioTime !== time else { return }
    radioTime?.leave(self)
    radioTime = time
    time.join(self)
  }

  /// Moves the radio, with immediate effect.
  func move(to position: Position) {
    let old = station.position
    station.position = position
    air.nodeMoved(self, from: old)
    air.pathsChanged(of: self)
  }

  /// Sets the transmit power in dBm.
  func setTransmitPower(_ power: Int8) {
    station.transmitPower = power
    air.pathsChanged(of: self)
  }

  /// Sets the gain of antenna and body for each packet sent and received, in dB.
  func setAntennaOffset(_ offset: Double) {
    station.antennaOffset = offset
    air.pathsChanged(of: self)
  }

  /// The radio falls silent, as if its battery had been taken out.
  func silence() {
    isSilent = true
    air.pathsChanged(of: self)
  }

  /// The radio sends and receives again, in the state that it had.
  func comeBack() {
    isSilent = false
    air.pathsChanged(of: self)
  }
}
