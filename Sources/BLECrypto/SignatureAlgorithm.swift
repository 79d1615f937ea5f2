import BLECore

/// The signature of ATT commands (Core, Vol 3 Part H 2.4.5). Made once for each signing key.
public final class SignatureAlgorithm {
  /// The length in octets: four of sign counter, eight of code.
  public static let signatureLength = 12

  private let cmac: AESCMAC

  public init(csrk: SecretKey) { cmac = AESCMAC(key: csrk) }

  /// The twelve octets that are appended to a command, as on the air.
  ///
  /// - Parameter message: opcode, handle and value, as on the air.
  public func signature(of message: some BidirectionalCollection<UInt8>, signCounter: UInt32) -> [UInt8] {
    var writer = ByteWriter(capacity: Self.signatureLength)
    writer.append(signCounter)
    var code = AESCMAC.Accumulator(cmac)
    code.append(contentsOf: writer.octets.reversed())
    code.append(contentsOf: message.reversed())
    writer.append(code.finish().high)
    return writer.octets
  }

  /// The sign counter of a command with a valid signature, otherwise `nil`. The caller has to check that the counter is higher
  /// than the last one.
  ///
  /// - Parameter pdu: the whole command with its signature, as received.
  public func verify(_ pdu: ArraySlice<UInt8>) -> UInt32? {
    guard pdu.count >= Self.signatureLength else { return nil }
    var reader = ByteReader(pdu.suffix(Self.signatureLength), layer: "ATT")
    guard let counter = try? reader.uint32("Sign Counter") else { return nil }
    let wanted = signature(of: pdu.dropLast(Self.signatureLength), signCounter: counter)
    let difference = zip(wanted, pdu.suffix(Self.signatureLength)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    return difference == 0 ? counter : nil
  }
}
