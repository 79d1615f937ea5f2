import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

/// Requests that read: discovery and values (Core, Vol 3 Part F 3.4.3 and 3.4.4).
extension ClonedServer {
  private typealias Entry = ClonedTable.Entry

  mutating func read(_ request: ATTClientPDU, _ code: UInt8, at time: Int64) -> [UInt8]? {
    switch request {
    case .readRequest(let packet):
      return value(packet.attributeHandle.rawValue, code, at: time) { mtu, value in
        ATTServerPDU.readResponse(ATTReadResponse(attributeValue: ArraySlice(value.prefix(mtu - 1)))).octets
      }
    case .readBlobRequest(let packet): return blob(packet, code, at: time)
    case .readMultipleRequest(let packet):
      return values(of: packet.setOfHandles, code, at: time) { values, mtu in
        ATTServerPDU.readMultipleResponse(
          ATTReadMultipleResponse(setOfValues: values.flatMap { $0 }.prefix(mtu - 1))
        ).octets
      }
    case .readMultipleVariableRequest(let packet):
      return values(of: packet.setOfHandles, code, at: time) { values, mtu in
        ATTServerPDU.readMultipleVariableResponse(
          ATTReadMultipleVariableResponse(values: values.map { $0[...] }, limit: mtu - 1)
        ).octets
      }
    case .readByGroupTypeRequest(let packet):
      return groups(packet.startingHandle.rawValue, packet.endingHandle.rawValue, packet.attributeGroupType, code)
    case .readByTypeRequest(let packet): return byType(packet, code, at: time)
    case .findInformationRequest(let packet):
      return information(packet.startingHandle.rawValue, packet.endingHandle.rawValue, code)
    case .findByTypeValueRequest(let packet): return byValue(packet, code, at: time)
    default: return ATTOpcode(code).role == .request ? Self.error(code, 0, .requestNotSupported) : nil
    }
  }

  // MARK: Values

  /// Why the attribute cannot be read now.
  private func readRefusal(_ handle: UInt16) -> ATTErrorCode? {
    guard let entry = table[handle] else { return .invalidHandle }
    if let refusal = entry.recorded.readRefusal, !(refusal.endsWithEncryption && isEncrypted) {
      return ATTErrorCode(refusal.code)
    }
    return nil
  }

  private mutating func current(_ handle: UInt16, at time: Int64) -> Data {
    if let declaration = table[handle]?.declaration { return Data(declaration) }
    if let target = table.configured[handle] {
      let bits = playback.configuration(target)
      return Data([UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)])
    }
    return playback.read(handle, at: time) ?? Data()
  }

  private mutating func value(
    _ handle: UInt16, _ code: UInt8, at time: Int64, _ make: (Int, Data) -> [UInt8]
  ) -> [UInt8] {
    if let refusal = readRefusal(handle) { return Self.error(code, handle, refusal) }
    let value = current(handle, at: time)
    partial = (handle, value)
    return make(mtu, value)
  }

  /// The parts of one value: it does not change between them.
  private mutating func blob(_ packet: ATTReadBlobRequest, _ code: UInt8, at time: Int64) -> [UInt8] {
    let handle = packet.attributeHandle.rawValue
    if let refusal = readRefusal(handle) { return Self.error(code, handle, refusal) }
    let offset = Int(packet.valueOffset)
    if offset == 0 || partial?.handle != handle { partial = (handle, current(handle, at: time)) }
    let value = partial?.value ?? Data()
    guard offset <= value.count else { return Self.error(code, handle, .invalidOffset) }
    let part = value.dropFirst(offset).prefix(mtu - 1)
    return ATTServerPDU.readBlobResponse(ATTReadBlobResponse(partAttributeValue: ArraySlice(part))).octets
  }

  private mutating func values(
    of handles: [AttributeHandle], _ code: UInt8, at time: Int64, _ make: ([[UInt8]], Int) -> [UInt8]
  ) -> [UInt8] {
    var values: [[UInt8]] = []
    for handle in handles.map(\.rawValue) {
      if let refusal = readRefusal(handle) { return Self.error(code, handle, refusal) }
      values.append(Array(current(handle, at: time)))
    }
    return make(values, mtu)
  }

  // MARK: Discovery

  private func isRange(_ first: UInt16, _ last: UInt16) -> Bool { first > 0 && first <= last }

  private func groups(_ first: UInt16, _ last: UInt16, _ type: BLEUUID, _ code: UInt8) -> [UInt8] {
    guard isRange(first, last) else { return Self.error(code, first, .invalidHandle) }
    guard type == ClonedTable.primaryService || type == ClonedTable.secondaryService else {
      return Self.error(code, first, .unsupportedGroupType)
    }
    var list: [UInt8] = []
    var width = 0
    for entry in table.range(first, last) where entry.type == type {
      let value = entry.declaration ?? []
      if width == 0 { width = value.count + 4 }
      guard value.count + 4 == width, list.count + width <= mtu - 2 else { break }
      list += Self.pair(entry.handle, entry.groupEnd ?? entry.handle) + value
    }
    guard !list.isEmpty else { return Self.error(code, first, .attributeNotFound) }
    return [ATTOpcode.readByGroupTypeResponse.rawValue, UInt8(truncatingIfNeeded: width)] + list
  }

  private mutating func byType(_ packet: ATTReadByTypeRequest, _ code: UInt8, at time: Int64) -> [UInt8] {
    let (first, last) = (packet.startingHandle.rawValue, packet.endingHandle.rawValue)
    guard isRange(first, last) else { return Self.error(code, first, .invalidHandle) }
    var list: [UInt8] = []
    var width = 0
    for entry in table.range(first, last) where entry.type == packet.attributeType {
      if let refusal = readRefusal(entry.handle) {
        // Only the first one refuses the request: what is in front of another is answered.
        if list.isEmpty { return Self.error(code, entry.handle, refusal) }
        break
      }
      // A value that is not in the answer was not read.
      guard list.isEmpty || list.count + width <= mtu - 2 else { break }
      let value = Array(current(entry.handle, at: time).prefix(min(mtu - 4, 253)))
      if width == 0 { width = value.count + 2 }
      guard value.count + 2 == width else { break }
      list += Self.pair(entry.handle, nil) + value
    }
    guard !list.isEmpty else { return Self.error(code, first, .attributeNotFound) }
    return [ATTOpcode.readByTypeResponse.rawValue, UInt8(truncatingIfNeeded: width)] + list
  }

  private func information(_ first: UInt16, _ last: UInt16, _ code: UInt8) -> [UInt8] {
    guard isRange(first, last) else { return Self.error(code, first, .invalidHandle) }
    var list: [UInt8] = []
    var width: BLEUUID.Width?
    for entry in table.range(first, last) {
      guard let type = entry.type?.forAttributeProtocol else { continue }
      if width == nil { width = type.width }
      guard type.width == width, list.count + 2 + type.octets.count <= mtu - 2 else { break }
      list += Self.pair(entry.handle, nil) + type.octets
    }
    guard !list.isEmpty else { return Self.error(code, first, .attributeNotFound) }
    return [ATTOpcode.findInformationResponse.rawValue, width == .short ? 1 : 2] + list
  }

  private mutating func byValue(_ packet: ATTFindByTypeValueRequest, _ code: UInt8, at time: Int64) -> [UInt8] {
    let (first, last) = (packet.startingHandle.rawValue, packet.endingHandle.rawValue)
    guard isRange(first, last) else { return Self.error(code, first, .invalidHandle) }
    var list: [UInt8] = []
    for entry in table.range(first, last) where entry.type == BLEUUID(packet.attributeType) {
      guard readRefusal(entry.handle) == nil, list.count + 4 <= mtu - 1 else { continue }
      guard (entry.declaration ?? []).elementsEqual(packet.attributeValue) else { continue }
      list += Self.pair(entry.handle, entry.groupEnd ?? entry.handle)
    }
    guard !list.isEmpty else { return Self.error(code, first, .attributeNotFound) }
    return [ATTOpcode.findByTypeValueResponse.rawValue] + list
  }

  private static func pair(_ first: UInt16, _ second: UInt16?) -> [UInt8] {
    ([first] + (second.map { [$0] } ?? [])).flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
  }
}
