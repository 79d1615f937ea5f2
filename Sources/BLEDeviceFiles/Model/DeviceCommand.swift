import BLESession
import CoreBluetooth

/// Something that a device can be told or asked, by name.
public struct DeviceCommand: Sendable {
  /// How it is told.
  public enum Kind: Sendable {
    /// Told in the device's conversation. Without an `answer` the write's acknowledgement is all there is.
    case conversation(send: MessageLayout, answer: MessageLayout?, refusal: MessageLayout?)
    /// A characteristic's value is read.
    case read(CharacteristicPath, MessageLayout)
    /// A characteristic is written.
    case write(CharacteristicPath, MessageLayout)
  }

  /// What it is called.
  public var name: String
  /// What it does, for people.
  public var summary: String?
  /// How it is told.
  public var kind: Kind
  /// In seconds, for each try.
  public var timeLimit: Double
  /// How often it is told again where no answer comes.
  public var retries: Int
  /// Telling it twice does no harm: it may be told again on the next link.
  public var isRepeatable: Bool
  /// How a simulated device takes it.
  public var behaviour: SimulatedBehaviour

  /// What may be given with it.
  public var parameters: [DescribedField] {
    switch kind {
    case .conversation(let send, _, _), .write(_, let send): send.fields
    case .read: []
    }
  }

  /// What its answer tells.
  public var results: [DescribedField] {
    switch kind {
    case .conversation(_, let answer, _): answer?.fields ?? []
    case .read(_, let layout): layout.fields
    case .write: []
    }
  }
}

/// Something that a device says unasked, by name.
public struct DeviceNotification: Sendable {
  /// What it is called.
  public var name: String
  /// What it does, for people.
  public var summary: String?
  /// Where it comes; `nil`: in the conversation.
  public var path: CharacteristicPath?
  /// What it says.
  public var layout: MessageLayout
  /// In seconds: a simulated device says it so often. `nil`: only when it is told to.
  public var interval: Double?

  /// Something said so often, or only when it is wanted.
  public init(
    name: String, summary: String? = nil, path: CharacteristicPath? = nil, layout: MessageLayout,
    interval: Double? = nil
  ) {
    self.name = name
    self.summary = summary
    self.path = path
    self.layout = layout
    self.interval = interval
  }
}

/// How a simulated device takes a command.
public struct SimulatedBehaviour: Sendable, Hashable {
  /// Parameters that have to be what the state says.
  public var required: [String] = []
  /// What the refusal says where they are not.
  public var refusal: [String: FieldValue] = [:]
  /// What the state becomes.
  public var changes: [String: FieldValue] = [:]
  /// In seconds: the answer comes so late.
  public var delay = 0.0
  /// What is said unasked after the answer.
  public var notifies: [String] = []
  /// No answer at all.
  public var isSilent = false

  /// Nothing but the default.
  public init() {}
}

/// What a simulated device is, beside what its commands say.
public struct DeviceSimulationPlan: Sendable {
  /// The local name.
  public var advertisedName: String?
  /// The services.
  public var advertisedServices: [CBUUID] = []
  /// With the company's number in front.
  public var manufacturerData: Data?
  /// What its fields hold at the start.
  public var state: [String: FieldValue] = [:]
  /// What it says to a message that is no command; `nil`: nothing.
  public var complaint: MessageLayout?

  /// Nothing but the default.
  public init() {}
}
