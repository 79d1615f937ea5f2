public import BLECore

/// A call of Core Bluetooth by a program, or a callback to it.
public struct ProgramStep: Equatable, Sendable {
  public enum Direction: Equatable, Sendable {
    case call
    case callback
  }

  public var direction: Direction
  /// The method's name as Apple writes it: `readValue(for:)`, `peripheral(_:didUpdateValueFor:error:)`.
  public var name: String
  /// Its arguments for people; empty without any.
  public var arguments: String
  /// Whether the callback brings an error.
  public var hasError: Bool
  /// The other device's address, if it is known.
  public var peer: DeviceAddress?
  /// The type of the service, the characteristic or the descriptor that it is about.
  public var attributeType: BLEUUID?
  /// The handle of that attribute's value, if it is known.
  public var attribute: AttributeHandle?

  public init(
    _ direction: Direction, _ name: String, arguments: String = "", hasError: Bool = false, peer: DeviceAddress? = nil,
    attributeType: BLEUUID? = nil, attribute: AttributeHandle? = nil
  ) {
    self.direction = direction
    self.name = name
    self.arguments = arguments
    self.hasError = hasError
    self.peer = peer
    self.attributeType = attributeType
    self.attribute = attribute
  }

  /// The words that tell methods apart: the name in front of the parenthesis, then the labels.
  var words: [Substring] { name.split { "(:)_,. ".contains($0) } }
}

/// Something at a moment that is neither a packet nor a step of a program.
public enum TimelineMark: Equatable, Sendable {
  /// What a test did, or what happened to a device, as a sentence.
  case happening(String)
  /// A fault, as a sentence.
  case fault(String)
  /// Why the test failed.
  case failure(String)

  var kind: TimelineKind {
    switch self {
    case .happening: .mark
    case .fault: .fault
    case .failure: .failure
    }
  }

  var text: String {
    switch self {
    case .happening(let text), .fault(let text), .failure(let text): text
    }
  }
}
