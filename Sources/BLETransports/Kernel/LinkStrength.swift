public import BLECore
import BLEHCI
public import Dispatch

/// The RSSI of the kernel's links, by its management interface: of links that other programs, such as the daemon, have made. The
/// kernel permits this only to programs with CAP_NET_ADMIN. Everything on the loop's queue.
public final class LinkStrength {
  /// The kernel asks the controller, which answers at once or not at all.
  private static let limit = DispatchTimeInterval.seconds(5)
  /// The RSSI is not known (BlueZ, doc/mgmt-api.txt, "Get Connection Information").
  private static let unknown: Int8 = 127

  private struct Question {
    let number: UInt64
    let index: UInt16
    let parameters: [UInt8]
    let completion: (Int8?) -> Void
  }

  private let queue: DispatchQueue
  private let open: () throws(TransportError) -> FileDescriptor
  private var socket: ManagementSocket?
  private var waiting: [Question] = []
  private var nextNumber: UInt64 = 0
  /// The kernel does not permit this to the program: no further request is sent.
  private var isDenied = false

  public convenience init(on queue: DispatchQueue) {
    self.init(on: queue) { () throws(TransportError) in try ManagementSocket.open() }
  }

  init(on queue: DispatchQueue, _ open: @escaping () throws(TransportError) -> FileDescriptor) {
    self.queue = queue
    self.open = open
  }

  /// - Parameters:
  ///   - index: the adapter's number: 0 for hci0.
  ///   - completion: the RSSI in dBm; `nil` if the kernel does not report it. Called once, on the queue, never inside this call;
  ///     not at all if this object is released before.
  public func read(_ peer: DeviceAddress, on index: UInt16, _ completion: @escaping (Int8?) -> Void) {
    // Public addresses of LE have type 1 there, random ones type 2.
    let question = Question(
      number: nextNumber, index: index, parameters: peer.octets + [peer.kind == .random ? 2 : 1],
      completion: completion)
    nextNumber &+= 1
    waiting.append(question)
    if waiting.count == 1 { later { $0.ask() } }
  }

  /// One request at a time: answers do not identify their request.
  private func ask() {
    guard let question = waiting.first else { return }
    guard !isDenied, let socket = takeSocket() else { return answer(question.number, nil) }
    socket.send(.getConnectionInformation, index: question.index, question.parameters) { [weak self] result in
      if case .failure(.permissionDenied) = result { self?.isDenied = true }
      self?.answer(question.number, (try? result.get()).flatMap { Self.strength($0, of: question.parameters) })
    }
    later(Self.limit) { $0.giveUp(question.number) }
  }

  private func takeSocket() -> ManagementSocket? {
    if let socket { return socket }
    socket = (try? open()).map { ManagementSocket($0, on: queue) }
    return socket
  }

  private func answer(_ number: UInt64, _ strength: Int8?) {
    guard let question = waiting.first, question.number == number else { return }
    waiting.removeFirst()
    if !waiting.isEmpty { later { $0.ask() } }
    question.completion(strength)
  }

  /// Ignores an answer that arrives later.
  private func giveUp(_ number: UInt64) {
    guard waiting.first?.number == number else { return }
    socket = nil
    answer(number, nil)
  }

  /// Decodes the return parameters of Get Connection Information.
  static func strength(_ answer: ArraySlice<UInt8>, of peer: [UInt8]) -> Int8? {
    var reader = ByteReader(answer, layer: "management")
    guard let device = try? reader.octets(peer.count, "Address"), device.elementsEqual(peer),
      let octet = try? reader.uint8("RSSI")
    else { return nil }
    let strength = Int8(bitPattern: octet)
    return strength == unknown ? nil : strength
  }

  private func later(_ delay: DispatchTimeInterval = .nanoseconds(0), _ action: @escaping (LinkStrength) -> Void) {
    let bound = LoopBound((Weak(strength: self), action))
    queue.asyncAfter(deadline: .now() + delay) {
      let (strength, action) = bound.value
      if let strength = strength.strength { action(strength) }
    }
  }

  private struct Weak {
    weak var strength: LinkStrength?
  }
}
