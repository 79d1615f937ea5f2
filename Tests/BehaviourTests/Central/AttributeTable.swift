import BLECore
import BLETestKit

/// A GATT server of a few attributes, written octet by octet, for a `ScriptedDevice`: it has attributes that no server of
/// this package would have, and refuses requests where the test wants it to.
///
/// `@unchecked Sendable`: asked on the world's loop, and changed while the world is not running.
final class AttributeTable: @unchecked Sendable {
  struct Attribute {
    let handle: UInt16
    let type: BLEUUID
    var value: [UInt8]
    /// The error of each access.
    var error: UInt8?
  }

  private(set) var attributes: [Attribute] = []
  /// The requests and commands received.
  private(set) var requests: [[UInt8]] = []
  /// The error that requests with this opcode get.
  var refusals: [UInt8: UInt8] = [:]
  /// The longest PDU that it accepts, in octets.
  var mtu = 23

  // MARK: Layout

  init() {}

  /// Service FFF0 with FFF1, which has these properties.
  convenience init(properties: UInt8, value: [UInt8] = []) {
    self.init()
    addService(0xFFF0)
    addCharacteristic(0xFFF1, properties: properties, value: value)
  }

  @discardableResult
  func add(_ type: UInt16, _ value: [UInt8] = []) -> UInt16 { add(BLEUUID(type), value) }

  @discardableResult
  func add(_ type: BLEUUID, _ value: [UInt8] = []) -> UInt16 {
    let handle = UInt16(attributes.count + 1)
    attributes.append(Attribute(handle: handle, type: type, value: value))
    return handle
  }

  func addService(_ uuid: UInt16) { add(0x2800, octets(uuid)) }

  /// The handle of the value.
  @discardableResult
  func addCharacteristic(_ uuid: UInt16, properties: UInt8, value: [UInt8] = []) -> UInt16 {
    add(0x2803, [properties] + octets(UInt16(attributes.count + 2)) + octets(uuid))
    return add(uuid, value)
  }

  func forgetRequests() { requests = [] }

  func removeAll() { attributes = [] }

  func set(_ value: [UInt8], at handle: UInt16) { attributes[Int(handle) - 1].value = value }
  func refuse(_ error: UInt8?, at handle: UInt16) { attributes[Int(handle) - 1].error = error }
  func value(at handle: UInt16) -> [UInt8] { attributes[Int(handle) - 1].value }

  /// Makes `device` answer from this table.
  func serve(_ device: ScriptedDevice) { device.answer { [self] in answer($0) } }

  // MARK: Answers

  private func answer(_ request: [UInt8]) -> [UInt8]? {
    requests.append(request)
    let opcode = request[0]
    // Confirmations and commands have no answer.
    if opcode == 0x1E { return nil }
    if opcode == 0x52 {
      write(request)
      return nil
    }
    if let code = refusals[opcode] { return refusal(request, code) }
    switch opcode {
    case 0x02 where request.count == 3: return [0x03] + octets(UInt16(mtu))
    case 0x04 where request.count == 5: return findInformation(request)
    case 0x08, 0x10:
      guard request.count >= 7, let type = BLEUUID(octets: request[5...]) else { return refusal(request, 0x04) }
      return list(request, type)
    case 0x0A, 0x0C, 0x12: return access(request)
    default: return refusal(request, 0x06)
    }
  }

  private func findInformation(_ request: [UInt8]) -> [UInt8] {
    var response: [UInt8] = [0x05, 0x01]
    for attribute in range(request) where response.count + 4 <= mtu {
      response += octets(attribute.handle) + Array(attribute.type.octets.prefix(2))
    }
    return response.count > 2 ? response : refusal(request, 0x0A)
  }

  /// Read By Type and Read By Group Type: entries of one length.
  private func list(_ request: [UInt8], _ type: BLEUUID) -> [UInt8] {
    let found = range(request).filter { $0.type == type }
    guard let first = found.first else { return refusal(request, 0x0A) }
    if let code = first.error { return refusal(request, code, at: first.handle) }
    var response: [UInt8] = [request[0] + 1, 0]
    for attribute in found {
      var entry = octets(attribute.handle)
      if request[0] == 0x10 { entry += octets(endOfGroup(attribute.handle)) }
      entry += attribute.value
      if response[1] == 0 { response[1] = UInt8(entry.count) }
      guard entry.count == Int(response[1]), response.count + entry.count <= mtu, attribute.error == nil else { break }
      response += entry
    }
    return response
  }

  private func access(_ request: [UInt8]) -> [UInt8] {
    let handle = number(request, 1)
    guard handle >= 1, handle <= attributes.count else { return refusal(request, 0x01, at: UInt16(handle)) }
    let attribute = attributes[handle - 1]
    if let code = attribute.error { return refusal(request, code, at: attribute.handle) }
    switch request[0] {
    case 0x0A: return [0x0B] + attribute.value.prefix(mtu - 1)
    case 0x0C:
      let offset = number(request, 3)
      if offset > attribute.value.count { return refusal(request, 0x07, at: attribute.handle) }
      return [0x0D] + attribute.value.dropFirst(offset).prefix(mtu - 1)
    default:
      write(request)
      return [0x13]
    }
  }

  private func write(_ request: [UInt8]) {
    let handle = number(request, 1)
    if handle >= 1, handle <= attributes.count { attributes[handle - 1].value = Array(request.dropFirst(3)) }
  }

  private func range(_ request: [UInt8]) -> [Attribute] {
    attributes.filter { (number(request, 1)...max(number(request, 1), number(request, 3))).contains(Int($0.handle)) }
  }

  private func endOfGroup(_ handle: UInt16) -> UInt16 {
    let next = attributes.first { $0.handle > handle && $0.type == BLEUUID(UInt16(0x2800)) }
    return next.map { $0.handle - 1 } ?? UInt16(attributes.count)
  }

  private func refusal(_ request: [UInt8], _ code: UInt8, at handle: UInt16 = 0) -> [UInt8] {
    [0x01, request[0]] + octets(handle) + [code]
  }

  private func number(_ octets: [UInt8], _ index: Int) -> Int {
    index + 1 < octets.count ? Int(octets[index]) | Int(octets[index + 1]) << 8 : 0
  }
}

private func octets(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }

extension Meeting {
  /// A tag that serves `table`, connected, with everything discovered.
  static func talking(to table: AttributeTable, in world: World = World()) async throws -> Meeting {
    try await withTag(in: world) { tag, _ in table.serve(tag) }.connected().walked()
  }
}
