import BLECore
import BLECrypto
import BLEWire

/// Follows the encryption of captured links and decrypts packets with known keys (Core, Vol 6 Part B 5.1.3).
///
/// A capture may come from anyone: the numbers of links and of decryption attempts are bounded.
struct AirDecryption {
  /// The contents of a non-empty PDU.
  enum Content: Equatable {
    case plain
    /// Decrypted.
    case opened(ArraySlice<UInt8>, isFromCentral: Bool)
    /// Encrypted, and no key decrypts it.
    case sealed
  }

  /// One direction of an encrypted link.
  private struct Direction {
    var counter: UInt64 = 0
    /// The last PDU, which occurs again if its acknowledgement was lost.
    var sealed: ArraySlice<UInt8> = []
    var opened: ArraySlice<UInt8> = []
  }

  private struct Link {
    var request: EncryptionRequest?
    var response: EncryptionResponse?
    var isEncrypted = false
    /// The cipher of the matching key.
    var cipher: LinkCipher?
    var central = Direction()
    var peripheral = Direction()
    /// The number of PDUs that were tried with all keys.
    var tries = 0
  }

  private static let linkLimit = 256
  /// The maximum number of consecutive PDUs that may be missing from the capture.
  private static let gapLimit: UInt64 = 32
  private static let tryLimit = 8

  let keys: CaptureKeys
  private var links: [UInt32: Link] = [:]

  init(keys: CaptureKeys) { self.keys = keys }

  /// Another connection begins with this access address.
  mutating func forget(_ accessAddress: UInt32) { links[accessAddress] = nil }

  mutating func follow(_ pdu: DataChannelPDU, on accessAddress: UInt32) -> Content {
    var link = links[accessAddress] ?? Link()
    let content = Self.follow(pdu, &link, keys)
    if links.count >= Self.linkLimit, links[accessAddress] == nil { links.removeAll() }
    if link.request != nil || links[accessAddress] != nil { links[accessAddress] = link }
    return content
  }

  private static func follow(_ pdu: DataChannelPDU, _ link: inout Link, _ keys: CaptureKeys) -> Content {
    if link.isEncrypted {
      // A PDU this short cannot be encrypted.
      if pdu.payload.count <= LinkCipher.checkLength {
        // The central's LL_PAUSE_ENC_RSP ends encryption; otherwise it is a repeated LL_START_ENC_REQ.
        if pdu.kind == .control, pdu.payload.first == PauseEncryptionResponse.opcode { link = Link() }
        return .plain
      }
      let content = open(pdu, &link, keys)
      if content != .sealed { return content }
      // If the end of encryption was not captured, the next start is detected.
      guard pdu.kind == .control, case .encryptionRequest? = try? LinkLayerControlPDU(payload: pdu.payload) else {
        return .sealed
      }
      link = Link()
    }
    guard pdu.kind == .control, let control = try? LinkLayerControlPDU(payload: pdu.payload) else { return .plain }
    switch control {
    case .encryptionRequest(let request):
      link = Link()
      link.request = request
    case .encryptionResponse(let response): link.response = response
    case .startEncryptionRequest: link.isEncrypted = link.request != nil && link.response != nil
    default: break
    }
    return .plain
  }

  private static func open(_ pdu: DataChannelPDU, _ link: inout Link, _ keys: CaptureKeys) -> Content {
    if link.central.sealed == pdu.payload { return .opened(link.central.opened, isFromCentral: true) }
    if link.peripheral.sealed == pdu.payload { return .opened(link.peripheral.opened, isFromCentral: false) }
    if let cipher = link.cipher { return open(pdu, cipher, &link) ?? .sealed }
    guard link.tries < tryLimit, let request = link.request, let response = link.response else { return .sealed }
    link.tries += 1
    for key in keys.longTermKeys {
      let cipher = Self.cipher(key, request, response)
      guard let content = open(pdu, cipher, &link) else { continue }
      link.cipher = cipher
      return content
    }
    return .sealed
  }

  private static func open(_ pdu: DataChannelPDU, _ cipher: LinkCipher, _ link: inout Link) -> Content? {
    for isFromCentral in [true, false] {
      let next = isFromCentral ? link.central.counter : link.peripheral.counter
      for counter in next...(next + gapLimit) {
        guard
          let opened = cipher.open(
            pdu.payload, header: pdu.flags, counter: counter, isFromCentral: isFromCentral)
        else { continue }
        let direction = Direction(counter: counter + 1, sealed: pdu.payload, opened: opened[...])
        if isFromCentral { link.central = direction } else { link.peripheral = direction }
        return .opened(opened[...], isFromCentral: isFromCentral)
      }
    }
    return nil
  }

  private static func cipher(
    _ key: SecretKey, _ request: EncryptionRequest, _ response: EncryptionResponse
  ) -> LinkCipher {
    LinkCipher(
      longTermKey: key,
      diversifier: AESBlock(
        high: number(response.sessionKeyDiversifier), low: number(request.sessionKeyDiversifier)),
      vector: number(response.initializationVector) << 32 | number(request.initializationVector))
  }

  private static func number(_ octets: [UInt8]) -> UInt64 { octets.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
