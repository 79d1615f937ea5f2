import BLECore

/// What one advertiser of a crowd is, drawn from a seed: shapes and intervals that are met in public places.
struct CrowdMember {
  let position: Position
  let transmitPower: Int8
  let interval: StackDuration
  let isConnectable: Bool
  let isScannable: Bool
  let data: [UInt8]
  let scanData: [UInt8]
  /// How long an address is used; `nil` for an address that never changes.
  let addressLifetime: StackDuration?
  let chance: SeededEntropy

  /// Intervals that Apple's Accessory Design Guidelines recommend, in microseconds.
  private static let accessoryIntervals: [Int64] = [152_500, 211_250, 318_750, 417_500, 546_250, 760_000, 1_022_500]
  /// The recommended lifetime of a private address (Core, Vol 3 Part C Appendix A).
  private static let addressLifetime = StackDuration.seconds(900)

  init(_ chance: SeededEntropy, around center: Position, reach: Double) {
    self.chance = chance
    func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * chance.unit() }
    position = Position(
      x: center.x + between(-reach, reach), y: center.y + between(-reach, reach), z: center.z + between(-0.5, 0.5))
    transmitPower = Int8(chance.uniform(0..<13)) - 8
    let flags: [UInt8] = [2, 0x01, 0x1A]
    func manufacturer(_ company: UInt16, _ octets: [UInt8]) -> [UInt8] {
      [UInt8(octets.count + 3), 0xFF, UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + octets
    }
    switch chance.uniform(0..<100) {
    case ..<45:
      // A phone, a tablet or a computer near its owner: a short message that says what it does.
      interval = .microseconds(Self.accessoryIntervals[Int(chance.uniform(1..<4))])
      (isConnectable, isScannable) = (true, true)
      data = flags + [2, 0x0A, UInt8(bitPattern: transmitPower)] + manufacturer(0x004C, [0x10, 5] + chance.octets(5))
      (scanData, addressLifetime) = ([], Self.addressLifetime)
    case ..<65:
      // A lost-and-found beacon: a key in 25 octets, every two seconds.
      interval = .seconds(2)
      (isConnectable, isScannable) = (false, false)
      data = manufacturer(0x004C, [0x12, 25] + chance.octets(25))
      (scanData, addressLifetime) = ([], Self.addressLifetime)
    case ..<78:
      // A computer that offers itself to others of its user.
      interval = .milliseconds(100)
      (isConnectable, isScannable) = (false, false)
      data = manufacturer(0x0006, [0x01, 0x09, 0x20, 0x02] + chance.octets(20))
      (scanData, addressLifetime) = ([], Self.addressLifetime)
    case ..<90:
      // A wearable: services in the advertisement, its name in the scan response, one address for good.
      interval = .microseconds(Self.accessoryIntervals[Int(chance.uniform(0..<7))])
      (isConnectable, isScannable) = (true, true)
      let name = Array("Band \(1_000 + chance.uniform(0..<9_000))".utf8)
      data = [2, 0x01, 0x06, 5, 0x03, 0x0D, 0x18, 0x0F, 0x18]
      (scanData, addressLifetime) = ([UInt8(name.count + 1), 0x09] + name, nil)
    default:
      // A beacon on a wall.
      interval = .milliseconds(100 + 25 * Int64(chance.uniform(0..<13)))
      (isConnectable, isScannable) = (false, false)
      data = [2, 0x01, 0x06] + manufacturer(0x004C, [0x02, 0x15] + chance.octets(20) + [0xC5])
      (scanData, addressLifetime) = ([], nil)
    }
  }
}
